// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The name of a partition, compared byte for byte, as keys are: two spellings of "é" are two partitions.
struct PartitionName: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// What stands for the partition among tags. Different names give different ones, however strings are compared.
    var label: String {
        // Strings of ASCII are equal only if their bytes are.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return "\u{0}\u{0}=" + text }
        return "\u{0}\u{0}#" + text.utf8.map { String($0, radix: 16) }.joined(separator: " ")
    }
}
