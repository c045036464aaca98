// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads JSON that is known to be nested no deeper than the stack allows.
struct JSONReader {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    /// The value that the bytes are; `nil` if they are not JSON. O(bytes).
    ///
    /// A number that is too big and a text that is not Unicode are ``JSONValue/unusable``: the decoder may have passed them by.
    static func read(_ bytes: UnsafeRawBufferPointer) -> JSONValue? {
        var reader = JSONReader(bytes: bytes)
        guard let value = reader.value() else { return nil }
        reader.skipSpace()
        return reader.index == bytes.count ? value : nil
    }

    private init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    /// Whether the byte was there; goes past it if so.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        index += 1
        return true
    }

    private mutating func take(_ word: StaticString) -> Bool {
        guard bytes.count - index >= word.utf8CodeUnitCount else { return false }
        let isThere = (0..<word.utf8CodeUnitCount).allSatisfy { bytes[index + $0] == word.utf8Start[$0] }
        if isThere { index += word.utf8CodeUnitCount }
        return isThere
    }

    private mutating func value() -> JSONValue? {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object() -> JSONValue? {
        index += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\""), let key = string() else { return nil }
            skipSpace()
            guard take(UInt8(ascii: ":")), let value = value() else { return nil }
            // As in the decoder, the first of a name counts.
            if case .string(let name) = key, members[name] == nil { members[name] = value }
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func array() -> JSONValue? {
        index += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            guard let value = value() else { return nil }
            elements.append(value)
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func string() -> JSONValue? {
        index += 1
        let start = index
        var hasEscapes = false
        while let byte = current, byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                index += 1
            }
            index += 1
        }
        guard index < bytes.count else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: bytes[start..<index])
        index += 1
        let text = hasEscapes ? Self.unescaped(content) : String(validating: content, as: UTF8.self)
        return text.map { .string($0) } ?? .unusable
    }

    private mutating func number() -> JSONValue? {
        let start = index
        while let byte = current, Self.isPartOfNumber(byte) { index += 1 }
        guard index > start else { return nil }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        return JSONValue(number: text) ?? .unusable
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

extension JSONReader {
    /// A text with its escapes resolved (RFC 8259 §7); `nil` if one is wrong, or half of a pair of surrogates is missing.
    private static func unescaped(_ content: UnsafeRawBufferPointer) -> String? {
        var units: [UInt8] = []
        units.reserveCapacity(content.count)
        var rest = content[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                units.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(&rest) else { return nil }
                units += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            case let other? where other == UInt8(ascii: "\"") || other == UInt8(ascii: "\\") || other == UInt8(ascii: "/"): units.append(other)
            default: return nil
            }
        }
        return String(validating: units, as: UTF8.self)
    }

    /// The scalar that the four digits after `\u`, or those of a pair of surrogates, stand for.
    private static func scalar(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Unicode.Scalar? {
        guard let unit = unit(&rest) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"), let trail = self.unit(&rest),
            UTF16.isTrailSurrogate(trail)
        else { return nil }
        return Unicode.Scalar(0x1_0000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF)))
    }

    private static func unit(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = rest.popFirst(), byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
