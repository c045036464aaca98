// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The name of a type or of a member of one, as documents write it: `Cache`, `Cache.insert(_:forKey:)`, `HTTPCache.Configuration.partition`, `Cache[key]`.
struct DocumentedName {
    let text: String

    /// The problem with the name, judged by the sources; `nil` if the sources have it.
    func problem(in sources: [SourceFile]) -> String? {
        let path = text.prefix { $0 != "(" && $0 != "[" }.split(separator: ".").map(String.init)
        guard let type = path.first else { return "no name" }
        guard sources.contains(where: { $0.declared.contains(type) }) else { return "no type \(type)" }
        // A member of a type, or of an extension of it, stands in a file that declares or extends the type.
        let files = sources.filter { $0.declared.contains(type) || $0.extended.contains(type) }
        for (index, member) in path.enumerated().dropFirst() {
            let isCall = index == path.count - 1 && text.hasSuffix(")")
            let isThere = files.contains { isCall ? $0.labels(ofFunctions: member).contains(labels) : $0.members.contains(member) }
            guard isThere else { return "no \(isCall ? "\(member)(\(labels.map { $0 + ":" }.joined()))" : member) of \(type)" }
        }
        if path.count == 1, text.hasSuffix(")"), !files.contains(where: { $0.labels(ofFunctions: "init").contains(labels) }) {
            return "no initializer \(text)"
        }
        return text.hasSuffix("]") && !files.contains { $0.members.contains("subscript") } ? "no subscript of \(type)" : nil
    }

    /// The labels in the parentheses.
    private var labels: [String] {
        guard let open = text.firstIndex(of: "(") else { return [] }
        return text[text.index(after: open)...].dropLast().split(separator: ":").map(String.init)
    }
}
