// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import HoardTesting
import HoardViews
import Logging

/// A cache of screens on a disk, written as the tutorial has it, and the one that Hoard has ready.
///
/// The differences from the tutorial, and their reasons:
///
/// - The disk manager keeps a reference as it is, with its max age and its time of creation, in a `DiskStore` instead of Core Data. Reading it changes
///   neither, and saves nothing.
/// - Everything that reaches the disk is `async`, and nothing fails: a broken disk is told to the logger, and the screen is fetched.
/// - Dependencies are parameters. There is no global `dependencies` that outlives a user.
@main
struct Program {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-seeds-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let time = ManualTicker()
        // An app passes its own.
        let logger = Logger(label: "seeds") { _ in SwiftLogNoOpLogHandler() }

        try await customCache(folder.path + "/custom", time, logger)
        try await readyMade(folder.path + "/ready", time, logger)
    }

    // MARK: The tutorial's own cache

    static func customCache(_ directory: String, _ time: ManualTicker, _ logger: Logger) async throws {
        let start = time.now()
        func age(_ reference: CacheReference?) -> String {
            reference.map { "made at second \(Int($0.timeOfCreation.timeIntervalSince(start)))" } ?? "not there"
        }

        print("A custom cache")
        let store = try DiskStore(configuration: .init(directory: directory, clock: time))
        let cache = CustomCache(store: store, config: .init(diskMaximumCapacity: 3, cacheMaxAge: 300), clock: time, logger: logger)
        await cache.addToCache(reference("home", maxAge: 60, at: time))
        time.advance(by: .seconds(30))
        await cache.addToCache(reference("menu", at: time))
        let home = await cache.getReference(identifiedBy: "home")
        print("  home after half a minute: \(age(home)), valid: \(home.map(cache.isValid) ?? false)")
        await store.close()

        print("\nThe next start of the app, half a minute later")
        time.advance(by: .seconds(30))
        let reopened = try DiskStore(configuration: .init(directory: directory, clock: time))
        let next = CustomCache(store: reopened, config: .init(diskMaximumCapacity: 3, cacheMaxAge: 300), clock: time, logger: logger)
        for name in ["home", "menu"] {
            guard let reference = await next.getReference(identifiedBy: name) else { continue }
            let maxAge = reference.maxAge.map { "\($0)" } ?? "that of the cache"
            print("  \(name): \(reference.hash), \(age(reference)), max age: \(maxAge), valid: \(next.isValid(reference: reference))")
        }

        print("\nA capacity of three")
        for name in ["cart", "offers"] {
            time.advance(by: .seconds(1))
            await next.addToCache(reference(name, at: time))
        }
        print("  references: \(await next.diskManager.numberOfReferences())")
        for name in ["home", "menu", "cart", "offers"] { print("  \(name): \(age(await next.getReference(identifiedBy: name)))") }
        await next.clear()
        print("  after clearing: \(await next.diskManager.numberOfReferences())")
        await reopened.close()
    }

    // MARK: Hoard's

    static func readyMade(_ directory: String, _ time: ManualTicker, _ logger: Logger) async throws {
        print("\nThe cache that comes with Hoard")
        let store = try DiskStore(
            configuration: .init(
                directory: directory,
                maximumBytes: 64 << 20,
                clock: time
            )
        )
        let cache = CacheManager(
            configuration: .init(
                diskMaximumCapacity: 150,
                cacheMaxAge: 300
            ),
            store: store,
            clock: time,
            logger: logger
        )
        await cache.addToCache(reference("home", at: time))
        let orders = reference("orders", at: time, partition: "anna")
        await cache.addToCache(orders)
        await cache.addToCache(reference("card", at: time, partition: "anna", isSensitive: true))
        let disk = DefaultCacheDiskManager(store: store, clock: time)
        func report(_ when: String) async {
            let kept = await ["home", "orders", "card"].asyncFilter { await isKept($0, in: cache) }
            let onDisk = await ["home", "orders", "card"].asyncFilter { await disk.getReference(for: $0) != nil }
            print("  \(when): \(kept.joined(separator: ", ")); on the disk: \(onDisk.joined(separator: ", "))")
        }
        await report("kept")
        await cache.removePartition("anna")
        await report("after Anna's logout")

        print("\nRegistration")
        let dependencies = ViewClient.Dependencies(
            urlBuilder: URLBuilder(baseURL: URL(string: "https://example.com")),
            client: nil,
            cache: cache,
            logger: logger
        )
        let client = ViewClient(dependencies: dependencies)
        print("  the client's cache: \(client.dependencies.cache.map { "\(type(of: $0))" } ?? "none")")
        await store.close()
    }

    /// Whether a screen is there and fresh.
    static func isKept(
        _ name: String,
        in cache: CacheManager
    ) async -> Bool {
        let screen = await cache.getReference(identifiedBy: name)
        return screen.map(cache.isValid) ?? false
    }

    static func reference(
        _ name: String,
        maxAge: Int? = nil,
        at time: ManualTicker,
        partition: String? = nil,
        isSensitive: Bool = false
    ) -> CacheReference {
        CacheReference(
            identifier: name,
            data: Data(#"{"_beagleComponent_": "beagle:text", "text": "\(name)"}"#.utf8),
            hash: "hash of \(name)",
            maxAge: maxAge,
            timeOfCreation: time.now(),
            partition: partition,
            isSensitive: isSensitive
        )
    }
}

extension Array {
    func asyncFilter(_ isIncluded: (Element) async -> Bool) async -> [Element] {
        var result: [Element] = []
        for element in self where await isIncluded(element) { result.append(element) }
        return result
    }
}
