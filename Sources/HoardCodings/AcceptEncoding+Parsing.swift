// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension AcceptEncoding {
    /// The name of a member and its weight. `nil` if the weight is malformed.
    static func parts(of member: UnsafeRawBufferPointer) -> (name: UnsafeRawBufferPointer, quality: Quality)? {
        let nameEnd = member.firstIndex(of: UInt8(ascii: ";")) ?? member.count
        let name = UnsafeRawBufferPointer(rebasing: member[..<nameEnd]).trimmed
        if nameEnd == member.count { return (name, 1000) }
        return weight(UnsafeRawBufferPointer(rebasing: member[(nameEnd + 1)...]).trimmed).map { (name, $0) }
    }

    /// Reads a member: `codings [ OWS ";" OWS "q=" qvalue ]`.
    mutating func readMember(_ member: UnsafeRawBufferPointer) {
        guard let (name, quality) = Self.parts(of: member) else { return }
        if let coding = ContentCoding(token: name) {
            self[coding] = max(self[coding] ?? 0, quality)
        } else if name.isToken("identity") {
            identity = max(identity ?? 0, quality)
        } else if name.isToken("*") {
            others = max(others ?? 0, quality)
        }
    }

    /// Reads a weight, such as `q=0.75` (RFC 9110, section 12.4.2). `nil` if it is none.
    private static func weight(_ text: UnsafeRawBufferPointer) -> Quality? {
        guard text.count >= 3, text.count <= 7, text[0] | 0x20 == UInt8(ascii: "q"), text[1] == UInt8(ascii: "=") else { return nil }
        guard text[2] == UInt8(ascii: "0") || text[2] == UInt8(ascii: "1") else { return nil }
        if text.count > 3, text[3] != UInt8(ascii: ".") { return nil }
        var (quality, unit) = (text[2] == UInt8(ascii: "1") ? 1000 : 0, 100)
        for digit in text.dropFirst(4) {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            quality += Int(digit - UInt8(ascii: "0")) * unit
            unit /= 10
        }
        return quality <= 1000 ? quality : nil
    }
}
