// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import RawStructuredFieldValues

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The digests that a client would like to have: [RFC 9530 §4](https://www.rfc-editor.org/rfc/rfc9530#section-4).
struct WantedDigests {
    /// Of longer content no digest is made: it is made for each request, and takes a millisecond for a mebibyte.
    static let maximumByteCount = 1 << 20

    private let representation: DigestAlgorithm?
    private let content: DigestAlgorithm?

    /// - Returns: `nil` if it wants none that is known.
    init?(_ requestFields: HTTPFields) {
        representation = Self.wanted(requestFields, .wantReprDigest)
        content = Self.wanted(requestFields, .wantContentDigest)
        if representation == nil, content == nil { return nil }
    }

    /// The algorithm with the highest weight from 1 to 10; of equal ones the faster.
    private static func wanted(_ fields: HTTPFields, _ name: HTTPField.Name) -> DigestAlgorithm? {
        guard let members = fields.structuredDictionary(of: name) else { return nil }
        func weight(_ algorithm: DigestAlgorithm) -> Int64 {
            guard case .integer(let weight)? = members[algorithm.rawValue]?.bareItem, (1...10).contains(weight) else { return 0 }
            return weight
        }
        let best = DigestAlgorithm.allCases.reduce(DigestAlgorithm.sha256) { weight($1) > weight($0) ? $1 : $0 }
        return weight(best) > 0 ? best : nil
    }

    /// Adds the wanted digests to an answer with whole content, or to one to HEAD, unless the origin has put in such a field. O(*n*) in the bytes of the content.
    ///
    /// - Parameter bytes: The whole content.
    func add(to fields: inout HTTPFields, for bytes: ByteBuffer, isPart: Bool) {
        let representation = fields.has(.reprDigest) ? nil : representation
        let content = isPart || fields.has(.contentDigest) ? nil : content
        let first = representation.map { Self.value($0, bytes) }
        if let first { fields.append(HTTPField(name: .reprDigest, value: first)) }
        guard let content else { return }
        let second = content == representation ? first : nil
        fields.append(HTTPField(name: .contentDigest, value: second ?? Self.value(content, bytes)))
    }

    private static func value(_ algorithm: DigestAlgorithm, _ bytes: ByteBuffer) -> String {
        var digest = RunningDigest(algorithm)
        digest.add(bytes)
        return "\(algorithm.rawValue)=:\(Data(digest.value).base64EncodedString()):"
    }
}
