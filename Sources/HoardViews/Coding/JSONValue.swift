// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Any JSON value.
///
/// Numbers keep their values: whole ones of 64 bits, decimal ones from 10⁻³⁰ to 10³⁸ with up to 38 digits, and
/// everything else that a `Double` can be.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number that fits into 64 bits.
    case integer(Int64)
    /// A decimal number that is kept as it is.
    case decimal(Decimal)
    /// A number in binary floating point.
    case double(Double)
    /// A text.
    case string(String)
    /// Values in an order.
    case array([JSONValue])
    /// Values by name.
    case object([String: JSONValue])

    /// The text, if this is a string.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The value of a member, if this is an object that has it.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        if let document = ComponentCodingContext(userInfo: decoder.userInfo).document {
            let path = decoder.codingPath
            if let value = document.value(at: path) {
                if let rest = value.unusablePath {
                    let message = "It is a number that is too big, or a text that is not Unicode."
                    throw DecodingError.dataCorrupted(.init(codingPath: path + rest, debugDescription: message))
                }
                self = value
                return
            }
        }
        try self.init(guessedBy: decoder)
    }

    /// Asks a decoder of which nothing else is known.
    private init(guessedBy decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The most frequent kinds come first: each wrong guess costs an error.
        if container.decodeNil() {
            self = .null
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let members = try? decoder.container(keyedBy: MemberName.self) {
            try Self.checkDepth(of: decoder)
            self = .object(try Self.members(of: members))
        } else if var elements = try? decoder.unkeyedContainer() {
            try Self.checkDepth(of: decoder)
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
            self = .array(array)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let decimal = try? container.decode(Decimal.self), let double = try? container.decode(Double.self),
            Self.decimalMagnitudes.contains(abs(double))
        {
            self = .decimal(decimal)
        } else {
            // Decoders may not say where a number that is too big stands.
            guard let double = try? container.decode(Double.self) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "It is neither a value of JSON nor a number that can be kept."
                )
            }
            self = .double(double)
        }
    }

    private static func checkDepth(of decoder: any Decoder) throws(ComponentCodingError) {
        let limit = ComponentCodingContext(userInfo: decoder.userInfo).maximumDepth
        let path = decoder.codingPath
        guard path.count < limit else { throw ComponentCodingError.tooDeep(path: path, limit: limit) }
    }

    /// All members of the object that a decoder is at.
    static func members(of decoder: any Decoder) throws -> [String: JSONValue] {
        // Decoders complain here if it is none.
        let container = try decoder.container(keyedBy: MemberName.self)
        if case .object(let members) = try JSONValue(from: decoder) { return members }
        return try members(of: container)
    }

    private static func members(of container: KeyedDecodingContainer<MemberName>) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for name in container.allKeys { members[name.stringValue] = try container.decode(JSONValue.self, forKey: name) }
        return members
    }

    public func encode(to encoder: any Encoder) throws {
        if isNesting {
            let limit = ComponentCodingContext(userInfo: encoder.userInfo).maximumDepth
            let path = encoder.codingPath
            guard path.count < limit else { throw ComponentCodingError.tooDeep(path: path, limit: limit) }
        }
        switch self {
        case .object(let members):
            try Self.encode(members, to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let bool): try container.encode(bool)
            case .integer(let integer): try container.encode(integer)
            case .decimal(let decimal): try container.encode(decimal)
            case .double(let double): try container.encode(double)
            case .string(let string): try container.encode(string)
            case .null, .array, .object: try container.encodeNil()
            }
        }
    }

    private var isNesting: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    /// Writes members into the object that an encoder is at.
    static func encode(_ members: [String: JSONValue], to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        for (name, value) in members { try container.encode(value, forKey: MemberName(name)) }
    }
}
