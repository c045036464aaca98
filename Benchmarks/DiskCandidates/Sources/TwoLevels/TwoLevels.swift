// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Replays access traces through a memory tier and a disk tier. See README.md.
@main
enum TwoLevels {
    private static let help = """
        Usage: two-levels FOLDER [--memory 0.01] [--disk 0.1] [--json]

        FOLDER has access traces as text, one request a line, packed with gzip: the first column is the key. Prints, for each way to evict and to admit, the disk's own
        hit ratio (of the requests that memory did not answer) less that of LRU that admits everything, and the writes for each request.
        """

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let folder = arguments.first, folder != "--help" else { return print(help) }
        func option(_ name: String, _ standard: Double) -> Double {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? Double(arguments[$0 + 1]) : nil } ?? standard
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".txt.gz") }.sorted()
        var table = Comparison(asJSON: arguments.contains("--json"))
        for name in names {
            let requests = try requests(of: "\(folder)/\(name)")
            table.add(name.replacingOccurrences(of: ".txt.gz", with: ""), requests, memory: option("--memory", 0.01), disk: option("--disk", 0.1))
        }
        table.finish()
    }

    /// The keys, numbered in the order of their first appearance.
    private static func requests(of path: String) throws -> [Int] {
        let unpack = Process()
        unpack.executableURL = URL(fileURLWithPath: "/bin/gzip")
        unpack.arguments = ["-dc", path]
        let output = Pipe()
        unpack.standardOutput = output
        try unpack.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        unpack.waitUntilExit()
        var numbers: [UInt64: Int] = [:]
        var requests: [Int] = []
        var key: UInt64 = 0
        var isKey = true
        for byte in text {
            if byte == 10 {
                let number = numbers[key] ?? numbers.count
                numbers[key] = number
                requests.append(number)
                key = 0
                isKey = true
            } else if isKey, byte >= 48, byte <= 57 {
                key = key &* 10 &+ UInt64(byte - 48)
            } else {
                isKey = false
            }
        }
        return requests
    }
}

/// All ways, on all access traces.
struct Comparison {
    private struct Way: Hashable {
        var policy: String
        var admission: Admission
    }

    private let asJSON: Bool
    private var ways: [Way] = []
    private var gains: [Way: [Double]] = [:]
    private var both: [Way: [Double]] = [:]
    private var writes: [Way: [Double]] = [:]

    init(asJSON: Bool) { self.asJSON = asJSON }

    mutating func add(_ name: String, _ requests: [Int], memory: Double, disk: Double) {
        let keys = (requests.max() ?? 0) + 1
        let memoryCapacity = max(Int(Double(keys) * memory), 10)
        let capacity = max(Int(Double(keys) * disk), 20)
        var baseline: Outcome?
        for admission in Admission.allCases {
            for (policy, run) in policies(capacity, keys) {
                // A sketch of the disk's size: a key has to be remembered for as long as the disk keeps others.
                var cache = TwoLevelCache(memory: memoryCapacity, keys: keys, sketch: capacity, admission: admission)
                let outcome = run(&cache, requests)
                let base = baseline ?? outcome
                baseline = base
                let way = Way(policy: policy, admission: admission)
                if gains[way] == nil { ways.append(way) }
                gains[way, default: []].append((outcome.ownRatio - base.ownRatio) * 100)
                both[way, default: []].append((outcome.bothRatio - base.bothRatio) * 100)
                writes[way, default: []].append(outcome.writesPerRequest)
                if asJSON {
                    print(
                        "{\"trace\":\"\(name)\",\"policy\":\"\(policy)\",\"admission\":\"\(admission.rawValue)\",\"memory\":\(memoryCapacity),\"disk\":\(capacity),"
                            + String(
                                format: "\"disk hit ratio\":%.4f,\"hit ratio of both\":%.4f,\"writes per request\":%.4f}",
                                outcome.ownRatio,
                                outcome.bothRatio,
                                outcome.writesPerRequest
                            )
                    )
                }
            }
        }
    }

    private typealias Run = (inout TwoLevelCache, [Int]) -> Outcome

    private func policies(_ capacity: Int, _ keys: Int) -> [(String, Run)] {
        // A segment of the store is a hundredth of a store or less.
        let segment = max(capacity / 64, 1)
        return [
            ("LRU", { $0.replay($1, disk: LRU(capacity: capacity, keys: keys)) }),
            ("FIFO", { $0.replay($1, disk: Clock(capacity: capacity, keys: keys, maximum: 0)) }),
            ("FIFO, reinsertion", { $0.replay($1, disk: Clock(capacity: capacity, keys: keys, maximum: 1)) }),
            ("CLOCK, 2 bits", { $0.replay($1, disk: Clock(capacity: capacity, keys: keys, maximum: 3)) }),
            ("CLOCK, segments", { $0.replay($1, disk: Clock(capacity: capacity, keys: keys, maximum: 3, segment: segment)) }),
            (
                "CLOCK, segments, quarter",
                { $0.replay($1, disk: Clock(capacity: capacity, keys: keys, maximum: 3, segment: segment, sparedShare: 0.25)) }
            ),
            ("SIEVE", { $0.replay($1, disk: Sieve(capacity: capacity, keys: keys)) }),
            ("S3-FIFO", { $0.replay($1, disk: SmallAndMain(capacity: capacity, keys: keys, smallShare: 0.1, ghostShare: 0.9, needsGhost: false)) }),
            (
                "S3-FIFO, segments",
                {
                    $0.replay(
                        $1,
                        disk: SmallAndMain(
                            capacity: capacity,
                            keys: keys,
                            smallShare: 0.1,
                            ghostShare: 0.9,
                            needsGhost: false,
                            segment: segment
                        )
                    )
                }
            ),
            ("LRU, a tenth on trial", { $0.replay($1, disk: TriedLRU(capacity: capacity, keys: keys, trialShare: 0.1, ghostShare: 0.5)) }),
            ("LRU, a fifth on trial", { $0.replay($1, disk: TriedLRU(capacity: capacity, keys: keys, trialShare: 0.2, ghostShare: 0.5)) }),
            ("LRU, a fifth, no ghosts", { $0.replay($1, disk: TriedLRU(capacity: capacity, keys: keys, trialShare: 0.2, ghostShare: 0)) }),
            ("2Q", { $0.replay($1, disk: SmallAndMain(capacity: capacity, keys: keys, smallShare: 0.25, ghostShare: 0.5, needsGhost: true)) }),
        ]
    }

    func finish() {
        guard !asJSON else { return }
        print(
            "points over LRU that admits everything: mean of \(gains.first?.value.count ?? 0) access traces; rows under by more than 0.5; worst; both tiers; writes per request\n"
        )
        print("| Evicts | Admits | Disk's own | Under | Worst | Both tiers | Writes |\n| --- | --- | --: | --: | --: | --: | --: |")
        for way in ways {
            let gain = gains[way] ?? []
            func mean(_ values: [Double]?) -> Double { (values ?? []).reduce(0, +) / Double(max(values?.count ?? 0, 1)) }
            let numbers = String(
                format: "%+.2f | %d | %+.1f | %+.2f | %.3f",
                mean(gain),
                gain.count { $0 < -0.5 },
                gain.min() ?? 0,
                mean(both[way]),
                mean(writes[way])
            )
            print("| \(way.policy) | \(way.admission.rawValue) | \(numbers) |")
        }
    }
}
