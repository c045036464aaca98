// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardNIO
import HoardTesting
import HoardTransports
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@testable import HoardProxy

/// A proxy and its store as services of a group.
@Suite(.timeLimit(.minutes(5))) struct CachingProxyServiceTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Writes nothing before its gate is open. The proxy does not close the store below.
    private struct HeldStore: ForwardingRecordStore {
        let underlyingStore: any RecordStore
        let gate = Gate()

        init(_ store: any RecordStore) { underlyingStore = store }

        func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
            await gate.pass()
            try await underlyingStore.insert(record, forKey: key)
        }

        func insert(_ records: [RecordKey: Record]) async throws(StoreError) {
            await gate.pass()
            try await underlyingStore.insert(records)
        }

        func close() async {}
    }

    private func get(_ path: String, of proxy: CachingProxy, through transport: NIOTransport) async throws -> ByteBuffer {
        let authority = try #require(proxy.urls.first).dropFirst("http://".count)
        let request = HTTPRequest(method: .get, scheme: "http", authority: String(authority), path: path)
        return try await transport.send(request).body.collect(upTo: 100)
    }

    @Test func groupEndsTheProxyFirstAndLosesNothing() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-service-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let origin = try await HTTPServer.start { _ in
            HTTPServerResponse(head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=600"]), body: HTTPBody("hello"))
        }
        let store = try DiskStore(configuration: .init(directory: directory))
        var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:\(origin.port)"))
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        let held = HeldStore(store)
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [held], logger: Self.logger)
        let group = ServiceGroup(services: [store, proxy], logger: Self.logger)
        async let running: Void = group.run()
        let transport = NIOTransport()
        #expect(try await get("/a", of: proxy, through: transport) == ByteBuffer(string: "hello"))
        await transport.shutdown()
        // The response has not reached the store when the group ends.
        await held.gate.arrivals(1)
        await group.triggerGracefulShutdown()
        held.gate.open()
        try await running
        await #expect(throws: StoreError.self) { _ = try await store.statistics() }
        await origin.shutdown(gracePeriod: .zero)

        let reopened = try DiskStore(configuration: .init(directory: directory))
        #expect(try await reopened.statistics().count > 0)
        await reopened.close()
    }

    @Test func cancelledGroupEndsBothToo() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-service-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try DiskStore(configuration: .init(directory: directory))
        var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:1"))
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: Self.logger)
        let group = ServiceGroup(services: [store, proxy], logger: Self.logger)
        let running = Task { try await group.run() }
        running.cancel()
        _ = await running.result
        await #expect(throws: StoreError.self) { _ = try await store.statistics() }
        let transport = NIOTransport()
        await #expect(throws: TransportError.self) { _ = try await get("/a", of: proxy, through: transport) }
        await transport.shutdown()
    }
}
