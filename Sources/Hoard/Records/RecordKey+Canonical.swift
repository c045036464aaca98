// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension RecordKey {
    /// Creates a key from a string's UTF-8 bytes in normalization form C. Strings that are equal in Swift give equal keys.
    ///
    /// For the mapping of a cache's own keys: its memory compares keys as Swift does, and equal keys must have equal records.
    ///
    /// ```swift
    /// RecordKey("caf\u{E9}") == RecordKey("cafe\u{301}")                          // false
    /// RecordKey(canonical: "caf\u{E9}") == RecordKey(canonical: "cafe\u{301}")    // true
    /// ```
    ///
    /// O(n).
    public init(canonical string: some StringProtocol) {
        self.init(String(string).canonicalForm)
    }

    /// The name of the record of a key that has a lossless text form, the same for equal keys.
    package init<Key: LosslessStringConvertible & Equatable>(of key: Key) {
        let text = key.description
        let other = text == "-0.0" ? "0.0" : text.canonicalForm
        guard !other.hasSameBytes(as: text) else {
            self.init(text)
            return
        }
        // Not all types compare as strings do: the two spellings of one letter are two `Unicode.Scalar`s.
        self.init(Key(other) == key ? other : text)
    }
}

extension String {
    fileprivate func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
