// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The fields of a plain head: each is a line of its name, a colon, one space, its value and CR LF.
///
/// The bytes are there only as long as their owner says.
package struct PlainLines: Sequence, IteratorProtocol {
    package struct Line {
        /// With CR LF.
        package let bytes: UnsafeRawBufferPointer
        fileprivate let nameByteCount: Int

        package var name: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<nameByteCount]) }
        package var value: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[(nameByteCount + 2)..<(bytes.count - 2)]) }

        /// Whether the line is of this field.
        ///
        /// - Parameter name: In small letters.
        @inline(__always)
        package func isNamed(_ name: StaticString) -> Bool {
            guard nameByteCount == name.utf8CodeUnitCount else { return false }
            for index in 0..<nameByteCount where bytes[index].lowercased != name.utf8Start[index] { return false }
            return true
        }

        /// Whether both lines are of one field.
        package func hasName(of other: Line) -> Bool {
            guard nameByteCount == other.nameByteCount else { return false }
            for index in 0..<nameByteCount where bytes[index].lowercased != other.bytes[index].lowercased { return false }
            return true
        }
    }

    private var rest: UnsafeRawBufferPointer

    /// - Parameter bytes: Whole lines.
    package init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    /// The next line. O(*n*) in its bytes.
    package mutating func next() -> Line? {
        var colon = 0
        while colon < rest.count, rest[colon] != .colon { colon += 1 }
        var end = colon
        while end < rest.count, rest[end] != UInt8(ascii: "\r") { end += 1 }
        guard end + 2 <= rest.count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[(end + 2)...]) }
        return Line(bytes: UnsafeRawBufferPointer(rebasing: rest[..<(end + 2)]), nameByteCount: colon)
    }
}

extension HTTPFields {
    /// The fields of plain lines.
    ///
    /// - Parameter isIncluded: Whether a field is wanted, by its name.
    package init(_ lines: PlainLines, where isIncluded: (UnsafeRawBufferPointer) -> Bool = { _ in true }) {
        self.init()
        for line in lines where isIncluded(line.name) {
            guard let name = HTTPField.Name(String(decoding: line.name, as: UTF8.self)) else { continue }
            append(HTTPField(name: name, value: String(decoding: line.value, as: UTF8.self)))
        }
    }
}
