// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Loads, writes and removals in a random order that the test decides. A request after an
/// invalidation never gets an older value.
@Suite(.timeLimit(.minutes(5))) struct CacheFencingPropertyTests {
    @Test(arguments: 0..<8)
    func olderValuesNeverComeBack(group: UInt64) async throws {
        for seed in (group * 100)..<(group * 100 + 100) {
            let run = Run(seed: seed)
            for step in 0..<40 {
                try await run.step()
                if let problem = run.ground.problem.value {
                    Issue.record("seed \(seed), step \(step): \(problem)")
                    break
                }
            }
            try await run.finish()
            if let problem = run.ground.problem.value { Issue.record("seed \(seed), at the end: \(problem)") }
        }
    }
}

/// Holds loaders until the test lets one of them go.
private final class Stage: Sendable {
    private struct State {
        var arrivals = 0
        var held: [CheckedContinuation<Void, Never>] = []
        var isOpen = false
    }

    private let state = Shared(State())

    var arrivals: Int { state.value.arrivals }

    func hold() async {
        await withCheckedContinuation { continuation in
            let goesOn = state.update { state in
                state.arrivals += 1
                if !state.isOpen { state.held.append(continuation) }
                return state.isOpen
            }
            if goesOn { continuation.resume() }
        }
    }

    /// Lets one loader go. Returns whether there was one.
    func release(using generator: inout SeededGenerator) -> Bool {
        let count = state.value.held.count
        guard count > 0 else { return false }
        let chosen = Int.random(in: 0..<count, using: &generator)
        state.update { $0.held.remove(at: chosen) }.resume()
        return true
    }

    func open() {
        let held = state.update { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}

/// The state that a run's tasks share.
private final class Ground: Sendable {
    /// Keys whose values have a tag. Only loaders and writes that give a tag bring such values.
    static let taggedKeys = 0..<4
    static let plainKeys = 4..<8

    let cache = Cache<Int, Int>(maximumCount: 20)
    let stage = Stage()
    /// The present version of each key's value.
    let source = Shared(Array(repeating: 1, count: 8))
    /// The oldest version that a caller may get if it asks now.
    let allowed = Shared(Array(repeating: 0, count: 8))
    let problem = Shared<String?>(nil)
    let finished = Counter()

    static func tag(of key: Int) -> String { "\(key % 2)" }

    func report(_ text: String) { problem.update { if $0 == nil { $0 = text } } }

    /// Asks for keys as a user does, and checks the answer.
    func serve(keys: [Int], isBulk: Bool, behaviour: Int) async {
        let oldest = allowed.value
        do {
            for (key, value) in try await values(keys: keys, isBulk: isBulk, behaviour: behaviour) where value < oldest[key] {
                report("a caller got version \(value) of key \(key), which \(oldest[key]) had outdated")
            }
        } catch {
            if !(error is CancellationError || error is TestError) { report("\(error)") }
        }
        finished.increment()
    }

    private func values(keys: [Int], isBulk: Bool, behaviour: Int) async throws -> [Int: Int] {
        if isBulk {
            return try await cache.values(forKeys: keys) { [source, stage] missing in
                let versions = source.value
                await stage.hold()
                if behaviour == 0 { throw TestError() }
                // The loader sometimes leaves out a key.
                return Dictionary(uniqueKeysWithValues: missing.dropFirst(behaviour == 1 ? 1 : 0).map { ($0, versions[$0]) })
            }
        }
        let key = keys[0]
        guard Self.taggedKeys.contains(key) || behaviour < 3 else {
            let value = try await cache.value(forKey: key) { [source, stage] key in
                let version = source.value[key]
                await stage.hold()
                return version
            }
            return [key: value]
        }
        let value = try await cache.valueIfExists(forKey: key) { [source, stage] request in
            let version = source.value[request.key]
            await stage.hold()
            if behaviour == 0 { throw TestError() }
            return .value(version, tags: Self.taggedKeys.contains(key) ? [Self.tag(of: key)] : [])
        }
        return value.map { [key: $0] } ?? [:]
    }
}

private final class Run {
    let ground = Ground()
    var callers: [Task<Void, Never>] = []
    var generator: SeededGenerator

    var cache: Cache<Int, Int> { ground.cache }
    var stage: Stage { ground.stage }

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    func step() async throws {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<4: try await start(keys: [.random(in: Ground.taggedKeys, using: &generator)], isBulk: false)
        case 4..<7: try await start(keys: [.random(in: Ground.plainKeys, using: &generator)], isBulk: false)
        case 7..<10: try await start(keys: Ground.plainKeys.filter { _ in Bool.random(using: &generator) }, isBulk: true)
        case 10..<14: try await letOneGo()
        case 14: callers.randomElement(using: &generator)?.cancel()
        default: invalidate()
        }
        check()
    }

    func finish() async throws {
        stage.open()
        for caller in callers { await caller.value }
        try await waitUntil { cache.flights.flightCount == 0 && cache.openFenceCount == 0 }
        check()
        cache.checkInvariants()
    }

    private func check() {
        for key in 0..<8 {
            let oldest = ground.allowed.value[key]
            if let value = cache.peek(key), value < oldest { ground.report("key \(key) has version \(value), which \(oldest) has outdated") }
        }
    }

    // MARK: Loads

    /// Starts a caller, and waits until it has its answer or waits for a load that is held.
    private func start(keys: [Int], isBulk: Bool) async throws {
        // A load that was let go may end while these are read: then it is seen that its callers finish, or that one of them begins another load.
        let (arrivals, finishedBefore) = (stage.arrivals, ground.finished.value)
        let waiters = keys.map { cache.flights.waiterCount(for: $0) }
        let behaviour = Int.random(in: 0..<8, using: &generator)
        let caller = Task { [ground] in await ground.serve(keys: keys, isBulk: isBulk, behaviour: behaviour) }
        callers.append(caller)
        try await waitUntil {
            if ground.finished.value > finishedBefore || stage.arrivals > arrivals { return true }
            let now = keys.map { cache.flights.waiterCount(for: $0) }
            guard zip(now, waiters).contains(where: { $0 > $1 }) else { return false }
            return !zip(now, waiters).contains { $0 > 0 && $1 == 0 }
        }
    }

    /// Lets a load end, and waits until it has published or another one has begun.
    private func letOneGo() async throws {
        let (arrivals, flights) = (stage.arrivals, cache.flights.flightCount)
        guard stage.release(using: &generator) else { return }
        try await waitUntil { cache.flights.flightCount < flights || stage.arrivals > arrivals }
    }

    // MARK: Invalidations

    private func invalidate() {
        let key = Int.random(in: 0..<8, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0..<3: renew([key]) { _ in cache.removeValue(forKey: key) }
        case 3..<5:
            renew([key]) { versions in
                cache.insert(versions[key], forKey: key, tags: Ground.taggedKeys.contains(key) ? [Ground.tag(of: key)] : [])
            }
        case 5..<7:
            let tag = Ground.tag(of: key)
            renew(Ground.taggedKeys.filter { Ground.tag(of: $0) == tag }) { _ in cache.removeValues(taggedWith: tag) }
        default: renew(Array(0..<8)) { _ in cache.removeAll() }
        }
    }

    /// Gives some keys new values and tells the cache. From then on no request may get the older ones.
    private func renew(_ keys: [Int], tell: ([Int]) -> Void) {
        let versions = ground.source.update { versions in
            for key in keys { versions[key] += 1 }
            return versions
        }
        tell(versions)
        ground.allowed.update { allowed in
            for key in keys { allowed[key] = versions[key] }
        }
    }
}
