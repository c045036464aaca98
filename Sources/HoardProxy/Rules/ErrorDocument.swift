// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardMessages
internal import NIOCore

/// The content of responses that say that no server could be asked, from a file.
struct ErrorDocument: Sendable {
    let body: HTTPBody
    let mediaType: String

    /// Reads the file. Blocks.
    ///
    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if it cannot be read, or is too long.
    init(path: String) throws(ProxyError) {
        body = HTTPBody(ByteBuffer(bytes: try NamedFile.read(path, "The error page")))
        mediaType =
            switch path.split(separator: ".").last?.lowercased() {
            case "html", "htm": "text/html; charset=utf-8"
            case "json": "application/json"
            default: "text/plain; charset=utf-8"
            }
    }
}
