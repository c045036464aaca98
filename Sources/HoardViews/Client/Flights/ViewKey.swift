// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Names a screen in this process: everything that can change the answer.
///
/// All that is compared is ASCII: Swift takes other strings for equal that differ in their bytes, and two users' names may be such strings.
struct ViewKey: Hashable, Sendable {
    /// The URL in its normal form, and a digest of the request fields.
    let address: String
    /// The group that owns it; `nil` for none.
    let partition: PartitionName?
    /// Sensitive screens and others never answer for each other.
    let isSensitive: Bool

    init(address: String, partition: String?, isSensitive: Bool) {
        self.init(address, partition.map { PartitionName($0) }, isSensitive)
    }

    private init(_ address: String, _ partition: PartitionName?, _ isSensitive: Bool) {
        self.address = address
        self.partition = partition
        self.isSensitive = isSensitive
    }

    /// The name for a cache manager. Different keys have different names: neither a label nor an address contains a space, except before the digest.
    var identifier: String {
        "\(isSensitive ? "sensitive" : "view") \(partition?.label ?? "-") \(address)"
    }

    /// The same screen, sensitive or not.
    func sensitive(_ isSensitive: Bool) -> ViewKey { ViewKey(address, partition, isSensitive) }
}

/// The name of a partition, equal to others by its bytes.
struct PartitionName: Hashable, Sendable {
    let name: String
    /// The name in ASCII: letters, digits, `.` and `_` as they are, every other byte percent-encoded.
    let label: String

    init(_ name: String) {
        self.name = name
        var label: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "_"):
                label.append(byte)
            default:
                label.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 0x0F] { label.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10) }
            }
        }
        self.label = String(decoding: label, as: UTF8.self)
    }

    static func == (left: Self, right: Self) -> Bool { left.label == right.label }

    func hash(into hasher: inout Hasher) { hasher.combine(label) }
}

/// What a flight brings: a screen as it is now, or as it is kept.
struct FlightKey: Hashable, Sendable {
    enum Purpose: Hashable, Sendable { case answer, kept }

    let view: ViewKey
    let purpose: Purpose
}

/// What a removal removes.
enum RemovalScope: Hashable, Sendable {
    case view(ViewKey)
    case partition(PartitionName)
    case all

    func covers(_ key: ViewKey) -> Bool {
        switch self {
        case .view(let removed): removed == key
        case .partition(let removed): removed == key.partition
        case .all: true
        }
    }
}
