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

/// The digest that a response says its content has: [RFC 9530](https://www.rfc-editor.org/rfc/rfc9530).
package struct ContentDigest: Hashable, Sendable {
    let algorithm: DigestAlgorithm
    let value: [UInt8]

    /// Reads `Content-Digest`, or else `Repr-Digest`, which is of the same bytes if a response has the whole representation. Of several algorithms, the
    /// fastest that is known.
    ///
    /// - Returns: `nil` if neither names a known one with a value as long as it has to be.
    init?(of response: HTTPResponse) {
        guard response.headerFields.contains(where: { $0.name == .contentDigest || $0.name == .reprDigest }) else { return nil }
        // Of a part, the digest of the representation says nothing.
        let names = response.status == .partialContent ? [HTTPField.Name.contentDigest] : [.contentDigest, .reprDigest]
        for name in names {
            guard let members = response.headerFields.structuredDictionary(of: name) else { continue }
            for algorithm in DigestAlgorithm.allCases {
                guard case .undecodedByteSequence(let text)? = members[algorithm.rawValue]?.bareItem, let data = Data(base64Encoded: text),
                    data.count == algorithm.byteCount
                else { continue }
                self.algorithm = algorithm
                value = Array(data)
                return
            }
        }
        return nil
    }
}

/// Compares content that is being received with the digest that was announced.
struct DigestCheck: Sendable {
    private let expected: [UInt8]
    private var digest: RunningDigest

    init(_ expected: ContentDigest) {
        self.expected = expected.value
        digest = RunningDigest(expected.algorithm)
    }

    mutating func add(_ part: ByteBuffer) { digest.add(part) }

    /// Whether all that has been added is the content that was announced.
    var isMet: Bool { digest.value == expected }
}

extension ContentDigest {
    /// Whether it is the digest of these bytes.
    func isMet(by content: ByteBuffer) -> Bool {
        var check = DigestCheck(self)
        check.add(content)
        return check.isMet
    }
}
