// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Lets other tasks, threads and processes go on until `condition` holds.
///
/// Only for conditions that no event announces. It has no time limit of its own, so that a busy machine fails no test; that of the suite ends it, by cancelling the task.
package func waitUntil(_ condition: () async throws -> Bool) async throws {
    var attempts = 0
    while try await !condition() {
        try Task.checkCancellation()
        attempts += 1
        // The processes and threads that the condition depends on need the processor more than the waiting does.
        if attempts < 1_000 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(1)) }
    }
}
