// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ServerDrivenComponent {
    /// The component and everything in it, a line for each, for a person to read.
    ///
    ///     beagle:screenComponent  navigationBar.title: "Shop"
    ///     └─ beagle:container
    ///        ├─ beagle:text  text: "Welcome"
    ///        └─ beagle:button  text: "Cart"  onPress: beagle:pushView -> "/cart" (prefetch)
    ///
    /// Texts are cut at 80 characters and lines at 32 members, and nothing in them can drive a terminal. O(components).
    public var treeDescription: String {
        var lines: [String] = []
        func append(_ component: any ServerDrivenComponent, first: String, others: String) {
            lines.append(first + component.lineDescription)
            let parts = component.subcomponents
            for (index, part) in parts.enumerated() {
                let isLast = index == parts.count - 1
                append(part, first: others + (isLast ? "└─ " : "├─ "), others: others + (isLast ? "   " : "│  "))
            }
        }
        append(self, first: "", others: "")
        return lines.joined(separator: "\n")
    }

    /// The name of the component and its own members on one line.
    private var lineDescription: String {
        var words = [visible(encodedTypeName, limit: 80)]
        if let placeholder = self as? UnknownComponent {
            words[0] += " (placeholder)"
            for member in placeholder.plainMembers { words += MemberDescription.words(name: member.name, value: member.value) }
            let actions = placeholder.actions
            if !actions.isEmpty { words.append("actions: " + MemberDescription.text(of: actions)) }
        } else {
            for child in Mirror(reflecting: self).children { words += MemberDescription.words(name: child.label ?? "", value: child.value) }
        }
        let limit = MemberDescription.wordLimit
        return (words.prefix(limit) + (words.count > limit ? ["… \(words.count - limit) more"] : [])).joined(separator: "  ")
    }
}

/// Members of a component, as ``ServerDrivenComponent/treeDescription`` shows them.
private enum MemberDescription {
    static let textLimit = 80
    static let wordLimit = 32
    private static let elementLimit = 8

    /// `name: value`, once or, for a structure, once for each of its members. Nothing for absent values and for
    /// components, which have lines of their own.
    static func words(name: String, value: Any, depth: Int = 0) -> [String] {
        let shown = visible(name, limit: textLimit)
        switch value {
        case is AnyComponent, is [AnyComponent]: return []
        case let action as ComponentAction: return ["\(shown): \(text(of: action))"]
        case let actions as [ComponentAction]: return actions.isEmpty ? [] : ["\(shown): \(text(of: actions))"]
        case let json as JSONValue: return text(of: json).map { ["\(shown): \($0)"] } ?? []
        case let string as String: return ["\(shown): \(quoted(string))"]
        case let raw as any RawRepresentable<String>: return ["\(shown): \(visible(raw.rawValue, limit: textLimit))"]
        case let scalar as any CustomStringConvertible & Numeric: return ["\(shown): \(scalar)"]
        case let bool as Bool: return ["\(shown): \(bool)"]
        default: return depth < 6 ? members(of: value, name: shown, depth: depth) : []
        }
    }

    private static func members(of value: Any, name: String, depth: Int) -> [String] {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { words(name: name, value: $0.value, depth: depth) } ?? []
        case .collection, .set, .dictionary:
            let count = mirror.children.count
            if count == 0 { return [] }
            return mirror.children.enumerated().prefix(elementLimit).flatMap {
                words(name: "\(name)[\($0.offset)]", value: $0.element.value, depth: depth + 1)
            }
                + (count > elementLimit ? ["\(name): \(count) in all"] : [])
        case .struct, .class, .tuple:
            return mirror.children.flatMap { words(name: "\(name).\($0.label ?? "")", value: $0.value, depth: depth + 1) }
        default: return ["\(name): \(visible(String(describing: value), limit: textLimit))"]
        }
    }

    static func text(of actions: [ComponentAction]) -> String {
        let more = actions.count > elementLimit ? ["… \(actions.count - elementLimit) more"] : []
        return (actions.prefix(elementLimit).map(text) + more).joined(separator: ", ")
    }

    private static func text(of action: ComponentAction) -> String {
        let name = visible(action.name, limit: textLimit)
        if let route = action.route { return "\(name) -> \(quoted(route.url))\(route.shouldPrefetch ? " (prefetch)" : "")" }
        if let url = action.externalURL { return "\(name) -> \(quoted(url))" }
        return name
    }

    /// A scalar, or how much there is in an array or an object; `nil` for `null`.
    private static func text(of json: JSONValue) -> String? {
        switch json {
        case .null: nil
        case .bool(let bool): "\(bool)"
        case .integer(let integer): "\(integer)"
        case .decimal(let decimal): "\(decimal)"
        case .double(let double): "\(double)"
        case .string(let string): quoted(string)
        case .array(let elements): "[\(elements.count)]"
        case .object(let members):
            "{\(members.keys.sorted().prefix(elementLimit).map { visible($0, limit: 20) }.joined(separator: ", "))\(members.count > elementLimit ? ", …" : "")}"
        }
    }

    private static func quoted(_ text: String) -> String { "\"\(visible(text, limit: textLimit))\"" }
}
