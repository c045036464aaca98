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

    /// Names that are not known are refused: a misspelt size would otherwise seem to be changed.
    private struct Names: Decodable {
        let unknown: String?

        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
            unknown = names.sorted().first { $0 != "memoryBytes" && $0 != "diskBytes" }
        }
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
        let size: Size
        do {
            let data = Data(content.readableBytesView)
            if let unknown = try JSONDecoder().decode(Names.self, from: data).unknown {
                throw AdminRefusal(.badRequest, "There is no size “\(unknown)”; there are memoryBytes and diskBytes.")
            }
            size = try JSONDecoder().decode(Size.self, from: data)
        } catch let error as AdminRefusal {
            throw error
        } catch {
            throw AdminRefusal(.badRequest, "The content must be an object such as {\"memoryBytes\": 1073741824, \"diskBytes\": 10737418240}.")
        }
        guard size.memoryBytes != nil || size.diskBytes != nil else {
            throw AdminRefusal(.badRequest, "The content names no size; give memoryBytes, diskBytes or both.")
        }
        return size
    }
}
