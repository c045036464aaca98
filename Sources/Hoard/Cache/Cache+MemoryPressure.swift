// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// Trims the cache when the system runs short of memory, for as long as the returned object lives.
    ///
    /// ```swift
    /// let responder = cache.trimOnMemoryPressure()
    /// ```
    ///
    /// The object does not keep the cache alive. In apps a cache trims itself already (``Configuration/trimsOnMemoryPressure``); elsewhere nothing is trimmed unless this is called.
    ///
    /// - Parameters:
    ///   - source: Tells the level; by default the system.
    ///   - warningFraction: Which fraction of the entries stays at ``MemoryPressure/warning``. Default: three quarters.
    ///   - criticalFraction: Which fraction stays at ``MemoryPressure/critical``, each time the source says so. Default: a quarter.
    public func trimOnMemoryPressure(
        _ source: some MemoryPressureSource = SystemMemoryPressure(),
        warningFraction: Double = 0.75,
        criticalFraction: Double = 0.25
    ) -> MemoryPressureResponder {
        MemoryPressureResponder(source: source) { [weak self] level in
            self?.trim(at: level, warningFraction, criticalFraction)
        }
    }

    /// Trims the cache for as long as it lives.
    @usableFromInline func trim(by trimming: MemoryPressureTrimming) {
        trimming.add { [weak self] level in
            guard let self else { return false }
            if let level { trim(at: level, 0.75, 0.25) }
            return true
        }
    }

    private func trim(at level: MemoryPressure, _ warningFraction: Double, _ criticalFraction: Double) {
        guard level > .normal else { return }
        trim(toFraction: level >= .critical ? criticalFraction : warningFraction)
    }
}
