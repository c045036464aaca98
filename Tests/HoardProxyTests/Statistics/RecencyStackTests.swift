// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardProxy

@Suite("RecencyStack and SampleTable")
struct RecencyStackTests {
    /// The same with a plain array: the last used first.
    private struct Model {
        var objects: [(slot: Int, bytes: Int)] = []

        func bytesAbove(_ slot: Int) -> Int { objects.prefix { $0.slot != slot }.reduce(0) { $0 + $1.bytes } }
        mutating func remove(_ slot: Int) { objects.removeAll { $0.slot == slot } }
        mutating func use(_ slot: Int, bytes: Int) {
            remove(slot)
            objects.insert((slot, bytes), at: 0)
        }
    }

    @Test(arguments: [1, 2, 7, 64])
    func itIsTheSameAsAPlainArray(capacity: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var stack = RecencyStack(capacity: capacity)
        var model = Model()
        for step in 0..<3_000 {
            let slot = Int.random(in: 0..<capacity, using: &generator)
            if Int.random(in: 0..<6, using: &generator) == 0 {
                stack.remove(slot)
                model.remove(slot)
            } else {
                let bytes = Int.random(in: 0...1_000, using: &generator)
                stack.use(slot, bytes: bytes)
                model.use(slot, bytes: bytes)
            }
            #expect(stack.count == model.objects.count, "seed \(seed), step \(step)")
            #expect(stack.totalBytes == model.objects.reduce(0) { $0 + $1.bytes }, "seed \(seed), step \(step)")
            let oldest = stack.oldest()
            #expect(oldest == model.objects.last?.slot, "seed \(seed), step \(step)")
            if let object = model.objects.randomElement(using: &generator) {
                #expect(stack.bytesAbove(object.slot) == model.bytesAbove(object.slot), "seed \(seed), step \(step)")
                #expect(stack.bytes[object.slot] == object.bytes)
            }
        }
    }

    @Test func theTableFindsWhatIsInItAndNothingElse() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var table = SampleTable(capacity: 40)
        // Few different lower bits, so that there are collisions, and places at the end of the table.
        let all = (0..<40).map { UInt64($0) << 32 | UInt64.random(in: 100...127, using: &generator) }
        var hashes = Array(repeating: UInt64(0), count: 40)
        var present: [Int: UInt64] = [:]
        for step in 0..<4_000 {
            let slot = Int.random(in: 0..<40, using: &generator)
            if present[slot] != nil {
                table.remove(slot, in: hashes)
                present[slot] = nil
            } else {
                guard let hash = all.filter({ !present.values.contains($0) }).randomElement(using: &generator) else { continue }
                hashes[slot] = hash
                table.insert(slot, in: hashes)
                present[slot] = hash
            }
            let hash = all.randomElement(using: &generator) ?? 0
            #expect(table.slot(of: hash, in: hashes) == present.first { $0.value == hash }?.key, "seed \(seed), step \(step)")
        }
    }
}
