// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Levels that are found by looking again and again.
package struct PollingMemoryPressure: MemoryPressureSource {
    private let interval: Duration
    private let currentLevel: @Sendable () -> MemoryPressure
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - interval: How long to wait between two looks.
    ///   - currentLevel: Looks. Called on a background task, first when a stream begins.
    ///   - sleep: Waits; throws when the task is cancelled.
    package init(
        interval: Duration,
        currentLevel: @escaping @Sendable () -> MemoryPressure,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await MonotonicTicker().sleep(for: $0) }
    ) {
        self.interval = interval
        self.currentLevel = currentLevel
        self.sleep = sleep
    }

    package func levels() -> AsyncStream<MemoryPressure> {
        let (stream, continuation) = AsyncStream.makeStream(of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task(priority: .utility) {
            var announcement = MemoryPressureAnnouncement()
            while !Task.isCancelled {
                let level = currentLevel()
                if announcement.isDue(for: level) { continuation.yield(level) }
                do {
                    try await sleep(interval)
                } catch {
                    break
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

/// The choice of the levels, of those found one after the other, that are worth telling: changes, and the critical ones
/// every time.
struct MemoryPressureAnnouncement {
    private var last = MemoryPressure.normal

    mutating func isDue(for level: MemoryPressure) -> Bool {
        defer { last = level }
        return level != last || level >= .critical
    }
}
