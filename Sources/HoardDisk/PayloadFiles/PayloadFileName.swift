// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The name of a payload file.
///
/// A file is written once and never changed. Overwriting a key makes a new file with the same `id` and a new `nonce`.
struct PayloadFileName: Hashable, Sendable {
    /// A keyed hash of the key.
    let id: Int64
    /// A random number.
    let nonce: UInt64
}

extension PayloadFileName {
    /// The number of the file's folder, of 256: the first byte of the hexadecimal `id`.
    var folder: UInt8 { UInt8(truncatingIfNeeded: UInt64(bitPattern: id) >> 56) }

    /// The file's name in its folder, such as `abcdef0123456789-0123456789abcdef`.
    var fileName: String { "\(Hexadecimal.string(UInt64(bitPattern: id)))-\(Hexadecimal.string(nonce))" }

    /// The name of a folder, such as `ab`.
    static func folderName(_ folder: UInt8) -> String {
        String(Hexadecimal.string(UInt64(folder)).suffix(2))
    }

    /// The path below the store's directory, such as `payloads/ab/abcdef0123456789-0123456789abcdef`.
    var relativePath: String { "\(PayloadFiles.folderName)/\(Self.folderName(folder))/\(fileName)" }

    /// Reads a name that was found in a folder. `nil` unless it is exactly the ``fileName`` that a file would have there.
    init?(fileName: String, inFolder folder: UInt8) {
        let bytes = Array(fileName.utf8)
        guard bytes.count == 33, bytes[16] == UInt8(ascii: "-") else { return nil }
        guard let id = Hexadecimal.number(bytes[..<16]), let nonce = Hexadecimal.number(bytes[17...]) else { return nil }
        self.init(id: Int64(bitPattern: id), nonce: nonce)
        guard self.folder == folder else { return nil }
    }

    /// Reads the last two components of a path.
    init?(folderName: String, fileName: String) {
        let digits = Array(folderName.utf8)
        guard digits.count == 2, let folder = Hexadecimal.number(digits[...]) else { return nil }
        self.init(fileName: fileName, inFolder: UInt8(truncatingIfNeeded: folder))
    }
}

/// Numbers as lower-case hexadecimal digits.
enum Hexadecimal {
    /// All 16 digits of `number`.
    static func string(_ number: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { digits in
            for position in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: (number >> UInt64(60 - 4 * position)) & 15)
                digits[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return 16
        }
    }

    /// The number that up to 16 digits stand for; `nil` if one is not a digit, or an upper-case one.
    static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.count <= 16 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
