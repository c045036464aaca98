// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import Testing

/// The README's examples, run. Each line of its Swift blocks stands here too; a test checks that.
@Suite struct ReadmeTests {
    struct User: Codable, Equatable {
        let id: String
    }

    /// A database that counts its queries.
    actor Database {
        private(set) var queryCount = 0

        func user(_ id: String) throws -> User {
            queryCount += 1
            return User(id: id)
        }
    }

    private let cacheDirectory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-readme-\(UUID().uuidString)").path

    @Test func theTenLinesMakeOneQueryForManyCallers() async throws {
        defer { try? FileManager.default.removeItem(atPath: cacheDirectory) }
        let database = Database()

        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))
        let users = TieredCache<String, User>(
            configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
            stores: [disk],
            codec: .json
        )
        // Memory, then disk, then the database; ten thousand callers at once make one query.
        let user = try await users.value(forKey: "42") { id in try await database.user(id) }

        #expect(user == User(id: "42"))
        try await withThrowingTaskGroup(of: User.self) { group in
            for _ in 0..<10_000 {
                group.addTask { try await users.value(forKey: "7") { id in try await database.user(id) } }
            }
            for try await user in group { #expect(user.id == "7") }
        }
        #expect(await database.queryCount == 2)
        await users.close()
    }

    @Test func aCacheIsSynchronous() {
        let cache = Cache<String, Int>(maximumCount: 1_000, expiration: .afterWrite(.seconds(60)))
        cache["answer"] = 42
        _ = cache.value(forKey: "answer")  // counts as a use; peek(_:) and contains(_:) do not

        #expect(cache.statistics.hits == 1)
        #expect(cache.peek("answer") == 42)
        #expect(cache.statistics.hits == 1)
    }

    /// A transport in place of the network.
    struct AsyncHTTPClientTransport: Transport {
        func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> TransportResponse {
            TransportResponse(head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=300"]), body: HTTPBody("page"))
        }
    }

    @Test func aClientSaysWhatItsCacheDid() async throws {
        defer { try? FileManager.default.removeItem(atPath: cacheDirectory) }
        let disk = try DiskStore(configuration: .init(directory: cacheDirectory))

        let client = CachingClient(transport: AsyncHTTPClientTransport(), stores: [disk])
        for expected in ["hoard; fwd=uri-miss; fwd-status=200; ttl=300; stored", "hoard; hit; ttl="] {
            let response = try await client.get("https://example.com/")
            print(response.cacheStatus)  // hoard; hit; ttl=270
            #expect(response.cacheStatus.hasPrefix(expected))
        }
        await client.cache.close()
    }

    @Test func everyLineOfTheReadmesExamplesIsRunHere() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let source = squeezed(try String(contentsOfFile: #filePath, encoding: .utf8))
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        try #require(blocks.count >= 3)
        for line in blocks.flatMap({ $0.split(separator: "\n") }) where !line.hasPrefix("import ") {
            #expect(source.contains(squeezed(String(line))), "not run: \(line)")
        }
    }

    /// The text without runs of spaces, so that only the words count.
    private func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
