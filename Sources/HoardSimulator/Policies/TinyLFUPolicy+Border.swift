// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TinyLFUPolicy {
    /// The most objects that change sides after one request; the rest follows after the next ones.
    private static var mostMoves: Int { 1000 }

    /// Moves the border between window and main part as the climber wants, and objects with it.
    mutating func moveBorder() {
        if climber.adjustment > 0 { growWindow() } else if climber.adjustment < 0 { shrinkWindow() }
    }

    private mutating func growWindow() {
        let wanted = min(climber.adjustment, climber.protected)
        var rest = wanted
        climber.protected -= wanted
        while lists.size(ofList: Self.protected) > climber.protected, let oldest = lists.last(Self.protected) {
            lists.moveToFirst(oldest, of: Self.probation)
        }
        for _ in 0..<Self.mostMoves {
            let candidates = [lists.last(Self.probation), lists.last(Self.protected)]
            guard let slot = candidates.lazy.compactMap(\.self).first(where: { lists.size(of: $0) <= rest }) else { break }
            rest -= lists.size(of: slot)
            lists.moveToFirst(slot, of: Self.window)
        }
        climber.window += wanted - rest
        climber.protected += rest
        climber.adjustment = rest
    }

    private mutating func shrinkWindow() {
        let wanted = min(-climber.adjustment, max(0, climber.window - 1))
        var rest = wanted
        for _ in 0..<Self.mostMoves {
            guard let slot = lists.last(Self.window), lists.size(of: slot) <= rest else { break }
            rest -= lists.size(of: slot)
            lists.moveToFirst(slot, of: Self.probation)
        }
        climber.window -= wanted - rest
        climber.protected += wanted - rest
        climber.adjustment = -rest
    }
}

/// The hill climber of ``TinyLFUPolicy``: goes on in its direction while the hit ratio rises, turns when it falls, and takes ever smaller steps.
struct WindowClimber: Sendable {
    private static let stepShare = 0.0625
    private static let stepDecay = 0.98
    /// A change of the hit ratio that makes steps large again.
    private static let restart = 0.05

    private let capacity: Int
    /// The sizes of the window and of the protected part. The rest is probation.
    var window: Int
    var protected: Int
    /// How much larger the window shall be.
    var adjustment = 0
    private var step: Double
    private var previousHitRatio = 0.0
    private var hits = 0
    private var misses = 0

    init(capacity: Int) {
        self.capacity = capacity
        window = capacity - Int(0.99 * Double(capacity))
        protected = Int(0.8 * Double(capacity - window))
        step = -Self.stepShare * Double(capacity)
    }

    mutating func noteHit() { hits += 1 }
    mutating func noteMiss() { misses += 1 }

    /// Decides about the next step after so many requests.
    mutating func decide(period: Int) {
        guard hits + misses >= period else { return }
        let hitRatio = Double(hits) / Double(hits + misses)
        let change = hitRatio - previousHitRatio
        let amount = change >= 0 ? step : -step
        step = abs(change) >= Self.restart ? Self.stepShare * Double(capacity) * (amount >= 0 ? 1 : -1) : Self.stepDecay * amount
        previousHitRatio = hitRatio
        adjustment = Int(amount)
        beginSample()
    }

    mutating func beginSample() { (hits, misses) = (0, 0) }
}
