// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct StoreWatchersTests {
    private let watchers = StoreWatchers(maximumBufferedCount: 4)

    private func watch(_ heard: Shared<[String]>, _ name: String) -> StoreWatch {
        watchers.add { invalidation in heard.update { $0.append("\(name) \(invalidation.key?.description ?? "everything")") } }
    }

    @Test func allAreToldInTheOrderInWhichTheyCame() {
        let heard = Shared<[String]>([])
        let watches = ["a", "b", "c"].map { watch(heard, $0) }
        watchers.tell(.init(key: "1"))
        watchers.tell(.everything)
        #expect(heard.value == ["a 1", "b 1", "c 1", "a everything", "b everything", "c everything"])
        withExtendedLifetime(watches) {}
    }

    @Test func watchEndsWhenItIsCancelledOrReleased() {
        let heard = Shared<[String]>([])
        let cancelled = watch(heard, "cancelled")
        var released: StoreWatch? = watch(heard, "released")
        #expect(released != nil)
        cancelled.cancel()
        cancelled.cancel()
        released = nil
        watchers.tell(.everything)
        #expect(heard.value.isEmpty)
        #expect(watchers.isEmpty)
    }

    @Test func watchThatIsCancelledWhileItIsToldHearsNothingMore() {
        let heard = Shared<Int>(0)
        let own = Shared<StoreWatch?>(nil)
        let watch = watchers.add { _ in
            heard.update { $0 += 1 }
            own.value?.cancel()
        }
        own.update { $0 = watch }
        watchers.tell(.everything)
        watchers.tell(.everything)
        #expect(heard.value == 1)
        own.update { $0 = nil }
    }

    @Test func streamThatNobodyReadsEndsWithEverything() async {
        let stream = watchers.makeStream()
        for number in 0..<10 { watchers.tell(.init(key: RecordKey("\(number)"))) }
        watchers.finish()
        var heard: [StoreInvalidation] = []
        for await invalidation in stream { heard.append(invalidation) }
        #expect(heard.count == 4)
        #expect(heard.last == .everything)
    }

    @Test func streamTellsAllIfItIsRead() async {
        let stream = watchers.makeStream()
        for number in 0..<4 { watchers.tell(.init(key: RecordKey("\(number)"))) }
        watchers.finish()
        var heard: [StoreInvalidation] = []
        for await invalidation in stream { heard.append(invalidation) }
        #expect(heard == (0..<4).map { .init(key: RecordKey("\($0)")) })
    }

    @Test func nobodyIsToldAnythingAfterTheEnd() async {
        let heard = Shared<[String]>([])
        let watch = watch(heard, "a")
        watchers.finish()
        watchers.tell(.everything)
        let late = self.watch(heard, "late")
        watchers.tell(.everything)
        #expect(heard.value.isEmpty)
        for await _ in watchers.makeStream() { Issue.record("A stream that is made after the end should be empty.") }
        #expect(watchers.isEmpty)
        withExtendedLifetime((watch, late)) {}
    }
}
