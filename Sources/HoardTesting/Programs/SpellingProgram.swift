// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard

/// A random program with keys, tags and names that Swift holds to be equal though their bytes differ, against a dictionary.
///
/// Every reading is made by memory and by a new cache over the same stores: a value that memory has removed must not
/// come back from below.
package struct SpellingProgram: Sendable {
    private struct Held: Sendable {
        var value: Int
        var tags: Set<String>
        /// Partitions are compared byte for byte.
        var partition: ExactText?
    }

    /// Spellings of equal strings. Those in one row are one key, or one tag, and as many partitions.
    package static let rows: [[String]] = [
        ["caf\u{E9}", "cafe\u{301}"], ["\u{212B}", "\u{C5}", "A\u{30A}"], ["\u{AC01}", "\u{1100}\u{1161}\u{11A8}", "\u{AC00}\u{11A8}"],
        ["a\u{323}\u{307}", "a\u{307}\u{323}", "\u{1EA1}\u{307}"], ["\u{37E}", ";"], ["plain"], ["-0.0"], ["0.0"],
    ]

    private let seed: UInt64
    private let stepCount: Int

    package init(seed: UInt64, stepCount: Int = 24) {
        self.seed = seed
        self.stepCount = stepCount
    }

    /// Runs the program in a namespace of its own.
    ///
    /// - Returns: The problem; `nil` if there was none.
    package func failure(over stores: StoreStack, _ time: some Ticker & WallClock) async -> String? {
        var generator = SeededGenerator(seed: seed)
        var events: [String] = []
        var model: [String: Held] = [:]
        func word() -> String { Self.rows.randomElement(using: &generator)?.randomElement(using: &generator) ?? "" }
        func makeCache() -> TieredCache<String, Int> {
            let spelling = ["program\u{E9}", "programe\u{301}"].randomElement(using: &generator) ?? ""
            return TieredCache(
                name: "\(spelling) \(seed)",
                configuration: .init(maximumCount: 100),
                stores: stores,
                codec: .json,
                clock: time,
                ticker: time
            )
        }
        var cache = makeCache()
        for number in 0..<stepCount {
            let (key, tag) = (word(), word())
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<4:
                let tags = Set((0..<Int.random(in: 0...2, using: &generator)).map { _ in word() })
                let partition = Bool.random(using: &generator) ? word() : nil
                events.append("write \(number) for \(bytes(key)), tags \(tags.map(bytes).sorted()), partition \(partition.map(bytes) ?? "none")")
                if Bool.random(using: &generator) {
                    await cache.insert(number, forKey: key, tags: tags, partition: partition)
                } else {
                    await cache.insert(contentsOf: [key: number], tags: tags, partition: partition)
                }
                model[key] = Held(value: number, tags: tags, partition: partition.map { ExactText($0) })
            case 4:
                events.append("remove \(bytes(key))")
                await cache.removeValue(forKey: key)
                model[key] = nil
            case 5:
                events.append("remove the tag \(bytes(tag))")
                await cache.removeValues(taggedWith: tag)
                model = model.filter { !$0.value.tags.contains(tag) }
            case 6:
                events.append("remove the partition \(bytes(tag))")
                await cache.removePartition(tag)
                model = model.filter { $0.value.partition != ExactText(tag) }
            case 7:
                events.append("an empty memory")
                cache = makeCache()
            default:
                break
            }
            let expected = model[key]?.value
            let other = makeCache()
            let found = (await cache.value(forKey: key), await other.value(forKey: key), await other.values(forKeys: [key])[key])
            if found.0 != expected || found.1 != expected || found.2 != expected {
                return "Seed \(seed): \(bytes(key)) gave \(found), and not \(String(describing: expected)), after: \(events.joined(separator: "; "))"
            }
        }
        await stores.removeNamespace("programe\u{301} \(seed)")
        let last = makeCache()
        for key in model.keys {
            if let value = await last.value(forKey: key) { return "Seed \(seed): \(bytes(key)) gave \(value) after its namespace had been removed." }
        }
        return nil
    }

    private func bytes(_ text: String) -> String { text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ") }
}
