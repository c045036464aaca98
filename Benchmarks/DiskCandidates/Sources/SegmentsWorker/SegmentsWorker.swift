// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Segments

/// Changes a store at random until it is killed, and tells on standard output its next
/// changes and the acknowledged ones.
///
///     SegmentsWorker DIRECTORY SEED KEYS SEGMENT-BYTES [MAXIMUM-BYTES]
///
/// Lines: `? BATCH KEY VERSION` before a change is committed (version 0 is a removal), `! BATCH` when the batch has been acknowledged. Each line is one write, so a
/// killed process leaves whole lines.
@main
enum SegmentsWorker {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let seed = UInt64(arguments[2]), let keys = Int(arguments[3]), let segmentBytes = Int(arguments[4]) else {
            fatalError("Say directory, seed, number of keys and length of a segment.")
        }
        let maximumBytes = arguments.count > 5 ? Int(arguments[5]) : nil
        var generator = Generator(state: seed)
        let store = try SegmentStore(.init(directory: arguments[1], maximumBytes: maximumBytes, segmentBytes: segmentBytes))
        var batch = 0
        var version = Int(seed % 1_000_000) * 1_000_000
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        while true {
            batch += 1
            var changes: [SegmentChange] = []
            var text = ""
            for _ in 0...Int(generator.next() % 24) {
                let key = Int(generator.next() % UInt64(keys))
                version += 1
                let isRemoval = generator.next() % 5 == 0
                text += "? \(batch) \(key) \(isRemoval ? 0 : version)\n"
                changes.append(SegmentChange(key: WorkerPayload.key(key), payload: isRemoval ? nil : WorkerPayload.payload(key, version)))
            }
            write(text)
            try store.commit(changes)
            write("! \(batch)\n")
            // Reading makes records hot, so that the hand has something to spare.
            for _ in 0..<4 { _ = try store.read(WorkerPayload.key(Int(generator.next() % UInt64(keys / 8 + 1))), into: buffer) }
        }
    }

    private static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

    struct Generator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}

/// Keys, and payloads that tell their key and version.
enum WorkerPayload {
    static func key(_ number: Int) -> [UInt8] { Array("key-\(number)".utf8) }

    static func payload(_ key: Int, _ version: Int) -> [UInt8] {
        let head = Array("\(key) \(version) ".utf8)
        let length = 20 + (version &* 2_654_435_761 >> 7) % 900
        return head + (0..<length).map { UInt8(truncatingIfNeeded: version &+ $0) }
    }
}
