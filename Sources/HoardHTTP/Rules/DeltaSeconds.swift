// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Seconds as HTTP writes them.
///
/// [RFC 9111 §1.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-1.2.2): a number too large to hold counts as 2³¹.
package enum DeltaSeconds {
    /// 2³¹ seconds, 68 years. Every larger number counts as this one.
    package static let maximum: Int64 = 2_147_483_648

    /// Reads one or more digits and nothing else.
    static func parse(_ bytes: some Collection<UInt8>) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        var seconds: Int64 = 0
        for byte in bytes {
            guard byte.isDigit else { return nil }
            seconds = min(seconds * 10 + Int64(byte - 0x30), maximum)
        }
        return seconds
    }
}
