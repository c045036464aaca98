// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The observer of one key for one reader: it keeps the state that it has shown, the load that it waits for, and the next end of a lifetime.
///
/// After each change it looks at the cache and compares, instead of applying the change. So it shows the newest value, however much has happened
/// meanwhile. It never shows an older value after a newer one, because the cache never returns one to a caller that reads twice.
///
/// Used by one task at a time.
final class KeyObserver<Key: Hashable & Sendable, Value: Sendable> {
    typealias Cache = TieredCache<Key, Value>

    private let cache: Cache
    private let request: Cache.Inquiry
    private let signal: UpdateSignal
    private let number: Int
    /// The number by which the cache knows the observer; `nil` if the cache is closed.
    private let id: UInt64?

    private var shown: CacheUpdate<Value>?
    /// The entry that was shown, if it was in memory.
    private var shownEntry: TieredEntry<Value>?
    /// The entry that memory had before a store's value was shown.
    private weak var earlierEntry: TieredEntry<Value>?
    private var load: RunningLoad?
    /// The changes since a look last found something.
    private var unseen = KeyChanges()
    /// The outcome of the last load. No other begins until something changes.
    private var settled: CacheUpdate<Value>?
    /// The tick at which the next load may begin even if nothing changes; `nil`: never.
    private var retryTick: Int64?
    private var lastLoadTick = Int64.min
    private var hasLookedAgain = false
    private var deadline: (tick: Int64, token: DeadlineQueue.Token)?

    /// The least time, in nanoseconds, between two loads of a value that no tier keeps, after changes by others. Without it, two processes that tell
    /// each other of an absent value would never come to rest.
    private static var foreignSpacing: Int64 { 1_000_000_000 }

    /// A load that the reader waits for.
    private struct RunningLoad {
        let task: Task<Void, Never>
        let end: LoadEnd<Value>
        /// The changes since it began.
        var changes = KeyChanges()
    }

    /// - Parameter number: The key's number in the signal.
    init(_ cache: Cache, _ request: Cache.Inquiry, _ signal: UpdateSignal, number: Int) {
        self.cache = cache
        self.request = request
        self.signal = signal
        self.number = number
        id = cache.fences.withLock { _ in cache.observers.add(signal, number: number, forKey: request.key) }
        if id == nil { signal.end() }
    }

    deinit {
        if let id { cache.observers.remove(id, forKey: request.key) }
        if let deadline { cache.deadlines.cancel(deadline.token) }
        load?.task.cancel()
    }

    /// Looks at the cache, and returns the new state.
    ///
    /// - Parameter changes: The changes since the last look.
    /// - Returns: The new state; `nil` if it is the one that was shown.
    nonisolated(nonsending) func look(after changes: KeyChanges) async -> CacheUpdate<Value>? {
        load?.changes.add(changes)
        unsettle(after: changes)
        // From here on the observer is told of every invalidation.
        setLabels(nil)
        unseen.add(changes)
        guard let found = await find() else { return waitingUpdate() }
        let changes = unseen
        unseen = KeyChanges()
        let update = update(of: found, after: changes)
        expect(endOf: update, found)
        if load == nil { setLabels(labels(of: update, found)) }
        guard isNew(update, found, changes) else { return nil }
        if update.lookup?.tier != .memory { earlierEntry = found.entry ?? shownEntry ?? earlierEntry }
        (shown, shownEntry) = (update, found.entry)
        return update
    }

    // MARK: Looking

    /// An answer of the tiers.
    private struct Finding {
        let answer: Answer<Value>
        /// The entry in memory.
        let entry: TieredEntry<Value>?
    }

    /// Asks the tiers.
    ///
    /// - Returns: `nil` if the task was cancelled, or if the key is being changed. The end of the change calls for another look.
    private nonisolated(nonsending) func find() async -> Finding? {
        let entry = cache.observedEntry(request.key, request.policy, isUse: shown == nil)
        if mayBeRefused(entry) { return nil }
        if let entry {
            let isFresh = entry.isFresh(at: cache.ticker.nanoseconds())
            // No tier has a newer value than a provisional one; only the source has.
            if isFresh || entry.isProvisional {
                let reason: StaleReason? = isFresh ? nil : StaleReason(.noLoader)
                let answer: Answer<Value> = entry.cached.map { .value(cache.lookup($0, .memory, staleReason: reason)) } ?? .absent(isKnown: true)
                if shown == nil { cache.count(answer, request.key) }
                return Finding(answer: answer, entry: entry)
            }
        }
        if cache.isBeingChanged(request.key) { return nil }
        guard let answer = try? await cache.answer(reading, found: entry), !Task.isCancelled else { return nil }
        let isFresh = answer.lookup?.isFresh ?? false
        // If a change began meanwhile, the stores were not read. Its end calls for another look.
        if !isFresh, cache.isBeingChanged(request.key) || shown != nil && signal.hasChanges(of: number) { return nil }
        // This process may have written the key meanwhile, and memory returns that value from now on, although the store's value is newer. Then the
        // observer looks at memory first, and shows the store's value when the other process's change is reported. It does so once, so that a key
        // that is written without a pause is shown, too.
        if isFresh, shown != nil, answer.lookup?.tier != .memory, signal.hasChanges(of: number), !hasLookedAgain {
            hasLookedAgain = true
            return nil
        }
        hasLookedAgain = false
        // A request that goes on to a load is counted by the load.
        if shown == nil, isFresh || request.load == nil { cache.count(answer, request.key) }
        return Finding(answer: answer, entry: entry)
    }

    /// The request without its load. Only the first look promotes values to memory: otherwise one look would call for another.
    private var reading: Cache.Inquiry {
        var reading = request
        reading.load = nil
        if shown != nil { reading.policy.skipping.insert(.memoryWrites) }
        return reading
    }

    /// Whether memory has a loaded value that a shared store may still refuse, because another process has written a newer one. The end of the
    /// change calls for another look.
    private func mayBeRefused(_ entry: TieredEntry<Value>?) -> Bool {
        guard let entry, entry !== shownEntry, !entry.isProvisional, shown?.lookup != nil, unseen.writes == 0 else { return false }
        return cache.tiers.contains { $0.sharedStore != nil } && cache.isBeingChanged(request.key)
    }

    /// The first state to show while the key is being changed.
    private func waitingUpdate() -> CacheUpdate<Value>? {
        guard shown == nil, !Task.isCancelled else { return nil }
        let update = CacheUpdate<Value>(isLoading: request.load != nil)
        shown = update
        return update
    }

    private func update(of found: Finding, after changes: KeyChanges) -> CacheUpdate<Value> {
        let lookup = evicted(found, changes) ?? newest(found.answer.lookup, found.entry)
        let isProvisional = found.entry?.isProvisional ?? false
        if lookup?.isFresh ?? false || isProvisional && lookup != nil {
            leaveLoad()
            settled = nil
            return CacheUpdate(lookup: lookup)
        }
        if case .absent(isKnown: true) = found.answer, !request.needsValue {
            leaveLoad()
            return CacheUpdate()
        }
        guard request.load != nil else { return CacheUpdate(lookup: lookup) }
        if let outcome = load?.end.outcome {
            settled = trusted(outcome, standIn: lookup)
            load = nil
        }
        if let settled {
            guard let lookup, lookup.created > settled.lookup?.created ?? .distantPast else { return settled }
            // From here on no older value is shown.
            let newer = CacheUpdate(lookup: lookup, error: settled.error)
            self.settled = newer
            return newer
        }
        if load == nil { startLoad() }
        return CacheUpdate(lookup: lookup, isLoading: true)
    }

    /// The value that was shown, if it is still fresh and every tier has evicted it.
    private func evicted(_ found: Finding, _ changes: KeyChanges) -> Lookup<Value>? {
        guard case .absent(isKnown: false) = found.answer, let last = shown?.lookup, last.isFresh, shownEntry?.isProvisional != true,
            !changes.mayHaveRemoved(last.terms.labels), last.freshUntil.map({ cache.clock.now() < $0 }) ?? true
        else { return nil }
        return last
    }

    /// Returns the newer of the value found and the one shown before. If others change a key while it is loaded here, no tier keeps the loaded value,
    /// and a store may have an older, stale one.
    private func newest(_ lookup: Lookup<Value>?, _ entry: TieredEntry<Value>?) -> Lookup<Value>? {
        guard let lookup, let reason = lookup.staleReason, var last = shown?.lookup, isOlder(lookup, than: last, entry),
            shownEntry?.isProvisional != true,
            last.terms.staleUntil.map({ cache.clock.now() < $0 }) ?? true
        else { return lookup }
        last.staleReason = reason
        return last
    }

    /// Whether a value is older than the last one shown. With equal dates, an entry that memory had before a store's value was shown is the older
    /// one.
    private func isOlder(_ lookup: Lookup<Value>, than last: Lookup<Value>, _ entry: TieredEntry<Value>?) -> Bool {
        if lookup.created != last.created { return lookup.created < last.created }
        guard let entry, entry === earlierEntry else { return false }
        return lookup.tier == .memory && last.tier != .memory
    }

    private func isNew(_ update: CacheUpdate<Value>, _ found: Finding, _ changes: KeyChanges) -> Bool {
        guard let shown else { return true }
        if update.isLoading != shown.isLoading || (update.error == nil) != (shown.error == nil) { return true }
        if changes.hasLoadEnded, update.error != nil { return true }
        guard let new = update.lookup, let old = shown.lookup else { return update.lookup != nil || shown.lookup != nil }
        if let entry = found.entry, entry === shownEntry { return new.isFresh != old.isFresh }
        if shownEntry?.isProvisional ?? false { return true }
        // Two values may have equal dates if the clock did not advance between them.
        return changes.mayHideNews || new.created != old.created || new.freshUntil != old.freshUntil || new.isFresh != old.isFresh
    }

    /// The tags and the partition by which the shown value can be invalidated; `nil` if they are not known.
    private func labels(of update: CacheUpdate<Value>, _ found: Finding) -> Set<String>? {
        if let lookup = update.lookup { return lookup.terms.labels }
        guard case .absent(isKnown: true) = found.answer else { return [] }
        return found.entry?.terms.labels
    }

    private func setLabels(_ labels: Set<String>?) {
        if let id { cache.observers.setLabels(labels, of: id, forKey: request.key) }
    }

    // MARK: Loading

    private func startLoad() {
        let end = LoadEnd<Value>()
        retryTick = nil
        lastLoadTick = cache.ticker.nanoseconds()
        let task = startTask { [cache, request, signal, number] in
            let result: Result<Lookup<Value>?, any Error>
            do { result = .success(try await cache.observedLookup(request)) } catch { result = .failure(error) }
            end.outcome = result
            signal.note(number) { $0.hasLoadEnded = true }
        }
        load = RunningLoad(task: task, end: end)
    }

    /// Stops waiting for the load, as there is a better value. Cancels it, unless it may have brought that value and still be writing it to the
    /// stores.
    private func leaveLoad() {
        if let load, load.changes.loads == 0 { load.task.cancel() }
        load = nil
    }

    /// The state after a load; `nil` if the load must be repeated. That is so if it cannot have seen a change, or its value has expired before this
    /// look.
    private func trusted(_ outcome: Result<Lookup<Value>?, any Error>, standIn: Lookup<Value>?) -> CacheUpdate<Value>? {
        guard let changes = load?.changes, changes.writes == 0 else { return nil }
        switch outcome {
        case .failure(let error): return changes.isInvalidated ? nil : CacheUpdate(lookup: standIn, error: error)
        case .success(let lookup?):
            if changes.invalidates(lookup.terms.labels) { return nil }
            if lookup.isFresh, let end = lookup.freshUntil, end > lookup.created, end <= cache.clock.now() { return nil }
            // Another caller's load has failed a moment ago.
            if lookup.staleReason?.kind == .retryPending {
                guard let tick = cache.retryTick(of: request.key) else { return nil }
                retryTick = tick
            }
            return CacheUpdate(lookup: lookup, error: lookup.staleReason?.error)
        case .success(nil): return changes.invalidates([]) ? nil : CacheUpdate()
        }
    }

    /// Lets the next load begin if a change may make its outcome another one.
    private func unsettle(after changes: KeyChanges) {
        guard let settled else { return }
        let labels = settled.lookup?.terms.labels ?? []
        let isChanged = changes.writes > 0 || changes.isInvalidated || changes.isDue || !changes.invalidatedLabels.isDisjoint(with: labels)
        // A load of a value that no tier keeps must not cause the next one.
        if isChanged || changes.loads > 0 && settled.error != nil {
            self.settled = nil
        } else if changes.isInvalidatedByOthers {
            let next = lastLoadTick.addingSaturated(Self.foreignSpacing)
            if cache.ticker.nanoseconds() >= next { self.settled = nil } else { retryTick = min(retryTick ?? .max, next) }
        }
    }

    // MARK: Time

    /// Schedules the next look: at the end of the shown lifetime, or when a load may be tried again. An observer has at most one call scheduled, and
    /// none for a value that is fresh for ever.
    private func expect(endOf update: CacheUpdate<Value>, _ found: Finding) {
        var tick = update.isLoading ? nil : nextEnd(of: update, found)
        if settled != nil, let retryTick { tick = min(tick ?? .max, retryTick) }
        if tick == deadline?.tick { return }
        if let deadline { cache.deadlines.cancel(deadline.token) }
        deadline = tick.map { tick in
            (tick, cache.deadlines.schedule(at: tick) { [signal, number] in signal.note(number) { $0.isDue = true } })
        }
    }

    private func nextEnd(of update: CacheUpdate<Value>, _ found: Finding) -> Int64? {
        let now = cache.ticker.nanoseconds()
        func tick(_ date: Date) -> Int64 { now.addingSaturated(cache.clock.now().duration(to: date).saturatingNanoseconds) }
        guard let lookup = update.lookup else {
            // A negative entry. If only a store has it, its end is not known.
            guard case .absent(isKnown: true) = found.answer else { return nil }
            let end = found.entry?.fresh ?? now.addingSaturated(max(1_000_000, request.policy.negativeFor.saturatingNanoseconds))
            return end < .max ? end : nil
        }
        if settled == nil, lookup.isFresh {
            // If the lifetime has ended since the entry was found, the next look comes at once.
            if lookup.tier == .memory, let entry = found.entry { return entry.fresh == .max ? nil : entry.fresh }
            return lookup.freshUntil.map(tick)
        }
        if lookup.isFresh {
            // If a load has brought a value that is stale from the beginning, another load makes no sense.
            guard let end = lookup.freshUntil, end > lookup.created else { return nil }
            return max(tick(end), now)
        }
        // Memory measures with a clock that may be behind this one.
        return lookup.terms.staleUntil.map { max(tick($0), now.addingSaturated(10_000_000)) }
    }
}

/// The outcome of a load, once it has ended.
private final class LoadEnd<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Lookup<Value>?, any Error>?>(nil)

    var outcome: Result<Lookup<Value>?, any Error>? {
        get { result.withLock { $0 } }
        set { result.withLock { $0 = newValue } }
    }
}
