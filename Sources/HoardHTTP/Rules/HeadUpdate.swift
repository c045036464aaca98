// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The effect of the origin's answer to HEAD on the stored response that a GET would have selected.
///
/// [RFC 9111 §4.3.5](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.5)
package enum HeadUpdate: Hashable, Sendable {
    /// It is still the same: keep it with this head.
    case freshens(HTTPResponse)
    /// It is another by now: the stored one must not be used any more.
    case contradicts
    /// Nothing: the answer is no 200, or has nothing that could be compared.
    case saysNothing

    /// Compares the validators and the length as far as the answer has them. Values that both have must be equal, and
    /// both must have at least one. An answer that lacks a validator which the stored response has says nothing either,
    /// since it may describe anything.
    ///
    /// - Parameters:
    ///   - stored: The head of the stored response.
    ///   - completeLength: The length of its content, as far as it is known.
    ///   - answer: The origin's answer to HEAD.
    package init(
        of stored: HTTPResponse,
        completeLength: Int?,
        by answer: HTTPResponse,
        responseTime: Date,
        rules: HTTPCacheRules
    ) {
        let fields = answer.headerFields
        guard answer.status.code == 200, stored.status.code == 200, stored.mayBeUpdated(with: fields) else {
            self = .saysNothing
            return
        }
        let new = Validators(of: fields)
        let old = Validators(of: stored.headerFields)
        let findings = [
            Self.finding(new.entityTag, old.entityTag) { $0.matchesWeakly($1) },
            Self.finding(new.lastModified, old.lastModified) { $0 == $1 },
            fields.contentLength.map { $0 == completeLength ?? $0 ? .equal : .different } ?? .unknown,
        ]
        if findings.contains(.different) {
            self = .contradicts
        } else if findings.contains(.missing) || !findings.contains(.equal) {
            self = .saysNothing
        } else {
            self = .freshens(stored.updated(with: fields.dated(responseTime), rules: rules))
        }
    }

    private enum Finding { case equal, different, missing, unknown }

    private static func finding<Validator>(_ new: Validator?, _ old: Validator?, isEqual: (Validator, Validator) -> Bool) -> Finding {
        switch (new, old) {
        case (nil, nil): .unknown
        case (nil, _?): .missing
        case (_?, nil): .different
        case (let new?, let old?): isEqual(new, old) ? .equal : .different
        }
    }
}
