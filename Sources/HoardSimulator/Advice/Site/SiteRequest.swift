// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A request as a ``SiteProfile`` looks at it.
struct SiteRequest {
    let status: UInt64
    let time: UInt64?
    /// Microseconds.
    let duration: UInt64?
    let outcome: CacheWord?
    /// The bytes of a whole object; `nil` for anything else.
    let size: Int?
    /// Whether no client of this `User-Agent`, or at this address, has asked for the object before; `nil` if that is not known.
    var isNewAgent: Bool?
    var isNewClient: Bool?

    init(_ line: borrowing LogLine, status: UInt64) {
        self.status = status
        time = line.time
        duration = line.duration
        outcome = line.outcome
        size = status == 200 && line.method == .get ? line.byteCount.flatMap { Int(exactly: $0) } : nil
    }

    /// Whether the object is as new as can be after the request.
    var setsAge: Bool {
        switch outcome {
        case .miss, .expired, .revalidated, .without: status < 400
        case .hit, .stale, .collapsed, nil: false
        }
    }

    /// Counts the outcome in the cache.
    ///
    /// - Parameters:
    ///   - loadTime: When the object was loaded before.
    ///   - loadDuration: How long that took.
    ///   - oldSize: The size that it had before.
    func noteOutcome(loaded loadTime: UInt64?, duration loadDuration: UInt64?, size oldSize: Int?, in figures: inout PathFigures) {
        let age = loadTime.flatMap { loadTime in time.map { $0 > loadTime ? $0 - loadTime : 0 } }
        switch outcome {
        case .hit:
            figures.hits += 1
            if let age {
                figures.ages.note(age) { bin in
                    bin.hits += 1
                    bin.greatestHitAge = max(bin.greatestHitAge, age)
                    if isNewAgent == true { bin.newAgentHits += 1 }
                    if isNewClient == true { bin.newClientHits += 1 }
                }
            }
        case .stale:
            figures.hits += 1
            figures.staleHits += 1
        case .collapsed:
            figures.hits += 1
            figures.collapsedHits += 1
        case .revalidated:
            figures.hits += 1
            noteLoad(in: &figures)
            if let age {
                figures.ages.note(age) { bin in
                    bin.revalidations += 1
                    bin.microseconds = bin.microseconds.adding(Int(clamping: duration ?? 0))
                }
            }
        case .miss, .expired, .without:
            noteLoad(in: &figures)
            if outcome == .without { figures.passes += 1 }
            figures.loadedBytes = figures.loadedBytes.adding(size ?? 0)
            guard let age else { return }
            if overlaps(after: age, duration: loadDuration) {
                figures.overlappingLoads += 1
                return
            }
            figures.ages.note(age) { bin in
                bin.reloads += 1
                if isNewAgent == true { bin.newAgentReloads += 1 }
                if isNewClient == true { bin.newClientReloads += 1 }
                bin.microseconds = bin.microseconds.adding(Int(clamping: duration ?? 0))
                guard let size, let oldSize else { return }
                bin.comparedReloads += 1
                guard size == oldSize else { return }
                bin.unchangedReloads += 1
                bin.unchangedBytes = bin.unchangedBytes.adding(size)
            }
        case nil: break
        }
    }

    private func noteLoad(in figures: inout PathFigures) {
        figures.loads += 1
        figures.loadMicroseconds = figures.loadMicroseconds.adding(Int(clamping: duration ?? 0))
    }

    /// Whether the load before was under way when this one began. Times are all those of the beginning, or all those of the end; both loads are about as long.
    private func overlaps(after age: UInt64, duration loadDuration: UInt64?) -> Bool {
        guard outcome != .without, let time, let duration, let loadDuration else { return false }
        // A log of whole seconds does not tell the order within a second.
        return age < min(duration, loadDuration) / 1_000 && (age > 0 || time % 1_000 != 0)
    }
}
