// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads the events of blocks, in their order.
package struct TraceBlockDecoder: Sendable {
    /// The header of a block.
    package struct Header: Hashable, Sendable {
        package let byteCount: Int
        package let eventCount: Int
        /// The number of accesses since the block before that were not recorded.
        package let lost: Int
        let firstTick: UInt64
        let isContinuing: Bool
        let checksum: UInt64
        let seed: UInt64

        /// Reads the first ``TraceBlock/headerByteCount`` bytes of a block.
        package init(decoding bytes: ArraySlice<UInt8>) throws(TraceFileFault) {
            guard bytes.count >= TraceBlock.headerByteCount else { throw .truncated }
            let bytes = Array(bytes.prefix(TraceBlock.headerByteCount))
            let mark = bytes.number(at: 0, as: UInt32.self)
            guard mark == TraceBlock.mark || mark == TraceBlock.continuingMark else { throw .corrupt }
            isContinuing = mark == TraceBlock.continuingMark
            byteCount = Int(bytes.number(at: 4, as: UInt32.self))
            eventCount = Int(bytes.number(at: 8, as: UInt32.self))
            lost = Int(bytes.number(at: 12, as: UInt32.self))
            firstTick = bytes.number(at: 16, as: UInt64.self)
            checksum = bytes.number(at: 24, as: UInt64.self)
            seed = bytes.withUnsafeBytes { XXH64.hash(.init(rebasing: $0[..<24])) }
            guard byteCount <= TraceBlock.maximumByteCount, eventCount <= byteCount else { throw .corrupt }
        }
    }

    private var recentKeys = TraceBlock.RecentKeys()
    private var hasBegun = false

    package init() {}

    /// Hands out the events of a block.
    ///
    /// - Parameter bytes: All ``Header/byteCount`` bytes behind the header.
    package mutating func decode(_ bytes: ArraySlice<UInt8>, _ header: Header, _ body: (TraceEvent) -> Void) throws(TraceFileFault) {
        guard bytes.count == header.byteCount else { throw .truncated }
        guard bytes.withUnsafeBytes({ XXH64.hash($0, seed: header.seed) }) == header.checksum else { throw .corrupt }
        guard hasBegun || !header.isContinuing else { throw .corrupt }
        if !header.isContinuing { recentKeys.removeAll() }
        hasBegun = true
        var rest = bytes
        var tick = header.firstTick
        for _ in 0..<header.eventCount {
            let first = try Self.takeByte(&rest)
            guard let kind = TraceEvent.Kind(rawValue: first & 7) else { throw .corrupt }
            let ticks = first >> 5 == 7 ? try Self.takeNumber(&rest) : UInt64(first >> 5)
            let (sum, overflowed) = tick.addingReportingOverflow(ticks)
            guard !overflowed else { throw .corrupt }
            tick = sum
            let key = try takeKey(&rest, isRecent: first & 8 != 0)
            let details = first & 16 == 0 ? nil : try Self.takeDetails(&rest)
            body(TraceEvent(kind, key: key, tick: tick, details: details))
        }
        guard rest.isEmpty else { throw .corrupt }
    }

    private mutating func takeKey(_ rest: inout ArraySlice<UInt8>, isRecent: Bool) throws(TraceFileFault) -> UInt64 {
        if isRecent {
            let key = recentKeys[UInt16(try Self.takeNumber(&rest, byteCount: 2))]
            guard key <= TraceBlock.keyMask else { throw .corrupt }
            return key
        }
        let key = try Self.takeNumber(&rest, byteCount: 6)
        _ = recentKeys.note(key)
        return key
    }

    private static func takeDetails(_ rest: inout ArraySlice<UInt8>) throws(TraceFileFault) -> TraceEvent.Details {
        let contents = try takeByte(&rest)
        var details = TraceEvent.Details()
        if contents & 1 != 0 { details.size = Int(clamping: try takeNumber(&rest)) }
        if contents & 2 != 0 { details.lifetime = try takeNumber(&rest) }
        if contents & 4 != 0 { details.cost = UInt32(clamping: try takeNumber(&rest)) }
        if contents & 8 != 0 { details.group = UInt32(try takeNumber(&rest, byteCount: 4)) }
        if contents & 16 != 0 { details.tier = try takeByte(&rest) }
        return details
    }

    private static func takeByte(_ rest: inout ArraySlice<UInt8>) throws(TraceFileFault) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .corrupt }
        return byte
    }

    private static func takeNumber(_ rest: inout ArraySlice<UInt8>) throws(TraceFileFault) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try takeByte(&rest)
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
        }
        throw .corrupt
    }

    private static func takeNumber(_ rest: inout ArraySlice<UInt8>, byteCount: Int) throws(TraceFileFault) -> UInt64 {
        guard rest.count >= byteCount else { throw .corrupt }
        var number: UInt64 = 0
        for index in 0..<byteCount { number |= UInt64(rest[rest.startIndex + index]) << UInt64(8 * index) }
        rest = rest.dropFirst(byteCount)
        return number
    }
}
