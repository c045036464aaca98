// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftParser
    import SwiftSyntax
    import SwiftSyntaxBuilder

    /// The arguments of the attribute.
    struct CachedOptions {
        let attribute: AttributeSyntax
        let parameters: [CachedParameter]
        /// The expression that names the cache, inside the function.
        private(set) var cache = ""
        private(set) var freshFor: String?
        /// With the parameters' values in the places of their names.
        private(set) var tags: String?
        /// Properties of the instance.
        private(set) var included: [String] = []
        /// Parameters, and properties of the instance; with `self.` if a parameter has the same name.
        private var ignored: [String] = []
        /// The property of the instance that is the cache.
        private var ownProperty: String?

        init(_ attribute: AttributeSyntax, _ parameters: [CachedParameter], _ problems: inout [CachedProblem]) {
            self.attribute = attribute
            self.parameters = parameters
            guard case .argumentList(let arguments) = attribute.arguments else { return }
            for argument in arguments {
                let expression = argument.expression
                switch argument.label?.text {
                case "in": setCache(expression, &problems)
                case "freshFor": freshFor = expression.trimmedDescription
                case "tags": tags = TagTemplates(parameters).filled(expression, &problems)
                case "including": included = Self.names(expression, "including", &problems).map(Self.withoutSelf)
                case "ignoring": ignored = Self.names(expression, "ignoring", &problems)
                default: break
                }
                // These are written again inside the function.
                if ["in", "freshFor", "tags"].contains(argument.label?.text) {
                    problems += NameUses.of(parameters.map(\.plainName), in: expression).map { .shadowed($0.name, $0.node) }
                }
            }
        }

        func ignores(_ parameter: CachedParameter) -> Bool { ignored.contains(parameter.plainName) }

        /// Whether a property that a body reads of its instance is in the key, need not be, or is the cache.
        func covers(_ property: String) -> Bool {
            if property == ownProperty || ignored.contains("self.\(property)") { return true }
            if ignored.contains(property), !parameters.contains(where: { $0.plainName == property }) { return true }
            return included.contains { $0.split(separator: ".").first.map(String.init) == property }
        }

        /// Names that name nothing.
        func problems(_ place: CachedPlace, _ body: CodeBlockSyntax?) -> [CachedProblem] {
            let words = Set(body?.tokens(viewMode: .sourceAccurate).map(\.unquoted) ?? [])
            let unknown = ignored.filter { name in
                // Properties of the instance may stand in a body without the word `self`.
                !parameters.contains { $0.plainName == name } && !(place.isInstance && words.contains(Self.withoutSelf(name)))
            }
            return (place.isInstance ? [] : included.map { .noInstance($0, attribute) }) + unknown.map { .noParameter($0, attribute) }
        }

        private static func withoutSelf(_ name: String) -> String { name.hasPrefix("self.") ? String(name.dropFirst(5)) : name }

        private mutating func setCache(_ expression: ExprSyntax, _ problems: inout [CachedProblem]) {
            if let keyPath = expression.as(KeyPathExprSyntax.self) {
                let names = keyPath.components.compactMap { component -> String? in
                    guard case .property(let property) = component.component else { return nil }
                    return property.declName.trimmedDescription
                }
                guard names.count == keyPath.components.count, let first = names.first else { return problems.append(.cache(expression)) }
                cache = (["self"] + names).joined(separator: ".")
                // If the cache is a part of the property, another part may be state.
                if names.count == 1 { ownProperty = first }
            } else if Self.isName(expression) {
                cache = expression.trimmedDescription
            } else {
                problems.append(.cache(expression))
            }
        }

        /// Whether it is `name` or `Type.name.name`, which names the same cache at every call.
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
    }
#endif
