// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension CacheTraceRecorder {
    /// Begins a recording.
    ///
    /// A recording that is at `path` already becomes the older file `path.1`. An empty file, or one that ends inside of a recording's head, is
    /// replaced. Blocks the thread while the file is created.
    ///
    /// - Parameters:
    ///   - path: Where the file is to be. Only the process's user may read it (mode 0600).
    ///   - ticker: The clock that times accesses.
    ///   - clock: Dates the recording.
    ///   - onFailure: Called once, on the thread that writes, when the recording ends because a write failed. ``statistics-swift.property`` says so from then on.
    /// - Throws: ``CacheTraceError``. If something that is no recording is at `path`, or at the path of an older file, nothing has been changed.
    public convenience init(
        path: String,
        configuration: Configuration = Configuration(),
        ticker: any Ticker = MonotonicTicker(),
        clock: any WallClock = SystemWallClock(),
        onFailure: @escaping @Sendable (CacheTraceError) -> Void = { _ in }
    ) throws(CacheTraceError) {
        try self.init(path: path, configuration: configuration, listenedShare: 0, ticker: ticker, clock: clock, onFailure: onFailure)
    }

    /// Whether there is a file at a path that a recording would begin anew, since it has no whole head and so no accesses.
    package static func beginsAnew(_ path: String) -> Bool {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            if let status = try? FileSystem.status(of: path) { return status.kind == .file && TraceFiles.isCutShort(status) }
        #endif
        return false
    }

    /// Begins a recording that may have listeners.
    ///
    /// - Parameter listenedShare: The share of the keys that listeners want. If it is larger than that of the file, the file has fewer than are gathered.
    package convenience init(
        path: String,
        configuration: Configuration,
        listenedShare: Double,
        ticker: any Ticker = MonotonicTicker(),
        clock: any WallClock = SystemWallClock(),
        onFailure: @escaping @Sendable (CacheTraceError) -> Void = { _ in }
    ) throws(CacheTraceError) {
        let (wanted, others) = (Self.sampledKeys(configuration.sampledShare), listenedShare > 0 ? Self.sampledKeys(listenedShare) : 0)
        let header = TraceFileHeader(
            start: UInt64(min(max(0, clock.now().timeIntervalSince1970 * 1_000), 1e18)),
            tickLength: UInt32(Self.tickNanoseconds / 1_000),
            sampledKeys: Self.share(wanted, of: max(wanted, others)),
            number: 0
        )
        let writer = try TraceFileWriter(path: path, configuration: configuration, header: header)
        self.init(writer: writer, sampledKeys: max(wanted, others), configuration: configuration, ticker: ticker, onFailure: onFailure)
    }

    /// Gathers accesses for listeners alone. There is no file.
    ///
    /// - Parameter pseudonymSeed: Makes the pseudonyms of keys, so that they are the same in every run of a test. `nil`: they are secret.
    package convenience init(
        listenedShare: Double,
        configuration: Configuration = Configuration(),
        ticker: any Ticker,
        pseudonymSeed: UInt64? = nil
    ) {
        self.init(
            writer: nil,
            sampledKeys: Self.sampledKeys(listenedShare),
            configuration: configuration,
            ticker: ticker,
            pseudonymSeed: pseudonymSeed,
            onFailure: { _ in }
        )
    }

    /// Has a function given the accesses to a share of the keys, from those on that have not been handed out yet.
    ///
    /// The function is called at each ``Configuration/flushInterval``, earlier where there is much, and a last time when the recording ends. It must not use the recorder.
    ///
    /// - Parameter share: It gets ``sampledShare(_:)`` of that.
    /// - Returns: The number of the listener.
    package func addListener(share: Double, _ receive: @escaping @Sendable (TraceListener.Batch) -> Void) -> Int {
        output.add(TraceListener(threshold: Self.share(Self.sampledKeys(share), of: collector.threshold), receive: receive))
    }

    /// The share of the keys that a listener gets if it asks for `share`: at most the share that is gathered.
    package func sampledShare(_ share: Double) -> Double {
        Double(Self.share(Self.sampledKeys(share), of: collector.threshold)) / 65_536
    }

    /// Nothing is handed to the listener when this has returned.
    package func removeListener(_ number: Int) { output.removeListener(number) }

    /// Of 65,536 keys, how many are a share of the keys.
    private static func sampledKeys(_ share: Double) -> UInt32 {
        UInt32(min(65_536, max(1, ((share.isNaN ? 1 : share) * 65_536).rounded())))
    }

    /// As many, or some more, of the keys that are gathered, so that the upper 60 bits of a hash tell which they are.
    private static func share(_ wanted: UInt32, of gathered: UInt32) -> UInt32 {
        wanted < gathered ? min((wanted + 15) & ~15, gathered) : gathered
    }
}
