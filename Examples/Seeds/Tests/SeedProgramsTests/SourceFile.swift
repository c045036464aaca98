// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of sources, and the declarations in it.
struct SourceFile {
    let text: String
    /// The types that are declared at any depth.
    let declared: Set<String>
    /// The types that are extended; for an extension of `A.B`, the type `A`.
    let extended: Set<String>
    /// All names that can be written behind a dot.
    let members: Set<String>

    private static let typeKeywords: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
    private static let memberKeywords: Set<Substring> = ["func", "var", "let", "case", "associatedtype", "subscript"]

    init(_ text: String) {
        self.text = text
        var (declared, extended, members) = (Set<String>(), Set<String>(), Set<String>())
        let words = text.utf8.split { byte in
            let isLetter = (0x61...0x7A).contains(byte | 0x20)
            return !isLetter && !(0x30...0x39).contains(byte) && byte != 0x5F
        }.map { Substring($0) }
        for (keyword, name) in zip(words, words.dropFirst()) {
            if Self.typeKeywords.contains(keyword) { declared.insert(String(name)) }
            if keyword == "extension" { extended.insert(String(name)) }
            if Self.memberKeywords.contains(keyword) { members.insert(String(name)) }
            if keyword == "subscript" { members.insert("subscript") }
        }
        self.declared = declared
        self.extended = extended
        self.members = members.union(declared)
    }

    /// The labels of all functions of a name, each also without those of parameters that have defaults.
    func labels(ofFunctions name: String) -> [[String]] {
        let start = name == "init" ? "\\binit(<[^>]*>)?\\(" : "\\bfunc \(name)(<[^>]*>)?\\("
        var found: [[String]] = []
        var rest = text[...]
        while let match = rest.range(of: start, options: .regularExpression) {
            rest = rest[match.upperBound...]
            let parameters = Self.parameters(rest)
            found.append(parameters.map(\.label))
            found.append(parameters.filter { !$0.hasDefault }.map(\.label))
        }
        return found
    }

    /// The parameters of a declaration whose opening parenthesis stands before the text.
    private static func parameters(_ text: Substring) -> [(label: String, hasDefault: Bool)] {
        var (depth, parameters, current) = (0, [String](), "")
        for character in text {
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            if depth < 0 { break }
            if character == ",", depth == 0 {
                parameters.append(current)
                current = ""
            } else {
                current.append(character)
            }
        }
        parameters.append(current)
        return parameters.compactMap { parameter in
            guard let label = parameter.split(whereSeparator: { $0 == ":" || $0.isWhitespace }).first else { return nil }
            return (String(label), parameter.contains(" = "))
        }
    }
}
