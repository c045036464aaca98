// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftParser
    import SwiftSyntax
    import SwiftSyntaxBuilder

    /// The arguments of the attribute.
    struct CachedOptions {
        let attribute: AttributeSyntax
        /// The expression that names the cache, inside the function.
        private(set) var cache = ""
        private(set) var freshFor: String?
        /// With the parameters' values in the places of their names.
        private(set) var tags: String?
        private(set) var included: [String] = []
        private(set) var ignored: [String] = []
        /// The property of the instance that is the cache.
        private var ownProperty: String?

        /// - Parameter parameters: The names of the function's parameters.
        init(_ attribute: AttributeSyntax, _ parameters: [String], _ problems: inout [CachedProblem]) {
            self.attribute = attribute
            guard case .argumentList(let arguments) = attribute.arguments else { return }
            for argument in arguments {
                let expression = argument.expression
                switch argument.label?.text {
                case "in": setCache(expression, &problems)
                case "freshFor": freshFor = expression.trimmedDescription
                case "tags": tags = Self.tags(expression, parameters, &problems)
                case "including": included = Self.names(expression, "including", &problems)
                case "ignoring": ignored = Self.names(expression, "ignoring", &problems)
                default: break
                }
            }
        }

        /// Whether what a body reads of its instance is in the key, need not be, or is the cache.
        func covers(_ property: String) -> Bool {
            property == ownProperty || ignored.contains(property) || included.contains { $0.split(separator: ".").first.map(String.init) == property }
        }

        /// Names that name nothing.
        func problems(_ parameters: [CachedParameter], _ place: CachedPlace) -> [CachedProblem] {
            var problems: [CachedProblem] = []
            if !place.isInstance {
                for name in included { problems.append(.noInstance(name, attribute)) }
                for name in ignored where !parameters.contains(where: { $0.name == name }) { problems.append(.noParameter(name, attribute)) }
            }
            return problems
        }

        private mutating func setCache(_ expression: ExprSyntax, _ problems: inout [CachedProblem]) {
            if let keyPath = expression.as(KeyPathExprSyntax.self) {
                let names = keyPath.components.compactMap { component -> String? in
                    guard case .property(let property) = component.component else { return nil }
                    return property.declName.trimmedDescription
                }
                guard names.count == keyPath.components.count, let first = names.first else { return problems.append(.cache(expression)) }
                cache = (["self"] + names).joined(separator: ".")
                ownProperty = first
            } else if Self.isName(expression) {
                cache = expression.trimmedDescription
            } else {
                problems.append(.cache(expression))
            }
        }

        /// Whether it is `name` or `Type.name.name`: what names the same cache at every call.
        private static func isName(_ expression: ExprSyntax) -> Bool {
            if expression.is(DeclReferenceExprSyntax.self) { return true }
            guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base else { return false }
            return isName(base)
        }

        private static func names(_ expression: ExprSyntax, _ label: String, _ problems: inout [CachedProblem]) -> [String] {
            let literals = expression.as(ArrayExprSyntax.self)?.elements.map {
                $0.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
            }
            guard let literals, literals.allSatisfy({ $0 != nil }) else {
                problems.append(.notNames(expression, label))
                return []
            }
            return literals.compactMap(\.self)
        }

        // MARK: Tags

        /// The tags, with `\(name)` for `{name}`.
        private static func tags(_ expression: ExprSyntax, _ parameters: [String], _ problems: inout [CachedProblem]) -> String {
            guard let array = expression.as(ArrayExprSyntax.self) else { return expression.trimmedDescription }
            let elements = array.elements.map { element -> String in
                guard let literal = element.expression.as(StringLiteralExprSyntax.self), literal.openingPounds == nil else {
                    return element.expression.trimmedDescription
                }
                return tag(literal, parameters, &problems)
            }
            return "[\(elements.joined(separator: ", "))]"
        }

        private static func tag(_ literal: StringLiteralExprSyntax, _ parameters: [String], _ problems: inout [CachedProblem]) -> String {
            var text = literal.trimmedDescription[...]
            var made = ""
            while let start = text.firstIndex(of: "{"), let end = text[start...].firstIndex(of: "}") {
                let name = String(text[text.index(after: start)..<end])
                made += text[..<start]
                if parameters.contains(name) { made += "\\(\(name))" } else { problems.append(.placeholder(name, literal, parameters)) }
                text = text[text.index(after: end)...]
            }
            return made + text
        }
    }
#endif
