// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A recorder of the keys that a cache is asked for, so that its traffic can be replayed on other sizes and policies.
///
/// ```swift
/// let recorder = try CacheTraceRecorder(path: "/tmp/users.trace")
/// users.recordAccesses(with: recorder)
/// // … an hour later
/// users.recordAccesses(with: nil)
/// try recorder.finish()
/// ```
///
/// `hoard simulate /tmp/users.trace` replays it. `docs/traces.md` describes the format, and tells what a person who has the file could learn.
///
/// A recording holds no key and no value. Keys are replaced by pseudonyms of 48 bits, made with a secret that exists only in this object: the same key has the
/// same pseudonym in one recording, and in no other.
///
/// An access costs some nanoseconds: it is put into a buffer in memory. A task in the background puts the accesses of all threads into one order, and
/// writes them at every ``Configuration/flushInterval``. Written accesses can be read even if the process is killed; the others are lost. Times are
/// those of a tick of 10 ms.
///
/// A failure to write ends the recording, and nothing else: see ``statistics-swift.property``.
public final class CacheTraceRecorder: Sendable {
    /// The limits of the recording.
    public let configuration: Configuration
    let collector: TraceCollector
    private let hasher = KeyHasher.random()
    /// Where accesses go that do not come from a shard. Which of them, the hash decides, so that those to one key keep their order.
    private let buffers: StripedBuffers
    let output: TraceOutput
    /// Moves the recording's time to the present.
    private let showTime: @Sendable () -> Int64
    private let pump: Task<Void, Never>

    init(
        writer: consuming TraceFileWriter?,
        sampledKeys: UInt32,
        configuration: Configuration,
        ticker: any Ticker,
        pseudonymSeed: UInt64? = nil,
        onFailure: @escaping @Sendable (CacheTraceError) -> Void
    ) {
        self.configuration = configuration
        let collector = TraceCollector(
            threshold: sampledKeys,
            maximumByteCount: max(1 << 16, configuration.maximumPendingBytes),
            pseudonymSeed: pseudonymSeed
        )
        let output = TraceOutput(writer: writer, collector: collector, onFailure: onFailure)
        self.collector = collector
        self.output = output
        buffers = StripedBuffers(collector)
        output.addDrain { [buffers] in buffers.submit() }
        let interval = max(Self.tickNanoseconds, configuration.flushInterval.saturatingNanoseconds)
        let start = ticker.nanoseconds()
        let showTime: @Sendable () -> Int64 = {
            let now = ticker.nanoseconds()
            // Never back: another thread may have shown a later time since this one read the clock.
            _ = collector.tick.value.max(UInt64(max(0, now - start) / Self.tickNanoseconds), ordering: .relaxed)
            return now
        }
        self.showTime = showTime
        pump = Task.detached(priority: .utility) {
            var nextFlush = start.addingSaturated(interval)
            while !Task.isCancelled {
                let now = showTime()
                if now >= nextFlush || collector.hasMany {
                    output.flush()
                    nextFlush = now.addingSaturated(interval)
                }
                try? await ticker.sleep(until: now.addingSaturated(Self.tickNanoseconds))
            }
        }
    }

    deinit {
        pump.cancel()
        output.close()
    }

    static let tickNanoseconds = Int64(TraceListener.tickMilliseconds) * 1_000_000

    /// Records an access to a key of your own cache, or of one that Hoard does not record by itself.
    ///
    /// Takes a short lock, and does not suspend.
    /// - Complexity: O(1), and a hash of the key.
    public func record(_ access: CacheAccess, forKey key: some Hashable) {
        let details = TraceEvent.Details(
            size: access.size,
            lifetime: access.lifetime.map { UInt64(max(0, $0.saturatingNanoseconds / 1_000_000)) },
            cost: access.cost.map { UInt32(clamping: $0.saturatingNanoseconds / 1_000) },
            group: access.group.map { group($0) },
            tier: UInt8(clamping: access.tier)
        )
        record(access.kind.event, hash: hasher(key), details: details)
    }

    /// Writes the accesses recorded so far. Blocks the thread meanwhile.
    ///
    /// - Throws: ``CacheTraceError/Code/io`` if the recording has ended because a write failed.
    public func flush() throws(CacheTraceError) {
        _ = showTime()
        output.flush()
        try output.throwFailure()
    }

    /// Writes the accesses recorded so far, and ends the recording. Blocks the thread meanwhile. Does nothing the second time.
    ///
    /// - Throws: As ``flush()``.
    public func finish() throws(CacheTraceError) {
        pump.cancel()
        output.close()
        try output.throwFailure()
    }

    /// The counts so far.
    public var statistics: Statistics { output.statistics }
}

extension CacheTraceRecorder {
    /// A hash of a key, for ``record(_:hash:details:)``.
    package func hash(of key: some Hashable) -> UInt64 { hasher(key) }

    /// The same hash for a string's bytes in ASCII as for the string.
    package func hash(ofUTF8 bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.withMemoryRebound(to: UInt8.self) { hasher.hashIfASCII($0) } ?? hasher(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether accesses to a key with this hash are recorded.
    package func records(_ hash: UInt64) -> Bool { hash & 0xffff < collector.threshold }

    package func record(_ kind: TraceEvent.Kind, hash: UInt64, details: TraceEvent.Details? = nil) {
        guard records(hash) else { return }
        buffers.withBuffer(for: hash) { buffer in
            if let details, !details.isEmpty { buffer.append(kind, hash, details) } else { buffer.append(UInt64(kind.rawValue), hash) }
        }
    }

    /// The pseudonym of a group.
    package func group(_ name: String) -> UInt32 { UInt32(truncatingIfNeeded: hasher(name) >> 16) & 0x7fff_ffff }

    /// Has a function called whenever accesses are to be written. It hands over those that a source still has.
    func addSource(drain: @escaping @Sendable () -> Void) -> Int { output.addDrain(drain) }

    /// Writes the entries that a cache had when it began to record. A failure is in the statistics.
    func flushContents() { output.flush() }

    func removeSource(_ number: Int) { output.removeDrain(number) }

    func makeFeed() -> RecordingFeed { collector.makeFeed() }
}
