// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A content coding of HTTP: a reversible compression of the content of a message (RFC 9110, section 8.4.1).
package struct ContentCoding: Hashable, Sendable, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        case gzip, deflate, brotli, zstandard
    }

    let kind: Kind

    /// The format of gzip (RFC 1952), also called `x-gzip`.
    package static var gzip: Self { Self(kind: .gzip) }
    /// The format of zlib (RFC 1950). Some senders leave its frame away (RFC 1951), which decoders
    /// tolerate, as browsers do.
    package static var deflate: Self { Self(kind: .deflate) }
    /// Brotli (RFC 7932).
    package static var brotli: Self { Self(kind: .brotli) }
    /// Zstandard (RFC 8878) with windows of at most 8 MiB (RFC 9659).
    package static var zstandard: Self { Self(kind: .zstandard) }

    /// Every coding that this type has a name for.
    package static var all: [Self] { [.zstandard, .brotli, .gzip, .deflate] }

    /// The codings that this build can decode and encode, those that compress best first.
    ///
    /// gzip and deflate are always among them. Brotli and Zstandard need Linux, and the traits of these names.
    package static var available: [Self] {
        all.filter { coding in
            switch coding.kind {
            case .gzip, .deflate: true
            case .brotli: hasBrotli
            case .zstandard: hasZstandard
            }
        }
    }

    /// The coding's token in the registry of IANA, such as `br`.
    package var name: String {
        switch kind {
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .brotli: "br"
        case .zstandard: "zstd"
        }
    }

    package var description: String { name }
}
