// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardNIO
internal import Logging
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Other sizes of memory and disk. It takes the token.
extension AdminHandler {
    private struct Size: Codable {
        var memoryBytes: Int?
        var diskBytes: Int?
    }

    func resize(_ request: HTTPServerRequest) async throws(AdminRefusal) -> HTTPServerResponse {
        let size = try Self.size(await content(of: request))
        do throws(ProxyError) {
            try await services.resize(size.memoryBytes, size.diskBytes)
        } catch {
            throw AdminRefusal(error.code == .invalidConfiguration ? .badRequest : .internalServerError, error.message)
        }
        let figures = await services.cache.figures()
        logger.notice(
            "The size of the cache was changed on demand.",
            metadata: ["memory": "\(figures.memory.limit ?? 0)", "disk": "\(figures.disk?.limit.map(String.init) ?? "none")"]
        )
        return .admin(json: Size(memoryBytes: figures.memory.limit, diskBytes: figures.disk?.limit))
    }

    private static func size(_ content: ByteBuffer) throws(AdminRefusal) -> Size {
        let size: Size = try AdminJSON.object(
            content,
            "size",
            ["memoryBytes", "diskBytes"],
            like: #"{"memoryBytes": 1073741824, "diskBytes": 10737418240}"#
        )
        guard size.memoryBytes != nil || size.diskBytes != nil else {
            throw AdminRefusal(.badRequest, "The content names no size; give memoryBytes, diskBytes or both.")
        }
        return size
    }
}
