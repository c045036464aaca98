// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Waits for the result of a task of its own, and meanwhile raises the priority of that task with that of the waiting one.
///
/// Where the system cannot tell, the task keeps the priority with which it was started
/// ([SE-0462](https://github.com/swiftlang/swift-evolution/blob/main/proposals/0462-task-priority-escalation-apis.md)).
package func passingPriority<Result: Sendable>(to work: Task<Void, Never>, _ wait: () async -> Result) async -> Result {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return await wait() }
    return await withTaskPriorityEscalationHandler {
        // A priority that was raised before there was a handler has not been passed on yet.
        work.escalatePriority(to: Task.currentPriority)
        return await wait()
    } onPriorityEscalated: { _, priority in
        work.escalatePriority(to: priority)
    }
}
