// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import NIOCore

/// An algorithm of the digest fields that withstands attackers: [RFC 9530 §5](https://www.rfc-editor.org/rfc/rfc9530#section-5).
///
/// The others in the registry are for accidents only, or deprecated, and are left alone.
enum DigestAlgorithm: String, CaseIterable, Sendable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"

    /// The bytes of a digest.
    var byteCount: Int { self == .sha256 ? 32 : 64 }
}

/// A digest that is being made of content, part by part.
struct RunningDigest: Sendable {
    private enum Hasher: Sendable {
        case sha256(SHA256)
        case sha512(SHA512)
    }

    private var hasher: Hasher

    init(_ algorithm: DigestAlgorithm) {
        hasher = algorithm == .sha256 ? .sha256(SHA256()) : .sha512(SHA512())
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        switch hasher {
        case .sha256(var sha256):
            sha256.update(bufferPointer: bytes)
            hasher = .sha256(sha256)
        case .sha512(var sha512):
            sha512.update(bufferPointer: bytes)
            hasher = .sha512(sha512)
        }
    }

    mutating func add(_ bytes: ByteBuffer) { bytes.withUnsafeReadableBytes { add($0) } }

    /// The digest of all that has been added.
    var value: [UInt8] {
        switch hasher {
        case .sha256(let sha256): Array(sha256.finalize())
        case .sha512(let sha512): Array(sha512.finalize())
        }
    }
}
