// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Other paths that servers take a path for, although they are different paths by [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986).
///
/// Some servers read `%2F`, backslashes or `%5C` as slashes. Some cut parameters off segments (`/staff;x/`), before or after that. Some read several slashes
/// as one. Some take the text after two slashes at the beginning for a host. A server may do any of these and not the others. All paths here are in the form
/// of ``RoutePath/normalized(_:)``, so they have no plain dot segments, only hidden ones.
enum PathReadings {
    private static let slash = UInt8(ascii: "/")

    /// Whether any server may read a path as another one. O(*n*) in its bytes, without an allocation.
    static func exist(for path: String) -> Bool {
        var (last, lastButOne): (UInt8, UInt8) = (0, 0)
        return path.utf8.contains { byte in
            defer { (last, lastButOne) = (byte, last) }
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: ";"): return true
            case slash: return last == slash
            case UInt8(ascii: "F"), UInt8(ascii: "f"): return last == UInt8(ascii: "2") && lastButOne == UInt8(ascii: "%")
            case UInt8(ascii: "C"), UInt8(ascii: "c"): return last == UInt8(ascii: "5") && lastButOne == UInt8(ascii: "%")
            default: return false
            }
        }
    }

    /// Whether a segment is `.` or `..` for a server that reads slashes or parameters where there are none, such as in `/x/..;/staff/`. O(*n*) in the bytes.
    static func hideDots(in path: String) -> Bool {
        let bytes = Array(path.utf8)
        var (index, dots, hasOther, isCut) = (0, 0, false, false)
        while index < bytes.count {
            let (kind, length) = kind(of: bytes, at: index)
            index += length
            switch kind {
            case .slash, .backslash, .encodedSlash, .encodedBackslash:
                if !hasOther, dots == 1 || dots == 2 { return true }
                (dots, hasOther, isCut) = (0, false, false)
            case .semicolon: isCut = true
            case .other(UInt8(ascii: ".")) where !isCut: dots += 1
            case .other: if !isCut { hasOther = true }
            }
        }
        return !hasOther && (dots == 1 || dots == 2)
    }

    /// The beginnings of all readings. At most 72; O(*n*) in the bytes for each.
    ///
    /// - Parameters:
    ///   - path: Without dot segments that are hidden.
    ///   - keptCount: So many bytes at the beginning are read by all servers as they are.
    ///   - count: So many bytes of each reading are wanted.
    static func beginnings(of path: String, keeping keptCount: Int, count: Int) -> [[UInt8]] {
        let bytes = Array(path.utf8)
        var beginnings: [[UInt8]] = []
        for backslashes in Backslashes.allCases {
            for parameters in Parameters.allCases {
                for readsEncoded in [false, true] {
                    let reading = Reading(backslashes: backslashes, parameters: parameters, readsEncodedSlashes: readsEncoded)
                    let beginning = reading.beginning(of: bytes, keeping: keptCount, count: max(2, count))
                    beginnings.append(beginning)
                    beginnings.append(reading.beginning(of: bytes, keeping: keptCount, count: count, mergesSlashes: true))
                    guard keptCount == 0, beginning.starts(with: [slash, slash]) else { continue }
                    let behindHost = withoutHost(reading.beginning(of: bytes, keeping: 0, count: .max))
                    beginnings += [behindHost, merging(behindHost)]
                }
            }
        }
        return beginnings
    }

    // MARK: One reading

    private enum Backslashes: CaseIterable { case kept, slashes, slashesEvenEncoded }

    private enum Parameters: CaseIterable { case kept, cutBeforeDecoding, cutAfterDecoding }

    private struct Reading {
        let backslashes: Backslashes
        let parameters: Parameters
        let readsEncodedSlashes: Bool

        func beginning(of bytes: [UInt8], keeping keptCount: Int, count: Int, mergesSlashes: Bool = false) -> [UInt8] {
            var result = Array(bytes[..<min(bytes.count, keptCount)])
            var (index, isCut) = (keptCount, false)
            while index < bytes.count, result.count < count {
                let (kind, length) = PathReadings.kind(of: bytes, at: index)
                let isSlash =
                    switch kind {
                    case .slash: true
                    case .backslash: backslashes != .kept
                    case .encodedSlash: readsEncodedSlashes
                    case .encodedBackslash: backslashes == .slashesEvenEncoded
                    case .semicolon, .other: false
                    }
                if kind == .semicolon, parameters != .kept {
                    isCut = true
                } else if isSlash, !isCut || kind == .slash || parameters == .cutAfterDecoding {
                    isCut = false
                    if !mergesSlashes || result.last != PathReadings.slash { result.append(PathReadings.slash) }
                } else if !isCut {
                    result += bytes[index..<index + length]
                }
                index += length
            }
            return result
        }
    }

    /// A reading that begins with two slashes, without the part behind them that some servers take for a host.
    private static func withoutHost(_ reading: [UInt8]) -> [UInt8] { Array(reading.dropFirst(2).drop { $0 != slash }) }

    private static func merging(_ reading: [UInt8]) -> [UInt8] {
        reading.reduce(into: []) { if $1 != slash || $0.last != slash { $0.append($1) } }
    }

    private enum Kind: Equatable {
        case slash, backslash, encodedSlash, encodedBackslash, semicolon
        case other(UInt8)
    }

    private static func kind(of bytes: [UInt8], at index: Int) -> (kind: Kind, length: Int) {
        switch bytes[index] {
        case slash: return (.slash, 1)
        case UInt8(ascii: "\\"): return (.backslash, 1)
        case UInt8(ascii: ";"): return (.semicolon, 1)
        case UInt8(ascii: "%") where index + 2 < bytes.count:
            switch (bytes[index + 1], bytes[index + 2] | 0x20) {
            case (UInt8(ascii: "2"), UInt8(ascii: "f")): return (.encodedSlash, 3)
            case (UInt8(ascii: "5"), UInt8(ascii: "c")): return (.encodedBackslash, 3)
            default: return (.other(bytes[index]), 1)
            }
        default: return (.other(bytes[index]), 1)
        }
    }
}
