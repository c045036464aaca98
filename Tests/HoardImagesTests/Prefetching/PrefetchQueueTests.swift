// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Testing

@testable import HoardImages

/// The order of prefetches, against a plain list that is sorted each time.
@Suite struct PrefetchQueueTests {
    private struct Plain {
        struct Item {
            var number: Int
            var count = 1
            var priority: TaskPriority
            var ticket: Int
            var isWaiting = true
        }

        var items: [Item] = []
        var lastTicket = 0

        var waiting: [Item] { items.filter(\.isWaiting).sorted { ($1.priority, $0.ticket) < ($0.priority, $1.ticket) } }

        mutating func want(_ number: Int, _ priority: TaskPriority) {
            guard let index = items.firstIndex(where: { $0.number == number }) else {
                lastTicket += 1
                return items.append(Item(number: number, priority: priority, ticket: lastTicket))
            }
            items[index].count += 1
            guard items[index].isWaiting, priority > items[index].priority else { return }
            lastTicket += 1
            (items[index].priority, items[index].ticket) = (priority, lastTicket)
        }

        mutating func unwant(_ number: Int) -> Int? {
            guard let index = items.firstIndex(where: { $0.number == number }) else { return nil }
            items[index].count -= 1
            guard items[index].count == 0 else { return nil }
            let item = items.remove(at: index)
            return item.isWaiting ? nil : item.ticket
        }

        mutating func takeNext() -> Int? {
            guard let first = waiting.first, let index = items.firstIndex(where: { $0.number == first.number }) else { return nil }
            items[index].isWaiting = false
            return first.number
        }

        mutating func dropOldest(keeping limit: Int) {
            while waiting.count > limit, let oldest = waiting.min(by: { ($0.priority, $0.ticket) < ($1.priority, $1.ticket) }) {
                items.removeAll { $0.number == oldest.number }
            }
        }
    }

    private func request(_ number: Int) -> ImageRequest { ImageRequest(.key(ExactText("\(number)")), ImageOptions(), partition: ExactText("")) }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func itIsAsAPlainListWouldBe(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = PrefetchQueue()
        var plain = Plain()
        var running: [PrefetchQueue.Load] = []
        let priorities: [TaskPriority] = [.background, .utility, .high]
        for _ in 0..<2_000 {
            let number = Int.random(in: 0..<40, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4:
                let priority = priorities[Int.random(in: 0..<3, using: &generator)]
                queue.want(request(number), priority)
                plain.want(number, priority)
            case 4..<7:
                #expect(queue.unwant(request(number)) == plain.unwant(number))
            case 7:
                let load = queue.takeNext()
                #expect(load?.request == plain.takeNext().map(request))
                if let load { running.append(load) }
            case 8:
                guard !running.isEmpty else { continue }
                let load = running.remove(at: Int.random(in: 0..<running.count, using: &generator))
                queue.end(load)
                plain.items.removeAll { request($0.number) == load.request && $0.ticket == load.ticket }
            default:
                let limit = Int.random(in: 5..<30, using: &generator)
                queue.dropOldest(keeping: limit)
                plain.dropOldest(keeping: limit)
            }
            #expect(queue.waitingCount == plain.waiting.count)
        }
        while let load = queue.takeNext() { #expect(load.request == plain.takeNext().map(request)) }
        #expect(plain.takeNext() == nil && queue.waitingCount == 0)
    }

    @Test func whatIsStartedAndStoppedWithoutEndTakesNoSpace() {
        var queue = PrefetchQueue()
        for number in 0..<100_000 {
            queue.want(request(number), .utility)
            #expect(queue.unwant(request(number)) == nil)
        }
        queue.want(request(-1), .utility)
        #expect(queue.ticketCount <= 65)
        #expect(queue.takeNext()?.request == request(-1))
    }
}
