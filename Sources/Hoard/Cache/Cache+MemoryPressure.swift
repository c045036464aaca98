// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// Trims the cache when the system runs short of memory, for as long as the returned object lives.
    ///
    /// ```swift
    /// let responder = cache.trimOnMemoryPressure()
    /// ```
    ///
    /// The object does not keep the cache alive. Nothing is trimmed unless this is called.
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
            guard level > .normal else { return }
            self?.trim(toFraction: level >= .critical ? criticalFraction : warningFraction)
        }
    }
}
