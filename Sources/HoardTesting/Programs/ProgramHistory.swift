// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The events of a run in their order, and the sentences about violations.
package final class ProgramHistory: Sendable {
    private let state = Mutex((events: [String](), violations: [String]()))

    package init() {}

    package func add(_ event: String) {
        state.withLock { $0.events.append(event) }
    }

    /// Writes down that something was wrong.
    package func complain(_ violation: String) {
        state.withLock { state in
            state.events.append(violation)
            state.violations.append(violation)
        }
    }

    package var outcome: ProgramOutcome { state.withLock { ProgramOutcome(violations: $0.violations, events: $0.events) } }
}
