// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A frame of HTTP/2 as it is written: [RFC 9113 §4.1](https://www.rfc-editor.org/rfc/rfc9113#section-4.1).
struct FuzzedFrame: Equatable, CustomStringConvertible {
    static let data: UInt8 = 0x0
    static let headers: UInt8 = 0x1
    static let reset: UInt8 = 0x3
    static let settings: UInt8 = 0x4
    static let pushPromise: UInt8 = 0x5
    static let goAway: UInt8 = 0x7
    static let windowUpdate: UInt8 = 0x8

    let kind: UInt8
    let flags: UInt8
    let stream: UInt32
    let payload: [UInt8]

    var description: String { "\(kind)/\(flags) on \(stream): \(payload)" }

    /// - Returns: Also how many bytes are left that are no whole frame.
    static func read(_ bytes: [UInt8]) -> (frames: [FuzzedFrame], rest: Int) {
        var frames: [FuzzedFrame] = []
        var index = 0
        while index + 9 <= bytes.count {
            func integer(_ range: Range<Int>) -> UInt32 { range.reduce(0) { $0 << 8 | UInt32(bytes[index + $1]) } }
            let end = index + 9 + Int(integer(0..<3))
            guard end <= bytes.count else { break }
            frames.append(
                FuzzedFrame(
                    kind: bytes[index + 3],
                    flags: bytes[index + 4],
                    stream: integer(5..<9) & 0x7FFF_FFFF,
                    payload: Array(bytes[(index + 9)..<end])
                )
            )
            index = end
        }
        return (frames, bytes.count - index)
    }

    /// The frames of each stream in their order. The codec keeps no order among streams. How often it asks for
    /// more depends on the bytes that come at once.
    static func byStream(_ frames: [FuzzedFrame]) -> [FuzzedFrame] {
        let groups = Dictionary(grouping: frames.filter { $0.kind != windowUpdate }, by: \.stream)
        return groups.keys.sorted().flatMap { groups[$0] ?? [] }
    }

    /// Whether there are empty settings, and behind them only frames of responses.
    static func areMessagesOnly(_ frames: [FuzzedFrame]) -> Bool {
        guard let first = frames.first, first.kind == settings, first.flags == 0, first.payload.isEmpty else { return false }
        return frames.dropFirst().allSatisfy { ![reset, settings, pushPromise, goAway, windowUpdate].contains($0.kind) }
    }
}
