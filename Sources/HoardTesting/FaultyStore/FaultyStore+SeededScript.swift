// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension FaultyStore {
    /// The probabilities, from 0 to 1, with which the calls of a seeded script fail, each drawn by itself.
    public struct FaultRates: Sendable {
        /// The call fails before anything has been done. Default: 1 of 20.
        public var errorBefore: Double
        /// The work is done, and then the call fails. Default: 1 of 20.
        public var errorAfterwards: Double
        /// A call for several records does one to four of them, and then fails. Default: 1 of 20.
        public var partial: Double
        /// The call waits before the work, so that calls begin out of order. Default: 1 of 5.
        public var delayBefore: Double
        /// The call waits when the work has been done, so that answers come out of order. Default: 1 of 5.
        public var delayAfterwards: Double
        /// The time for which a delayed call waits, every nanosecond as likely as any other. Default: 1 ms to 2 s.
        public var delays: ClosedRange<Duration>
        /// Eight calls of the same operation in a row all fail at once. Default: 0.
        public var outages: Double
        /// The call is not answered before the script's gate is opened. Half of these calls do their work before, half afterwards. Default: 0.
        public var never: Double
        /// The code of the errors. Default: `unavailable`.
        public var code: StoreError.Code

        /// Creates rates.
        public init(
            errorBefore: Double = 0.05,
            errorAfterwards: Double = 0.05,
            partial: Double = 0.05,
            delayBefore: Double = 0.2,
            delayAfterwards: Double = 0.2,
            delays: ClosedRange<Duration> = .milliseconds(1) ... .seconds(2),
            outages: Double = 0,
            never: Double = 0,
            code: StoreError.Code = .unavailable
        ) {
            self.errorBefore = errorBefore
            self.errorAfterwards = errorAfterwards
            self.partial = partial
            self.delayBefore = delayBefore
            self.delayAfterwards = delayAfterwards
            self.delays = delays
            self.outages = outages
            self.never = never
            self.code = code
        }
    }

    /// A script of random faults. The *n*-th call of an operation meets the same fate whenever the seed is the same, whatever other calls come
    /// meanwhile.
    ///
    /// ```swift
    /// let store = FaultyStore(MemoryStore(), ticker: time)
    /// store.setScript(FaultyStore.seededScript(seed: 42, rates: .init(errorBefore: 0.1, delays: .milliseconds(1) ... .milliseconds(50))))
    /// ```
    ///
    /// - Parameter healing: Where the calls wait that are ``FaultRates/never`` answered, also if they are cancelled. ``heal()`` opens no gates: open this
    ///   one, too.
    public static func seededScript(seed: UInt64, rates: FaultRates = FaultRates(), until healing: Gate = Gate()) -> Script {
        { call in
            let operation = call.operation.description.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            // Numbers that differ little make seeds that differ in half of their bits.
            var outage = SeededGenerator(seed: ~operation &+ UInt64(call.number / outageCallCount))
            var mixer = SeededGenerator(seed: operation &+ UInt64(call.number))
            var generator = SeededGenerator(seed: mixer.next())
            let error = StoreError(rates.code, "The seeded script says so.")
            if outage.happens(rates.outages) { return .fail(error) }
            return generator.behavior(rates, error: error, until: healing)
        }
    }

    /// How many calls of an operation an outage lasts.
    private static var outageCallCount: Int { 8 }
}

extension SeededGenerator {
    fileprivate mutating func happens(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    fileprivate mutating func behavior(_ rates: FaultyStore.FaultRates, error: StoreError, until healing: Gate) -> FaultyStore.Behavior {
        var behavior = FaultyStore.Behavior.pass
        if happens(rates.delayBefore) { behavior.delay = duration(in: rates.delays) }
        if happens(rates.errorBefore) { behavior.error = error }
        if happens(rates.partial) {
            behavior.partialError = error
            behavior.partialCount = Int.random(in: 1...4, using: &self)
        }
        if happens(rates.delayAfterwards) { behavior.delayAfterwards = duration(in: rates.delays) }
        if happens(rates.errorAfterwards) { behavior.errorAfterwards = error }
        if happens(rates.never) { if happens(0.5) { behavior.gate = healing } else { behavior.gateAfterwards = healing } }
        return behavior
    }

    private mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        .nanoseconds(Int64.random(in: range.lowerBound.saturatingNanoseconds...range.upperBound.saturatingNanoseconds, using: &self))
    }
}
