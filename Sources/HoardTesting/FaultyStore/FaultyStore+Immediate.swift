// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// Answers at once if it was created so, the wrapped store can, and the ``Behavior`` of the call has nothing to wait for. The call is a `record`, and is counted
/// if it is answered; otherwise the script is asked about it once more. So it is if another call gets the same number meanwhile.
extension FaultyStore: ImmediateRecordStore {
    public func immediateRecord(forKey key: RecordKey) throws(StoreError) -> ImmediateReading {
        guard answersAtOnce, let base = base as? any ImmediateRecordStore else { return .unavailable }
        guard let behavior = immediateBehavior(.record, keys: [key]) else { return .unavailable }
        if let error = behavior.error { throw error }
        let reading = try base.immediateRecord(forKey: key)
        if let error = behavior.errorAfterwards { throw error }
        return reading
    }

    public func isKnownAbsent(_ key: RecordKey) -> Bool {
        answersAtOnce && (base as? any ImmediateRecordStore)?.isKnownAbsent(key) ?? false
    }
}

extension FaultyStore.Behavior {
    /// Whether the call has to wait for something.
    package var waits: Bool { gate != nil || delay > .zero || gateAfterwards != nil || delayAfterwards > .zero }
}
