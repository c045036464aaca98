// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Candidates
internal import Foundation
internal import Segments

#if WITH_STORE
    internal import TodaysStore
#endif

/// The subjects that can be measured, by their names on the command line.
enum Subjects {
    static let names: [String] = {
        var names = ["rows-by-hash", "rows-in-order", "segments"]
        #if WITH_LMDB
            names.append("lmdb")
        #endif
        #if WITH_ROCKSDB
            names.append("rocksdb")
        #endif
        #if WITH_STORE
            names.append("store")
        #endif
        return names
    }()

    static func open(_ name: String, _ options: CandidateOptions) throws -> any Subject {
        try FileManager.default.createDirectory(atPath: options.directory, withIntermediateDirectories: true)
        switch name {
        case "rows-by-hash": return QueuedCandidate(try RowsByHash(options))
        case "rows-in-order": return QueuedCandidate(try RowsInOrder(options))
        case "segments": return QueuedCandidate(try SegmentCandidate(options))
        #if WITH_LMDB
            case "lmdb": return QueuedCandidate(try LMDB(options))
        #endif
        #if WITH_ROCKSDB
            case "rocksdb": return QueuedCandidate(try RocksDB(options))
        #endif
        #if WITH_STORE
            case "store": return try TodaysStore(options)
        #endif
        default: throw UsageError(description: "There is no subject \(name). Known are \(names.joined(separator: ", ")).")
        }
    }

    static func statistics(_ subject: any Subject) -> SegmentStore.Statistics? {
        ((subject as? QueuedCandidate)?.candidate as? SegmentCandidate)?.store.statistics
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// Keys and payloads. The order of the keys' numbers says nothing about the order of the keys.
struct Material: Sendable {
    private let payloads: [[UInt8]]

    init(byteCount: Int) {
        var generator = SplitMix64(state: 7)
        payloads = (0..<32).map { _ in (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) } }
    }

    /// 30 bytes.
    func key(_ number: Int) -> [UInt8] {
        // A permutation of the numbers of 32 bits.
        var mixed = UInt32(truncatingIfNeeded: number) &* 0x9E37_79B1
        mixed = (mixed ^ (mixed >> 15)) &* 0x85EB_CA6B
        mixed ^= mixed >> 13
        var key = Array("https://example.org/i/".utf8)
        for shift in stride(from: UInt32(28), through: 0, by: -4) {
            let digit = UInt8(mixed >> shift & 15)
            key.append(digit < 10 ? 48 + digit : 87 + digit)
        }
        return key
    }

    func payload(_ number: Int) -> [UInt8] { payloads[number % payloads.count] }
}

struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
