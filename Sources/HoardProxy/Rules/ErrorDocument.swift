// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardMessages

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The content of responses that say that no server could be asked, from a file.
struct ErrorDocument: Sendable {
    let body: HTTPBody
    let mediaType: String

    static let maximumByteCount = 1 << 20

    /// Reads the file. Blocks.
    ///
    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if it cannot be read, or is too long.
    init(path: String) throws(ProxyError) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ProxyError(.invalidConfiguration, "The error page \(path) cannot be read.", underlyingError: error)
        }
        guard data.count <= Self.maximumByteCount else {
            throw ProxyError(.invalidConfiguration, "The error page \(path) is longer than \(Self.maximumByteCount >> 20) MiB.")
        }
        body = HTTPBody(String(decoding: data, as: UTF8.self))
        mediaType =
            switch path.split(separator: ".").last?.lowercased() {
            case "html", "htm": "text/html; charset=utf-8"
            case "json": "application/json"
            default: "text/plain; charset=utf-8"
            }
    }
}
