// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The stored responses that a request makes obsolete when it changes something.
///
/// [RFC 9111 §4.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.4)
package enum Invalidation {
    /// The URIs whose stored responses must go once `response` has answered `request`, in the spelling of ``TargetURI``, none twice.
    ///
    /// If the method is not safe and the response is no error, these are the target itself and the URIs in `Location` and `Content-Location` that have
    /// the target's origin. No origin may empty a cache of another's responses. Otherwise there are none.
    package static func uris(after response: HTTPResponse, to request: HTTPRequest) -> [String] {
        guard !request.method.isSafe, (200...399).contains(response.status.code), let target = TargetURI(request) else { return [] }
        var uris = [target.description]
        var seen = Set(uris)
        for name in [HTTPField.Name.location, .contentLocation] {
            for reference in response.headerFields[values: name] {
                guard let uri = target.resolving(reference), uri.hasSameOrigin(as: target) else { continue }
                let text = uri.description
                if seen.insert(text).inserted { uris.append(text) }
            }
        }
        return uris
    }
}

extension HTTPRequest.Method {
    /// Whether a request with this method asks for no change. Of a method that is not known, the worst is assumed.
    ///
    /// [RFC 9110 §9.2.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1); [RFC 10008](https://www.rfc-editor.org/rfc/rfc10008) for QUERY.
    package var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query: true
        default: false
        }
    }
}
