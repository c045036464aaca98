// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Notices when writing pauses. While nothing is written there is no timer.
final class WritingPauses: Sendable {
    private let commitCount = Atomic<Int>(0)
    private let isAwaited = Atomic<Bool>(false)
    /// Runs its argument after the time that makes a pause.
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.later = later
    }

    /// Call on the writing thread after each commit.
    func noteCommit() { commitCount.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// Runs `action` once when no commit has come for that time. Does nothing if a pause is awaited already.
    func wait(for action: @escaping @Sendable () -> Void) {
        guard isAwaited.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent).exchanged else { return }
        wait(action)
    }

    private func wait(_ action: @escaping @Sendable () -> Void) {
        let count = commitCount.load(ordering: .sequentiallyConsistent)
        later { [self] in
            guard commitCount.load(ordering: .sequentiallyConsistent) == count else { return wait(action) }
            // A commit from here on waits for a pause of its own.
            isAwaited.store(false, ordering: .sequentiallyConsistent)
            action()
        }
    }
}
