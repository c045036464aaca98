// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One reader's knowledge of one key: the state that it has shown, the load that it waits for, and the end of the lifetime that comes next.
///
/// It follows levels and not edges: whenever something has happened it looks at the cache and compares. So it shows the newest however much has happened
/// meanwhile, and never an older value after a newer one, as the cache gives none to one who reads twice.
///
/// Used by one task at a time.
final class KeyObserver<Key: Hashable & Sendable, Value: Sendable> {
    typealias Cache = TieredCache<Key, Value>

    private let cache: Cache
    private let request: Cache.Inquiry
    private let signal: UpdateSignal
    private let number: Int
    /// `nil`: the cache is closed.
    private let id: UInt64?

    private var shown: CacheUpdate<Value>?
    /// The entry that was shown, if it was in memory.
    private var shownEntry: TieredEntry<Value>?
    /// The entry of memory before a value was shown that came from a store.
    private weak var earlierEntry: TieredEntry<Value>?
    private var load: RunningLoad?
    /// The changes since something was found.
    private var unseen = KeyChanges()
    /// The outcome of the last load. No other begins until something changes.
    private var settled: CacheUpdate<Value>?
    /// When the next load may begin although nothing changes. `nil`: never.
    private var retryTick: Int64?
    private var lastLoadTick = Int64.min
    private var hasLookedAgain = false
    private var deadline: (tick: Int64, token: DeadlineQueue.Token)?

    /// The least time between two loads of a value that nobody keeps, after changes by others, in nanoseconds: two processes that tell each other of an absent value would
    /// never come to rest.
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

    /// Looks at the cache.
    ///
    /// - Parameter changes: What has happened since it looked last.
    /// - Returns: What is new; `nil`: nothing is.
    nonisolated(nonsending) func look(after changes: KeyChanges) async -> CacheUpdate<Value>? {
        load?.changes.add(changes)
        unsettle(after: changes)
        // From here on every invalidation concerns it.
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

    /// - Returns: `nil`: the key is being changed, and there will be something to see when that has ended; or the task was cancelled.
    private nonisolated(nonsending) func find() async -> Finding? {
        let entry = cache.observedEntry(request.key, request.policy, isUse: shown == nil)
        if mayBeRefused(entry) { return nil }
        if let entry {
            let isFresh = entry.isFresh(at: cache.ticker.nanoseconds())
            // Only its source knows better than a provisional value.
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
        // A store that was left alone because of a change that began meanwhile has not said what it has. There is another look when that has ended.
        if !isFresh, cache.isBeingChanged(request.key) || shown != nil && signal.hasChanges(of: number) { return nil }
        // A store may have had something newer than what was written here meanwhile, which memory gives from now on. Then that is looked at first, and the
        // store's value comes with the news of the other process. Once, so that a key that is written without a pause is seen, too.
        if isFresh, shown != nil, answer.lookup?.tier != .memory, signal.hasChanges(of: number), !hasLookedAgain {
            hasLookedAgain = true
            return nil
        }
        hasLookedAgain = false
        // A request that goes on to a load is counted there.
        if shown == nil, isFresh || request.load == nil { cache.count(answer, request.key) }
        return Finding(answer: answer, entry: entry)
    }

    /// The request without its load. Memory keeps a copy for the first look alone: one look must not call for another.
    private var reading: Cache.Inquiry {
        var reading = request
        reading.load = nil
        if shown != nil { reading.policy.skipping.insert(.memoryWrites) }
        return reading
    }

    /// Whether what memory has was loaded, and a store that others change too may still refuse it, because they have written something newer. There is another look when
    /// that is decided.
    private func mayBeRefused(_ entry: TieredEntry<Value>?) -> Bool {
        guard let entry, entry !== shownEntry, !entry.isProvisional, shown?.lookup != nil, unseen.writes == 0 else { return false }
        return cache.tiers.contains { $0.sharedStore != nil } && cache.isBeingChanged(request.key)
    }

    /// The first thing to show while the key is being changed.
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
            // From here on nothing older stands in.
            let newer = CacheUpdate(lookup: lookup, error: settled.error)
            self.settled = newer
            return newer
        }
        if load == nil { startLoad() }
        return CacheUpdate(lookup: lookup, isLoading: true)
    }

    /// The value that was shown, fresh still, if it is in no tier any more because of nothing but an eviction.
    private func evicted(_ found: Finding, _ changes: KeyChanges) -> Lookup<Value>? {
        guard case .absent(isKnown: false) = found.answer, let last = shown?.lookup, last.isFresh, shownEntry?.isProvisional != true,
            !changes.mayHaveRemoved(last.terms.labels), last.freshUntil.map({ cache.clock.now() < $0 }) ?? true
        else { return nil }
        return last
    }

    /// A value that others have changed while it was loaded here is in no tier any more. What a store has then, stale, may be older than what was shown.
    private func newest(_ lookup: Lookup<Value>?, _ entry: TieredEntry<Value>?) -> Lookup<Value>? {
        guard let lookup, let reason = lookup.staleReason, var last = shown?.lookup, isOlder(lookup, than: last, entry),
            shownEntry?.isProvisional != true,
            last.terms.staleUntil.map({ cache.clock.now() < $0 }) ?? true
        else { return lookup }
        last.staleReason = reason
        return last
    }

    /// Where dates are equal, what memory had already before a store's value was shown is older than that.
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
        // Dates tell values apart only as far as clocks go on.
        return changes.mayHideNews || new.created != old.created || new.freshUntil != old.freshUntil || new.isFresh != old.isFresh
    }

    /// The tags and the partition by which what is shown can be invalidated. `nil`: they are not known.
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

    /// There is something better than what a load would bring. One that may have brought it may still be writing it to the stores.
    private func leaveLoad() {
        if let load, load.changes.loads == 0 { load.task.cancel() }
        load = nil
    }

    /// The outcome of a load; `nil` if it has to be made again: something has changed that it cannot have seen, or its time was up before anybody looked.
    private func trusted(_ outcome: Result<Lookup<Value>?, any Error>, standIn: Lookup<Value>?) -> CacheUpdate<Value>? {
        guard let changes = load?.changes, changes.writes == 0 else { return nil }
        switch outcome {
        case .failure(let error): return changes.isInvalidated ? nil : CacheUpdate(lookup: standIn, error: error)
        case .success(let lookup?):
            if changes.invalidates(lookup.terms.labels) { return nil }
            if lookup.isFresh, let end = lookup.freshUntil, end > lookup.created, end <= cache.clock.now() { return nil }
            // Somebody else's load has failed a moment ago.
            if lookup.staleReason?.kind == .retryPending {
                guard let tick = cache.retryTick(of: request.key) else { return nil }
                retryTick = tick
            }
            return CacheUpdate(lookup: lookup, error: lookup.staleReason?.error)
        case .success(nil): return changes.invalidates([]) ? nil : CacheUpdate()
        }
    }

    /// Lets the next load begin, if something has happened after which it may bring something else.
    private func unsettle(after changes: KeyChanges) {
        guard let settled else { return }
        let labels = settled.lookup?.terms.labels ?? []
        let isChanged = changes.writes > 0 || changes.isInvalidated || changes.isDue || !changes.invalidatedLabels.isDisjoint(with: labels)
        // Loads of what nobody keeps do not call each other forth.
        if isChanged || changes.loads > 0 && settled.error != nil {
            self.settled = nil
        } else if changes.isInvalidatedByOthers {
            let next = lastLoadTick.addingSaturated(Self.foreignSpacing)
            if cache.ticker.nanoseconds() >= next { self.settled = nil } else { retryTick = min(retryTick ?? .max, next) }
        }
    }

    // MARK: Time

    /// Has the key looked at when the lifetime ends that was shown, or when a load may be tried again. One call for an observer at a time; none for what is fresh for ever.
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
            // A negative entry. If it is in a store alone, its end is not known.
            guard case .absent(isKnown: true) = found.answer else { return nil }
            let end = found.entry?.fresh ?? now.addingSaturated(max(1_000_000, request.policy.negativeFor.saturatingNanoseconds))
            return end < .max ? end : nil
        }
        if settled == nil, lookup.isFresh {
            // It may have ended since it was found: then it is looked at again at once.
            if lookup.tier == .memory, let entry = found.entry { return entry.fresh == .max ? nil : entry.fresh }
            return lookup.freshUntil.map(tick)
        }
        if lookup.isFresh {
            // A load has brought what is stale from the beginning, and there is no sense in loading it again.
            guard let end = lookup.freshUntil, end > lookup.created else { return nil }
            return max(tick(end), now)
        }
        // Memory measures by a clock that may be behind this one.
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
