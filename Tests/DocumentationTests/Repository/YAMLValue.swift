// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Yams

/// A YAML document as plain values. Groups keep the order of their keys.
enum YAMLValue {
    /// A key of a group, and its value.
    struct Field {
        let key: String
        let value: YAMLValue
    }

    case text(String)
    case list([YAMLValue])
    case group([Field])

    /// Reads one document. A key that stands twice in a group is an error.
    init(yaml: String) throws {
        guard let root = try compose(yaml: yaml) else {
            self = .text("")
            return
        }
        self.init(root)
    }

    private init(_ node: Node) {
        switch node {
        case .scalar(let scalar): self = .text(scalar.string)
        case .sequence(let sequence): self = .list(sequence.map { YAMLValue($0) })
        case .mapping(let mapping): self = .group(mapping.map { Field(key: $0.key.scalar?.string ?? "", value: YAMLValue($0.value)) })
        case .alias: self = .text("")
        }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var list: [YAMLValue]? {
        if case .list(let list) = self { list } else { nil }
    }

    var group: [Field]? {
        if case .group(let group) = self { group } else { nil }
    }

    /// The texts of a list, or the only text.
    var texts: [String] { list?.compactMap(\.text) ?? text.map { [$0] } ?? [] }

    subscript(key: String) -> YAMLValue? { group?.first { $0.key == key }?.value }
}
