// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file that settings name, and whose content is kept.
enum NamedFile {
    /// The longest file that is read.
    static let maximumByteCount = 1 << 20

    /// Reads a file. Blocks, but not for ever: a path that leads to no file, such as a pipe, is refused before.
    ///
    /// - Parameters:
    ///   - what: A name of the file, for messages: `The error page`.
    ///   - maximumByteCount: The longest that is read; whole mebibytes.
    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if it cannot be read, or is too long.
    static func read(_ path: String, _ what: String, upTo maximumByteCount: Int = maximumByteCount) throws(ProxyError) -> Data {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ProxyError(.invalidConfiguration, "\(what) \(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw ProxyError(.invalidConfiguration, "\(what) \(path) is no file.") }
        guard status.st_size <= maximumByteCount else {
            throw ProxyError(.invalidConfiguration, "\(what) \(path) is longer than \(maximumByteCount >> 20) MiB.")
        }
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ProxyError(.invalidConfiguration, "\(what) \(path) cannot be read.", underlyingError: error)
        }
    }
}
