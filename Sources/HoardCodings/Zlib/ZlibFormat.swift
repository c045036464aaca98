// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A frame around the data of deflate (RFC 1951).
enum ZlibFormat: Sendable {
    /// RFC 1952.
    case gzip
    /// RFC 1950; a decoder also takes data without a frame.
    case deflate

    /// The largest window, 32 KiB, as zlib's functions want to be told of it.
    static var maximumWindowBits: Int32 { 15 }

    /// The window and the frame, as zlib's functions want to be told of them.
    var windowBits: Int32 {
        switch self {
        case .gzip: Self.maximumWindowBits + 16
        case .deflate: Self.maximumWindowBits
        }
    }

    var name: String {
        switch self {
        case .gzip: "gzip"
        case .deflate: "deflate"
        }
    }
}
