// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The directives of `Cache-Control`: RFC 9111 §5.2.
struct PlainDirectives: Hashable, Sendable {
    enum Argument: Hashable, Sendable {
        case none
        case value(String)
        /// Something follows the name that the grammar does not have.
        case malformed
    }

    struct Member: Hashable, Sendable {
        var name: String
        var argument: Argument
    }

    /// The seconds of the directives with one name.
    enum Seconds: Hashable {
        case absent
        /// No number of seconds (RFC 9111 §1.2.2).
        case invalid
        /// The values in their order.
        case values([Int])
    }

    /// The greatest number of seconds that means anything: RFC 9111 §1.2.2.
    static let maximum = 1 << 31

    let members: [Member]

    init(_ fields: PlainFields) {
        members = fields.all("cache-control").flatMap { Self.split($0).compactMap(Self.member) }
    }

    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// Whether the directive is there without a list of fields: RFC 9111 §5.2.2.4 and §5.2.2.7.
    func hasUnqualified(_ name: String) -> Bool { members.contains { $0.name == name && $0.argument == .none } }

    func seconds(_ name: String) -> Seconds {
        let arguments = members.filter { $0.name == name }.map(\.argument)
        if arguments.isEmpty { return .absent }
        var values: [Int] = []
        for argument in arguments {
            guard case .value(let text) = argument, let value = Self.seconds(text) else { return .invalid }
            values.append(value)
        }
        return .values(values)
    }

    /// The first number of seconds, if all are numbers.
    func first(_ name: String) -> Int? {
        if case .values(let values) = seconds(name) { values.first } else { nil }
    }

    /// `1*DIGIT`; more than 2³¹ counts as that (RFC 9111 §1.2.2).
    static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int(text) ?? maximum, maximum)
    }

    /// The members of a list, between commas outside quotes: RFC 9110 §5.6.1.
    static func split(_ list: String) -> [String] {
        var members: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for character in list {
            if character == ",", !isQuoted {
                members.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && isQuoted && !isEscaped
            members[members.count - 1].append(character)
        }
        return members.map(trimmed).filter { !$0.isEmpty }
    }

    static func trimmed(_ text: String) -> String {
        let rest = text.drop { $0 == " " || $0 == "\t" }
        return String(String(rest.reversed().drop { $0 == " " || $0 == "\t" }).reversed())
    }

    private static func isToken(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
    }

    /// `token [ "=" ( token / quoted-string ) ]`; recipients ought to accept both forms of an argument.
    private static func member(_ text: String) -> Member? {
        let name = text.prefix(while: isToken)
        guard !name.isEmpty else { return nil }
        let rest = text.dropFirst(name.count)
        return Member(name: name.lowercased(), argument: rest.isEmpty ? .none : argument(rest))
    }

    private static func argument(_ text: Substring) -> Argument {
        guard text.first == "=" else { return .malformed }
        let value = text.dropFirst()
        if value.first == "\"", value.last == "\"", value.count >= 2 { return .value(String(value.dropFirst().dropLast())) }
        return !value.isEmpty && value.allSatisfy(isToken) ? .value(String(value)) : .malformed
    }
}
