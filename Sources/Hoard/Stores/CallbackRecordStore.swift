// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A store across a network that can be asked without a task: it calls back when the answer is there.
///
/// A cache above it then waits for the answer, or for its deadline, in the caller's own task. The task that could be left behind instead, if the store took too
/// long, costs several times as much as the answer of a near server.
package protocol CallbackRecordStore: RecordStore {
    /// Whether the store is to be asked in this way. Constant. For stores around others, of which some can and some cannot.
    var callsBack: Bool { get }

    /// Begins to read a record, and counts as a use of it, as ``RecordStore/record(forKey:)`` does. Never waits.
    ///
    /// - Parameter answered: Called exactly once, on any thread, perhaps before this returns. It must do no more than wake the task or thread
    ///   that waits.
    func beginReading(_ key: RecordKey, answered: @escaping @Sendable (CallbackReading) -> Void)
}

/// A reading whose answer has come.
package struct CallbackReading: Sendable {
    /// The rest of the reading, which decodes the answer on the caller's thread. Called once. Never waits.
    ///
    /// Its result is that of ``ImmediateRecordStore/immediateRecord(forKey:)``: ``ImmediateReading/unavailable`` if ``RecordStore/record(forKey:)`` has to be asked.
    package let result: @Sendable () throws(StoreError) -> ImmediateReading

    package init(result: @escaping @Sendable () throws(StoreError) -> ImmediateReading) {
        self.result = result
    }
}
