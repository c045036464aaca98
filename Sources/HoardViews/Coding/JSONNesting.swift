// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The check of bytes before they go to a decoder that calls itself for each level.
enum JSONNesting {
    /// The bytes without a byte order mark, if they may be UTF-8 JSON that is nested no deeper than allowed. One pass without recursion; O(bytes).
    ///
    /// Whether they are JSON is the decoder's to say. A zero byte is refused here, as JSON cannot contain one. UTF-16 and UTF-32 are full of them. A
    /// decoder might read these (RFC 8259 §8.1 has UTF-8 only), and the count of levels would be wrong.
    static func checked(_ data: Data, maximumDepth: Int) throws(ComponentCodingError) -> Data {
        let json = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        switch json.withUnsafeBytes({ scan($0, maximumDepth: maximumDepth) }) {
        case .fine: return json
        case .tooDeep:
            throw ComponentCodingError(
                .tooDeep,
                "The screen is nested deeper than \(maximumDepth) levels, which is how deep components may be."
            )
        case .noText: throw ComponentCodingError(.notJSON, "The screen is not JSON in UTF-8.")
        }
    }

    private enum Finding { case fine, tooDeep, noText }

    private static func scan(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int) -> Finding {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if byte == 0 { return .noText }
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > maximumDepth { return .tooDeep }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return .fine
    }
}
