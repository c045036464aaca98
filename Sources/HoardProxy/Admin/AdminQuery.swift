// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The path and the parameters of a request to the admin server.
///
/// [URL standard, application/x-www-form-urlencoded](https://url.spec.whatwg.org/#application/x-www-form-urlencoded)
struct AdminQuery: Sendable {
    let path: String
    private let parameters: [String: String]

    /// - Throws: ``AdminRefusal`` for a parameter that comes twice, or that is not UTF-8.
    init(_ target: String) throws(AdminRefusal) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        var parameters: [String: String] = [:]
        for pair in parts.dropFirst().first?.split(separator: UInt8(ascii: "&")) ?? [] {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard let decodedName = Self.decoded(name), let value = Self.decoded(pair.dropFirst(name.count + 1)) else {
                throw AdminRefusal(.badRequest, "A parameter of the query is not UTF-8.")
            }
            guard parameters.updateValue(value, forKey: decodedName) == nil else {
                throw AdminRefusal(.badRequest, "The query has the parameter \(AdminQuery.quoted(decodedName)) twice.")
            }
        }
        self.parameters = parameters
    }

    /// A parameter; `nil` if it is missing or empty.
    subscript(name: String) -> String? {
        parameters[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Refuses parameters that mean nothing here, which are likely to be spelled wrong.
    func allow(_ names: Set<String>) throws(AdminRefusal) {
        guard let unknown = parameters.keys.filter({ !names.contains($0) }).min() else { return }
        let known = names.sorted().joined(separator: ", ")
        throw AdminRefusal(.badRequest, "There is no parameter \(Self.quoted(unknown)) here; there are: \(known.isEmpty ? "none" : known).")
    }

    /// The beginning of a client's text, for a sentence that the client gets.
    static func quoted(_ text: String) -> String {
        "“\(text.count > 60 ? text.prefix(60) + "…" : text[...])”"
    }

    private static func decoded(_ encoded: Substring.UTF8View.SubSequence) -> String? {
        var bytes: [UInt8] = []
        var rest = encoded[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                if digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), digits.first != UInt8(ascii: "+") {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                    continue
                }
            }
            bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
