// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Says by which request fields the responses to a key are selected, and which of them are stored:
/// [RFC 9111 §4.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.1).
package struct VariantIndex: Sendable, Hashable {
    /// The most sets of fields that are remembered for one key; the oldest one goes first.
    package static let maximumFieldNameSets = 8

    /// The most variants that the stored form may have.
    package static let maximumVariants = 65_535

    /// A stored response: the fields that it named in `Vary`, and a digest of the request's values in them.
    package struct Variant: Sendable, Hashable {
        package let fieldNames: [String]
        /// 32 hexadecimal digits.
        package let digest: String

        package init(fieldNames: [String], digest: String) {
            self.fieldNames = fieldNames
            self.digest = digest
        }
    }

    /// A random number, part of the key of every variant. Removing the index therefore removes all variants:
    /// a new index never leads to a variant of an old one.
    package let generation: UInt64

    /// The sets of field names that responses have named in `Vary`, most recent first. Names are in lower case and sorted.
    package private(set) var fieldNameSets: [[String]]

    /// The variants that have been stored, most recently stored first.
    package private(set) var variants: [Variant]

    package init(generation: UInt64, fieldNameSets: [[String]] = [], variants: [Variant] = []) {
        self.generation = generation
        self.fieldNameSets = Array(fieldNameSets.prefix(Self.maximumFieldNameSets))
        self.variants = variants
    }

    /// Adds a variant, or moves it to the front.
    ///
    /// - Parameter maximumCount: The most variants to be kept. The ones stored least recently go.
    /// - Returns: The variants that have to go, and whether anything has changed that must be stored: only the order, and only within the
    ///   more recent half, is not worth it.
    package mutating func add(_ variant: Variant, maximumCount: Int) -> (dropped: [Variant], isChanged: Bool) {
        var dropped: [Variant] = []
        var isChanged = false
        if !fieldNameSets.contains(variant.fieldNames) {
            isChanged = true
            fieldNameSets.insert(variant.fieldNames, at: 0)
            if fieldNameSets.count > Self.maximumFieldNameSets {
                let forgotten = fieldNameSets.removeLast()
                dropped = variants.filter { $0.fieldNames == forgotten }
                variants.removeAll { $0.fieldNames == forgotten }
            }
        }
        if let position = variants.firstIndex(of: variant) {
            guard isChanged || position > max(variants.count, maximumCount) / 2 else { return (dropped, false) }
            variants.remove(at: position)
        }
        variants.insert(variant, at: 0)
        let maximumCount = max(1, min(maximumCount, Self.maximumVariants))
        if variants.count > maximumCount {
            dropped += variants[maximumCount...]
            variants.removeSubrange(maximumCount...)
        }
        return (dropped, true)
    }

    /// The weight of the index in memory, in bytes.
    package var weight: Int {
        fieldNameSets.reduce(128 + variants.count * 64) { $0 + $1.reduce(64) { $0 + $1.utf8.count + 32 } }
    }
}
