// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The content codings that a client accepts, as it says in the field Accept-Encoding (RFC 9110,
/// section 12.5.3).
package struct AcceptEncoding: Hashable, Sendable {
    /// How much a client wants something, in thousandths: 0, which means not at all, to 1000.
    package typealias Quality = Int

    /// The answer to a client.
    package enum Choice: Hashable, Sendable {
        case coding(ContentCoding)
        /// The content as it is.
        case identity
        /// The client accepts none of the offers, nor the content as it is: 415 or 406 says so, or
        /// the content as it is all the same.
        case noneAcceptable
    }

    /// The quality of content as it is when the field does not name it: acceptable, but less than
    /// anything that is named.
    package static let unnamedIdentityQuality: Quality = 1

    /// Whether there is a field at all.
    package let isPresent: Bool
    var gzip: Quality?
    var deflate: Quality?
    var brotli: Quality?
    var zstandard: Quality?
    var identity: Quality?
    /// The quality of all that the field does not name, from the member `*`.
    var others: Quality?

    /// Reads a field. Members that are malformed, or name an unknown coding, are ignored; of two
    /// with the same name, that of the higher quality counts.
    ///
    /// Allocates nothing if the string is native, as those of Swift's own are.
    ///
    /// - Parameter field: The value, several lines of it joined with commas; `nil` if the request
    ///   has no such field.
    package init(_ field: String?) {
        isPresent = field != nil
        guard var field else { return }
        field.withUTF8 { UnsafeRawBufferPointer($0).forEachListMember { readMember($0) } }
    }

    /// The same of the bytes of the only line.
    package init(bytes field: UnsafeRawBufferPointer?) {
        isPresent = field != nil
        field?.forEachListMember { readMember($0) }
    }

    /// Whether a field names a coding that this type does not know, and wants it.
    package static func accepts(_ name: StaticString, in field: String?) -> Bool {
        guard var field else { return false }
        return field.withUTF8 { bytes in
            var accepts = false
            UnsafeRawBufferPointer(bytes).forEachListMember { member in
                guard let (token, quality) = Self.parts(of: member), token.isToken(name) else { return }
                accepts = accepts || quality > 0
            }
            return accepts
        }
    }

    /// Returns how much the client wants a coding, in thousandths.
    ///
    /// Without a field, each coding is acceptable; with an empty one, none.
    package func quality(of coding: ContentCoding) -> Quality {
        guard isPresent else { return 1000 }
        return self[coding] ?? others ?? 0
    }

    /// How much the client wants content as it is, in thousandths. 0 only if `identity;q=0` says
    /// so, or `*;q=0` and nothing else about it.
    package var identityQuality: Quality {
        guard isPresent else { return 1000 }
        return identity ?? (others == 0 ? 0 : Self.unnamedIdentityQuality)
    }

    /// Returns the coding that the client wants most.
    ///
    /// Without a field, that is none: such a client most likely knows of no coding.
    ///
    /// - Parameter offers: The codings to choose from, those that the server likes best first; of
    ///   equal qualities the first counts, and each before the content as it is.
    package func preferred(among offers: [ContentCoding]) -> Choice {
        guard isPresent else { return .identity }
        var best: (coding: ContentCoding, quality: Quality)?
        for offer in offers {
            let quality = quality(of: offer)
            if quality > 0, quality > best?.quality ?? 0 { best = (offer, quality) }
        }
        if let best, best.quality >= identityQuality { return .coding(best.coding) }
        return identityQuality > 0 ? .identity : .noneAcceptable
    }

    subscript(coding: ContentCoding) -> Quality? {
        get {
            switch coding.kind {
            case .gzip: gzip
            case .deflate: deflate
            case .brotli: brotli
            case .zstandard: zstandard
            }
        }
        set {
            switch coding.kind {
            case .gzip: gzip = newValue
            case .deflate: deflate = newValue
            case .brotli: brotli = newValue
            case .zstandard: zstandard = newValue
            }
        }
    }
}
