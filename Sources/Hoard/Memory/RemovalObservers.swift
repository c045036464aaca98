// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The observers of entries that leave a cache: the listener and the streams.
@usableFromInline final class RemovalObservers<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline typealias Removal = Cache<Key, Value>.Removal

    @usableFromInline let listener: (@Sendable (Key, Value, RemovalCause) -> Void)?
    @usableFromInline let streams = Mutex<[Int: AsyncStream<Removal>.Continuation]>([:])
    private let lastStream = Atomic<Int>(0)
    /// Whether there are any observers. Read without a lock on every write.
    @usableFromInline let isActive: Atomic<Bool>

    @usableFromInline init(listener: (@Sendable (Key, Value, RemovalCause) -> Void)?) {
        self.listener = listener
        isActive = Atomic(listener != nil)
    }

    deinit {
        for stream in streams.withLock({ $0 }).values { stream.finish() }
    }

    @inlinable func report(_ departures: Departures<Key, Value>) {
        if let first = departures.first { report(first) }
        for other in departures.others { report(other) }
    }

    @inlinable func report(_ departure: Departures<Key, Value>.Departure) {
        guard let value = departure.value else { return }
        listener?(departure.key, value, departure.cause)
        let streams = streams.withLock { $0 }
        guard !streams.isEmpty else { return }
        let removal = Removal(key: departure.key, value: value, cause: departure.cause)
        for stream in streams.values { stream.yield(removal) }
    }

    func makeStream(bufferingNewest limit: Int) -> AsyncStream<Removal> {
        let (stream, continuation) = AsyncStream.makeStream(of: Removal.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let number = lastStream.wrappingAdd(1, ordering: .relaxed).newValue
        streams.withLock { streams in
            streams[number] = continuation
            isActive.store(true, ordering: .releasing)
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        // Under the lock, or this would put out the mark of a stream that is made just now.
        streams.withLock { streams in
            streams[number] = nil
            if streams.isEmpty, listener == nil { isActive.store(false, ordering: .releasing) }
        }
    }
}
