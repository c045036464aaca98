// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// A function with the attribute, of which nothing says that it cannot be cached.
    struct CachedFunction {
        static let suffix = "Uncached"

        private let declaration: FunctionDeclSyntax
        private let options: CachedOptions
        private let parameters: [CachedParameter]
        private let place: CachedPlace

        /// - Throws: All that is wrong, as diagnostics.
        init(_ declaration: FunctionDeclSyntax, _ attribute: AttributeSyntax, in context: some MacroExpansionContext) throws {
            self.declaration = declaration
            place = CachedPlace(declaration, context)
            var problems: [CachedProblem] = []
            parameters = CachedParameter.all(of: declaration)
            options = CachedOptions(attribute, parameters, &problems)
            problems += CachedSignature.problems(of: declaration, attribute, place)
            for parameter in parameters { problems += parameter.problems(declaration, options) }
            problems += options.problems(place, declaration.body)
            if place.isInstance, let body = declaration.body {
                problems += InstanceReads.of(body).filter { !options.covers($0.name) }.map { .state($0, function: name, options) }
            }
            if !problems.isEmpty { throw CachedProblem.error(problems) }
        }

        /// As it is written in documentation: `user(_:page:)`.
        private var name: String { Self.name(of: declaration) }

        static func name(of declaration: FunctionDeclSyntax) -> String {
            let labels = declaration.signature.parameterClause.parameters.map { "\($0.firstName.unquoted):" }
            return "\(declaration.name.unquoted)(\(labels.joined()))"
        }

        /// The name with all types: functions that differ in them alone are different.
        private var signature: String {
            func text(_ type: TypeSyntax?) -> String { (type?.trimmedDescription ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            let types = declaration.signature.parameterClause.parameters.map { text($0.type) }.joined(separator: ", ")
            return "\(name) (\(types)) -> \(text(declaration.signature.returnClause?.type))"
        }

        // MARK: The generated code

        /// The new body.
        var question: CodeBlockItemSyntax {
            let cache = options.cache
            let included = parameters.filter { !options.ignores($0) }.map(\.name) + options.included.map { "self.\($0)" }
            let key = ([place.identity(of: signature)] + included).joined(separator: ", ")
            var terms = ""
            if let freshFor = options.freshFor { terms += ", freshFor: \(freshFor)" }
            if let tags = options.tags { terms += ", tags: \(tags)" }
            let arguments = parameters.map(\.asArgument).joined(separator: ", ")
            let target = place.isInstance ? "self." : ""
            return """
                try await \(raw: cache).value(ofCall: \(raw: cache).key(ofCall: \(raw: key))\(raw: terms)) {
                    try await \(raw: target)\(raw: uncachedName)(\(raw: arguments))
                }
                """
        }

        private var uncachedName: String { declaration.name.unquoted + Self.suffix }

        /// Those that give a name to the compiled function cannot be given twice.
        private static let naming: Set = ["Cached", "objc", "_cdecl", "_silgen_name"]

        /// The function with the body, which asks no cache.
        var uncached: FunctionDeclSyntax {
            var copy = declaration
            copy.leadingTrivia = []
            copy.attributes = copy.attributes.filter { element in
                guard case .attribute(let attribute) = element else { return !element.trimmedDescription.contains("@Cached") }
                return !Self.naming.contains(attribute.attributeName.trimmedDescription.split(separator: ".").last.map(String.init) ?? "")
            }
            copy.name = .identifier(uncachedName, leadingTrivia: declaration.name.leadingTrivia, trailingTrivia: declaration.name.trailingTrivia)
            copy = copy.trimmed
            copy.leadingTrivia = "/// ``\(name)`` without the cache.\n"
            return copy
        }
    }

    extension TokenSyntax {
        /// The name without backticks.
        var unquoted: String { identifier?.name ?? text }
    }
#endif
