// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct CommandQueueTests {
    @Test func repliesAreGivenToThoseWhoAskedInOrder() {
        var queue = CommandQueue<String>(maximumCount: 10, maximumByteCount: 100)
        _ = queue.append("a", deadline: 1, byteCount: 1)
        _ = queue.append("b", deadline: 1, byteCount: 1)
        #expect(queue.takeFirst().waiter == "a")
        #expect(queue.takeFirst().waiter == "b")
        #expect(queue.takeFirst().wasAwaited == false)
    }

    @Test func aPlaceStaysWhenItsWaiterHasLeft() {
        var queue = CommandQueue<String>(maximumCount: 10, maximumByteCount: 100)
        let number = queue.append("a", deadline: 1, byteCount: 1)
        _ = queue.append("b", deadline: 1, byteCount: 1)
        #expect(queue.takeWaiter(at: number) == "a")
        #expect(queue.takeWaiter(at: number) == nil)
        #expect(queue.count == 2)
        let first = queue.takeFirst()
        #expect(first.wasAwaited && first.waiter == nil)
        #expect(queue.takeFirst().waiter == "b")
    }

    @Test func theLimitsAreThoseOfCommandsAndOfBytes() {
        var queue = CommandQueue<Int>(maximumCount: 3, maximumByteCount: 10)
        #expect(queue.hasRoom(for: 3))
        #expect(!queue.hasRoom(for: 4))
        _ = queue.append(1, deadline: 1, byteCount: 1_000)
        #expect(!queue.hasRoom(for: 1))
        _ = queue.takeFirst()
        _ = queue.append(2, deadline: 1, byteCount: 1)
        #expect(queue.hasRoom(for: 2))
        #expect(!queue.hasRoom(for: 3))
    }

    @Test func theOverdueLeaveOnceAndTheNextDeadlineIsThatOfTheOldestOther() {
        var queue = CommandQueue<String>(maximumCount: 10, maximumByteCount: 100)
        #expect(queue.nextDeadline == nil)
        for (name, deadline) in [("a", Int64(1)), ("b", 2), ("c", 3)] { _ = queue.append(name, deadline: deadline, byteCount: 1) }
        #expect(queue.nextDeadline == 1)
        #expect(queue.takeOverdue(now: 2) == ["a", "b"])
        #expect(queue.takeOverdue(now: 2) == [])
        #expect(queue.nextDeadline == 3)
        #expect(queue.count == 3)
        #expect(queue.takeOverdue(now: 3) == ["c"])
        #expect(queue.nextDeadline == nil)
    }

    @Test func theOldestLeaveWithTheirPlacesWhenTheirTimeIsOver() {
        var queue = CommandQueue<String>(maximumCount: 10, maximumByteCount: 100)
        let first = queue.append("a", deadline: 1, byteCount: 3)
        _ = queue.append("b", deadline: 2, byteCount: 4)
        let last = queue.append("c", deadline: 3, byteCount: 5)
        #expect(queue.takeOverdue(now: 1) == ["a"])
        let removed = queue.removeOverdue(now: 2)
        #expect(removed.waiters == ["b"] && removed.byteCount == 7)
        #expect(queue.count == 1 && queue.byteCount == 5 && queue.nextDeadline == 3)
        #expect(queue.takeWaiter(at: first) == nil)
        #expect(queue.takeWaiter(at: last) == "c")
    }

    @Test func anEmptiedQueueNeverUsesItsNumbersAgain() {
        var queue = CommandQueue<String>(maximumCount: 10, maximumByteCount: 100)
        let old = queue.append("a", deadline: 1, byteCount: 7)
        #expect(queue.takeAll() == ["a"])
        #expect(queue.isEmpty && queue.byteCount == 0)
        let new = queue.append("b", deadline: 1, byteCount: 7)
        #expect(new != old)
        #expect(queue.takeWaiter(at: old) == nil)
        #expect(queue.takeWaiter(at: new) == "b")
    }

    @Test(arguments: UInt64(0)..<100) func itDoesAsAPlainListDoes(seed: UInt64) {
        var random = SeededNumbers(seed)
        var queue = CommandQueue<Int>(maximumCount: 1_000, maximumByteCount: 100_000)
        var model: [(number: UInt64, waiter: Int?, deadline: Int64, byteCount: Int)] = []
        var now: Int64 = 0
        for step in 0..<500 {
            switch random.next() % 10 {
            case 0...4:
                now += Int64(random.next() % 3)
                let byteCount = Int(random.next() % 50)
                let number = queue.append(step, deadline: now + 20, byteCount: byteCount)
                #expect(!model.contains { $0.number == number } && number != 0, "seed \(seed)")
                model.append((number, step, now + 20, byteCount))
            case 5, 6:
                let taken = queue.takeFirst()
                #expect(taken.wasAwaited == !model.isEmpty, "seed \(seed)")
                if !model.isEmpty { #expect(taken.waiter == model.removeFirst().waiter, "seed \(seed)") }
            case 7:
                guard let index = model.indices.randomElement(using: &random) else { continue }
                #expect(queue.takeWaiter(at: model[index].number) == model[index].waiter, "seed \(seed)")
                model[index].waiter = nil
            case 8:
                now += Int64(random.next() % 12)
                let overdue = model.filter { $0.deadline <= now }.compactMap(\.waiter)
                for index in model.indices where model[index].deadline <= now { model[index].waiter = nil }
                #expect(queue.takeOverdue(now: now) == overdue, "seed \(seed)")
                #expect(queue.nextDeadline == model.first { $0.deadline > now }?.deadline, "seed \(seed)")
            default:
                guard random.next() % 10 == 0 else { continue }
                #expect(queue.takeAll() == model.compactMap(\.waiter), "seed \(seed)")
                model = []
            }
            #expect(queue.count == model.count, "seed \(seed)")
            #expect(queue.byteCount == model.reduce(0) { $0 + $1.byteCount }, "seed \(seed)")
        }
    }
}
