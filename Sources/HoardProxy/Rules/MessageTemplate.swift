// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A text with places for parts of a request, such as `https://{host}{path}{query}`. `{{` stands for a brace.
public struct MessageTemplate: Sendable, Hashable, CustomStringConvertible {
    /// The name of a part of a request.
    public struct Variable: RawRepresentable, Sendable, Hashable, CaseIterable {
        enum Base: String, CaseIterable, Sendable {
            case host, path, query, rest, scheme, client, user, cache
        }
        let base: Base
        private init(_ base: Base) { self.base = base }

        /// The host that the client asked for, in small letters and without a port.
        public static var host: Self { .init(.host) }
        /// The path that the client asked for, in normal form.
        public static var path: Self { .init(.path) }
        /// The question mark and the query; nothing if there is none.
        public static var query: Self { .init(.query) }
        /// The path behind the route's path prefix.
        public static var rest: Self { .init(.rest) }
        /// `http` or `https`: how the client asked.
        public static var scheme: Self { .init(.scheme) }
        /// The client's IP address.
        public static var client: Self { .init(.client) }
        /// The name by which the client has proved its identity; nothing if the route has no passwords.
        public static var user: Self { .init(.user) }
        /// The work of the cache: `hit`, `stale`, `revalidated`, `collapsed`, `miss`, `bypass`, `generated` or `failure`. In responses only.
        public static var cache: Self { .init(.cache) }

        /// All of them.
        public static var allCases: [Self] { Base.allCases.map(Self.init) }

        /// The variable of that name; `nil` if there is none.
        public init?(rawValue: String) {
            guard let base = Base(rawValue: rawValue) else { return nil }
            self.base = base
        }

        /// The name, as it stands between braces.
        public var rawValue: String { base.rawValue }
    }

    enum Part: Sendable, Hashable {
        case text(String)
        case variable(Variable)
    }

    let parts: [Part]

    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if a brace is not closed, or names nothing that there is.
    public init(_ text: String) throws(ProxyError) {
        var parts: [Part] = []
        var literal = ""
        var rest = Substring(text)
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            literal += rest[..<brace]
            let next = rest.index(after: brace)
            if next < rest.endIndex, rest[next] == rest[brace] {
                literal.append(rest[brace])
                rest = rest[rest.index(after: next)...]
                continue
            }
            guard rest[brace] == "{", let end = rest[next...].firstIndex(of: "}") else {
                throw ProxyError(.invalidConfiguration, "In “\(text)” a brace has no other one; write {{ or }} for a brace itself.")
            }
            let name = String(rest[next..<end])
            guard let variable = Variable(rawValue: name) else {
                let names = Variable.allCases.map(\.rawValue)
                let hint =
                    Spelling.nearest(to: name, among: names).map { "did you mean {\($0)}?" } ?? "there are {\(names.joined(separator: "}, {"))}."
                throw ProxyError(.invalidConfiguration, "In “\(text)” nothing is called {\(name)}; \(hint)")
            }
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
            parts.append(.variable(variable))
            rest = rest[rest.index(after: end)...]
        }
        literal += rest
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.parts = parts
    }

    /// As it is written.
    public var description: String {
        parts.map { part in
            switch part {
            case .text(let text): text.map { $0 == "{" || $0 == "}" ? "\($0)\($0)" : String($0) }.joined()
            case .variable(let variable): "{\(variable.rawValue)}"
            }
        }.joined()
    }

    /// The text, if it is the same for all requests.
    var constant: String? {
        switch parts.count {
        case 0: ""
        case 1: if case .text(let text) = parts[0] { text } else { nil }
        default: nil
        }
    }

    func names(_ variable: Variable) -> Bool { parts.contains(.variable(variable)) }

    /// The text for a request.
    func text(_ request: RuledRequest) -> String {
        if let constant { return constant }
        return parts.reduce(into: "") { text, part in
            switch part {
            case .text(let literal): text += literal
            case .variable(let variable): text += request.value(of: variable)
            }
        }
    }
}
