// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The node of each slot.
struct SlotMap: Sendable, Equatable {
    typealias Address = RedisConfiguration.Address

    private static let nobody = UInt16.max

    /// Every node that owns slots, or has owned some since the map was read.
    private var addresses: [Address] = []
    private var numbers: [Address: UInt16] = [:]
    /// For each slot, the place in `addresses`.
    private var owners = [UInt16](repeating: SlotMap.nobody, count: ClusterSlot.count)

    init() {}

    static func == (one: SlotMap, other: SlotMap) -> Bool {
        (0..<ClusterSlot.count).allSatisfy { one.owner(of: $0) == other.owner(of: $0) }
    }

    /// `nil` if no node owns the slot. O(1).
    func owner(of slot: Int) -> Address? {
        let number = owners[slot]
        return number == Self.nobody ? nil : addresses[Int(number)]
    }

    mutating func assign(_ slots: ClosedRange<Int>, to address: Address) {
        let number = numbers[address] ?? UInt16(addresses.count)
        if Int(number) == addresses.count {
            // A cluster has a thousand nodes at most.
            guard addresses.count < ClusterSlot.count else { return }
            addresses.append(address)
            numbers[address] = number
        }
        for slot in slots { owners[slot] = number }
    }

    /// Whether every slot has an owner. O(slots).
    var isComplete: Bool { !owners.contains(Self.nobody) }

    /// The nodes that own slots. O(slots).
    var masters: Set<Address> {
        Set(Set(owners).filter { $0 != Self.nobody }.map { addresses[Int($0)] })
    }

    /// Whether a slot that had an owner has another one now, or none. O(slots).
    func hasTaken(anySlotFrom older: SlotMap) -> Bool {
        (0..<ClusterSlot.count).contains { slot in
            guard let previous = older.owner(of: slot) else { return false }
            return owner(of: slot) != previous
        }
    }

    /// Reads the reply of `CLUSTER SLOTS`: for each range of slots, its first and last slot, its master, and replicas.
    ///
    /// See <https://redis.io/docs/latest/commands/cluster-slots/>.
    /// - Parameter teller: The node that has answered. Where it leaves out a host, it means its own.
    init(reply: RESPValue, toldBy teller: Address) throws(RedisError) {
        guard case .array(let ranges) = reply else { throw .badSlots }
        // No cluster has more ranges than slots, or more masters than this.
        guard ranges.count <= ClusterSlot.count else { throw .badSlots }
        var count: Int64 = 0
        for range in ranges {
            guard
                case .array(let parts) = range, parts.count >= 3, case .integer(let first) = parts[0], case .integer(let last) = parts[1],
                0 <= first, first <= last, last < ClusterSlot.count, let master = Self.endpoint(parts[2]),
                let address = master.address(toldBy: teller)
            else { throw .badSlots }
            // Each slot is in one range.
            count += last - first + 1
            guard count <= ClusterSlot.count else { throw .badSlots }
            assign(Int(first)...Int(last), to: address)
        }
    }

    private static func endpoint(_ value: RESPValue) -> ClusterEndpoint? {
        guard case .array(let parts) = value, parts.count >= 2, case .integer(let port) = parts[1], 1...65_535 ~= port else { return nil }
        switch parts[0] {
        case .null: return ClusterEndpoint(host: nil, port: Int(port))
        case .bulkString(let bytes):
            let host = String(buffer: bytes)
            return ClusterEndpoint(host: host.isEmpty || host == "?" ? nil : host, port: Int(port))
        case .simpleString(let host): return ClusterEndpoint(host: host.isEmpty || host == "?" ? nil : host, port: Int(port))
        default: return nil
        }
    }
}

extension RedisError {
    static var badSlots: RedisError { RedisError(.protocolViolation, "The server has told in a way that cannot be read where the slots are.") }
}
