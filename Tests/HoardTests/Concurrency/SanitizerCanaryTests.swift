// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What a sanitizer must report, or it reports nothing: see `Scripts/sanitize`, which alone runs this.
@Suite struct SanitizerCanaryTests {
    private static let kind = ProcessInfo.processInfo.environment["HOARD_SANITIZER_CANARY"]

    private final class Race: @unchecked Sendable {
        var count = 0
    }

    @Test(.enabled(if: kind == "thread")) func twoTasksChangeOneNumberWithoutALock() async {
        let race = Race()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<100_000 { race.count &+= 1 } } }
        }
        #expect(race.count <= 800_000)
    }

    @Test(.enabled(if: kind == "address")) func memoryIsReadThatWasGivenBack() {
        let memory = UnsafeMutablePointer<Int>.allocate(capacity: 8)
        memory.initialize(repeating: 1, count: 8)
        memory.deallocate()
        #expect(memory[3] != 2)
    }
}
