// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Foundation has the same, but on Linux it would bring 40 MB of tables that the standard library has already.
#if canImport(Darwin)
    internal import Foundation
#else
    @_spi(_Unicode) internal import Swift
#endif

extension String {
    /// The string in Unicode's normalization form C: equal strings have the same bytes in it, and only these. O(n).
    ///
    /// Swift holds two strings to be equal that spell the same characters in different bytes, such as "é" in one scalar or in two: canonical equivalence,
    /// Unicode Standard Annex 15.
    package var canonicalForm: String {
        // All scalars below U+0300 are in that form, next to whatever of their kind: in UTF-8 these are the bytes below 0xCC.
        if utf8.allSatisfy({ $0 < 0xCC }) { return self }
        #if canImport(Darwin)
            // By itself the second step takes some sequences for composed that are not, such as a Hangul syllable and a trailing consonant.
            return decomposedStringWithCanonicalMapping.precomposedStringWithCanonicalMapping
        #else
            var form = ""
            form.reserveCapacity(utf8.count)
            for scalar in _nfc { form.unicodeScalars.append(scalar) }
            return form
        #endif
    }

    /// The string in normalization form D, which is the longest of its spellings. O(n).
    package var decomposedForm: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        #if canImport(Darwin)
            return decomposedStringWithCanonicalMapping
        #else
            var form = ""
            for scalar in _nfd { form.unicodeScalars.append(scalar) }
            return form
        #endif
    }
}
