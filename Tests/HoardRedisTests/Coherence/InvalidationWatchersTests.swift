// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct InvalidationWatchersTests {
    @Test func everybodyIsToldInOrder() {
        let watchers = InvalidationWatchers()
        let heard = Mutex<[StoreInvalidation]>([])
        let watch = watchers.watch { invalidation in heard.withLock { $0.append(invalidation) } }
        watchers.tell([.init(key: "a"), .everything])
        watchers.tell([.init(partition: "p")])
        #expect(heard.withLock { $0 } == [.init(key: "a"), .everything, .init(partition: "p")])
        watch.cancel()
        watchers.tell([.everything])
        #expect(heard.withLock { $0.count } == 3)
    }

    @Test func whatIsToldDuringATellingComesAfterIt() {
        let watchers = InvalidationWatchers()
        let heard = Mutex<[StoreInvalidation]>([])
        let watch = watchers.watch { invalidation in
            if invalidation == .everything { watchers.tell([.init(key: "later")]) }
            heard.withLock { $0.append(invalidation) }
        }
        watchers.tell([.everything, .init(key: "a")])
        #expect(heard.withLock { $0 } == [.everything, .init(key: "a"), .init(key: "later")])
        watch.cancel()
    }

    @Test func aStreamEndsWithTheStore() async {
        let watchers = InvalidationWatchers()
        let stream = watchers.makeStream()
        watchers.tell([.init(key: "a")])
        watchers.finish()
        var heard: [StoreInvalidation] = []
        for await invalidation in stream { heard.append(invalidation) }
        #expect(heard == [.init(key: "a")])
    }

    @Test func manyThreadsTellOneAfterTheOther() async {
        struct Count { var inside = 0, most = 0, all = 0 }
        let watchers = InvalidationWatchers()
        let count = Mutex(Count())
        let watch = watchers.watch { _ in
            count.withLock {
                $0.inside += 1
                $0.most = max($0.most, $0.inside)
                $0.all += 1
            }
            count.withLock { $0.inside -= 1 }
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 { group.addTask { for number in 0..<200 { watchers.tell([.init(key: .init("\(task) \(number)"))]) } } }
        }
        watchers.tell([.everything])
        #expect(count.withLock { $0.most } == 1)
        watch.cancel()
    }
}
