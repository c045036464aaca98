// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

@testable import Hoard

extension InterleavingRun {
    /// The steps of a program, and their frequencies.
    enum Step: CaseIterable {
        case insert, insertMany, remove, removeMany, removeTagged, removePartition, removeAll, markStale, markTaggedStale, markAllStale
        case load, loadMany, loadAndLeave, warmUp, read, readMany

        private var weight: Int {
            switch self {
            case .insert, .load, .read: 6
            case .remove, .loadMany, .readMany: 3
            case .removeTagged, .removePartition, .loadAndLeave, .insertMany, .markStale: 2
            case .removeMany, .removeAll, .markTaggedStale, .markAllStale, .warmUp: 1
            }
        }

        private static let weighted = allCases.flatMap { Array(repeating: $0, count: $0.weight) }

        static func random(using generator: inout SeededGenerator) -> Self {
            weighted[Int.random(in: 0..<weighted.count, using: &generator)]
        }
    }

    func perform(_ step: Step, using generator: inout SeededGenerator) async {
        let keys = keys.map { respelt($0, using: &generator) }
        let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
        let policy = callPolicy(using: &generator)
        let tag = "tag \(["\u{E9}", "e\u{301}"].randomElement(using: &generator) ?? "")\(Int.random(in: 0...1, using: &generator))"
        let partition = "partition \(Int.random(in: 0...1, using: &generator))"
        let isTagged: @Sendable (Int) -> Bool = { InterleavingLog.tags(of: $0).contains(tag) }
        switch step {
        case .insert:
            await change([key], policy, "insert") { version in
                let (tags, partition) = (InterleavingLog.tags(of: version), InterleavingLog.partition(of: version))
                await cache.insert(version, forKey: key, policy: policy, tags: tags, partition: partition)
                return .write(version)
            }
        case .insertMany:
            await change(keys, policy, "insert(contentsOf:)") { version in
                let values = Dictionary(uniqueKeysWithValues: keys.map { ($0, version) })
                let (tags, partition) = (InterleavingLog.tags(of: version), InterleavingLog.partition(of: version))
                await cache.insert(contentsOf: values, policy: policy, tags: tags, partition: partition)
                return .write(version)
            }
        case .remove: await remove([key], "removeValue") { await cache.removeValue(forKey: key) }
        case .removeMany: await remove(keys, "removeValues(forKeys:)") { await cache.removeValues(forKeys: keys) }
        case .removeTagged: await remove(keys, "removeValues(taggedWith: \(tag))", where: isTagged) { await cache.removeValues(taggedWith: tag) }
        case .removePartition:
            await remove(keys, "removePartition(\(partition))", where: { InterleavingLog.partition(of: $0) == partition }) {
                await cache.removePartition(partition)
            }
        case .removeAll: await remove(keys, "removeAll") { await cache.removeAll() }
        case .markStale: await remove([key], "markStale", scope: .fresh) { await cache.markStale(forKey: key) }
        case .markTaggedStale:
            await remove(keys, "markStale(taggedWith: \(tag))", scope: .fresh, where: isTagged) { await cache.markStale(taggedWith: tag) }
        case .markAllStale: await remove(keys, "markAllStale", scope: .fresh) { await cache.markAllStale() }
        case .load: await load(key, policy, using: &generator)
        case .loadMany: await loadMany(keys, policy, using: &generator)
        case .loadAndLeave: await loadAndLeave(key, policy, using: &generator)
        case .warmUp: await warmUp(keys, policy, using: &generator)
        case .read:
            let begun = log.now()
            if let found = await cache.lookup(forKey: key, policy: policy) { log.found(found, key, from: begun, "lookup") }
        case .readMany:
            let begun = log.now()
            log.found(await cache.lookups(forKeys: keys, policy: policy), keys, from: begun, "lookups")
        }
    }

    /// Changes the source, and then the cache.
    private func change(
        _ keys: [String],
        _ policy: CachePolicy?,
        _ name: String,
        _ body: (_ version: Int) async -> RegisterHistory.Action
    ) async {
        let (version, begun) = log.moveSourceOn(keys)
        let action = await body(version)
        guard (policy ?? cache.policy).storeWriting == .behind else { return log.add(action, keys, from: begun, name) }
        // A write behind is done when the stores have the value.
        leave { run in
            await run.cache.flush()
            run.log.add(action, keys, from: begun, "\(name), behind")
        }
    }

    private func remove(
        _ keys: [String],
        _ name: String,
        scope: InterleavingLog.Scope = .both,
        where concerns: @escaping @Sendable (Int) -> Bool = { _ in true },
        _ body: () async -> Void
    ) async {
        let (_, begun) = log.moveSourceOn(keys)
        await body()
        log.add(.remove(where: concerns), keys, from: begun, scope: scope, name)
    }
}
