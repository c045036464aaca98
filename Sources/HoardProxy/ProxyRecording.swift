// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import HoardSimulator
internal import Logging

/// Where a proxy's cache records which responses it is asked for: into a file, for shadows, or both at once.
struct ProxyRecording: Sendable {
    /// Writes the file.
    let file: CacheTraceRecorder?
    let shadows: ShadowSimulation?

    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if the file cannot be written, or a shadow cannot be simulated.
    init(_ configuration: CachingProxy.Configuration, ticker: any Ticker, logger: Logger) throws(ProxyError) {
        if let conflict = configuration.shadowConflict { throw ProxyError(.invalidConfiguration, conflict) }
        let settings = configuration.shadows
        file = try configuration.recording.map { recording throws(ProxyError) in
            let beginsAnew = CacheTraceRecorder.beginsAnew(recording.path)
            do throws(CacheTraceError) {
                let recorder = try CacheTraceRecorder(
                    path: recording.path,
                    configuration: recording.recorder,
                    listenedShare: settings?.sampledShare ?? 0,
                    ticker: ticker,
                    onFailure: { logger.warning("\($0)") }
                )
                if beginsAnew { logger.notice("The file of the recording held no accesses, and has been begun anew.") }
                return recorder
            } catch {
                throw ProxyError(.invalidConfiguration, error.message, underlyingError: error)
            }
        }
        do throws(ShadowSimulationError) {
            shadows =
                switch (settings, file) {
                case (nil, _): nil
                case (let settings?, let file?): try ShadowSimulation(settings.caches, beside: file, sample: settings.sampledShare)
                case (let settings?, nil): try ShadowSimulation(settings.caches, sample: settings.sampledShare, ticker: ticker)
                }
        } catch {
            try? file?.finish()
            throw ProxyError(.invalidConfiguration, error.message, underlyingError: error)
        }
    }

    /// The recorder that the cache gives its accesses to; `nil` if there are neither a file nor shadows.
    private var recorder: CacheTraceRecorder? { file ?? shadows?.recorder }

    /// The counts of the file; `nil` if there is none.
    var figures: ProxyStatistics.Snapshot.Recording? { file.map { .init($0.statistics) } }

    /// The hits of shadows; `nil` if there are none.
    var shadowFigures: ProxyStatistics.Snapshot.Shadows? { shadows.map { .init($0.statistics) } }

    func begin(of cache: HTTPCache) { cache.recordAccesses(with: recorder) }

    /// Writes and counts the remaining accesses. Blocks the thread while it does.
    func end(of cache: HTTPCache) {
        cache.recordAccesses(with: nil)
        shadows?.finish()
        // A failure has been logged when it happened.
        try? file?.finish()
    }
}

extension ProxyStatistics.Snapshot.Recording {
    init(_ statistics: CacheTraceRecorder.Statistics) {
        self.init(written: statistics.written, lost: statistics.lost, bytes: statistics.byteCount, failure: statistics.failure)
    }
}

extension ProxyStatistics.Snapshot.Shadows {
    init(_ statistics: ShadowSimulation.Statistics) {
        self.init(
            sampledShare: statistics.sampledShare,
            requests: statistics.requests,
            hits: statistics.hits,
            otherHits: statistics.otherHits,
            lost: statistics.lost,
            caches: statistics.shadows.map { result in
                .init(policy: result.shadow.policy.name, bytes: result.shadow.capacity.byteCount ?? 0, hits: result.hits)
            }
        )
    }
}
