// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftSyntax

    /// A parameter of a function, of whose value the key is made.
    struct CachedParameter {
        private let syntax: FunctionParameterSyntax
        /// Whether the type is one of the function's generic parameters that nothing says is `Hashable & Sendable`.
        private let generic: GenericParameterSyntax?

        static func all(of declaration: FunctionDeclSyntax) -> [CachedParameter] {
            declaration.signature.parameterClause.parameters.map { parameter in
                let generics = declaration.genericParameterClause?.parameters.filter { !isKnownToSuffice($0, declaration) } ?? []
                return CachedParameter(
                    syntax: parameter,
                    generic: generics.first { $0.name.text == parameter.type.trimmedDescription }
                )
            }
        }

        /// By which the body knows it.
        var name: String { (syntax.secondName ?? syntax.firstName).text }

        /// As it is called in messages, and by the arguments of the attribute: without backticks.
        var plainName: String { (syntax.secondName ?? syntax.firstName).unquoted }

        /// Whether it can be `nil`, which no tag should say.
        var isOptional: Bool {
            let type = syntax.type
            if let name = type.as(IdentifierTypeSyntax.self)?.name.text { return name == "Optional" }
            return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
        }

        /// As the function with the body is given it.
        var asArgument: String { syntax.firstName.tokenKind == .wildcard ? name : "\(syntax.firstName.text): \(name)" }

        /// The reason why it cannot be part of a key.
        func problems(_ declaration: FunctionDeclSyntax, _ options: CachedOptions) -> [CachedProblem] {
            if name == "_" { return [.unnamed(syntax, declaration)] }
            if let ellipsis = syntax.ellipsis { return [.variadic(syntax, ellipsis)] }
            var problems: [CachedProblem] = []
            var type = syntax.type
            if let attributed = type.as(AttributedTypeSyntax.self) {
                for specifier in attributed.specifiers {
                    guard case .simpleTypeSpecifier(let specifier) = specifier else { continue }
                    problems.append(.specifier(specifier.specifier.text, syntax, attributed))
                }
                type = attributed.baseType
            }
            if !options.ignores(self) {
                if let generic {
                    problems.append(.generic(generic, syntax))
                } else if let kind = Self.unsuitableKind(of: type) {
                    problems.append(.type(kind, syntax, type, options))
                }
            }
            return problems
        }

        // MARK: Types

        /// The kind of a type, if no value of it can be part of a key; `nil` if that cannot be seen.
        private static func unsuitableKind(of type: TypeSyntax) -> String? {
            if type.is(FunctionTypeSyntax.self) { return "A function" }
            if type.is(MetatypeTypeSyntax.self) { return "A metatype" }
            if type.is(PackExpansionTypeSyntax.self) { return "A parameter pack" }
            if let type = type.as(AttributedTypeSyntax.self) { return unsuitableKind(of: type.baseType) }
            if let type = type.as(OptionalTypeSyntax.self) { return unsuitableKind(of: type.wrappedType) }
            if let type = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return unsuitableKind(of: type.wrappedType) }
            if let type = type.as(ArrayTypeSyntax.self) { return unsuitableKind(of: type.element) }
            if let type = type.as(DictionaryTypeSyntax.self) { return unsuitableKind(of: type.value) }
            if let type = type.as(TupleTypeSyntax.self) {
                guard type.elements.count == 1, let element = type.elements.first else { return "A tuple" }
                return unsuitableKind(of: element.type)
            }
            if let type = type.as(SomeOrAnyTypeSyntax.self) {
                if type.someOrAnySpecifier.tokenKind == .keyword(.any) { return "A value of any type" }
                return suffices(Self.constraints(type.constraint)) ? nil : "A value of some type that need not be Hashable and Sendable"
            }
            return ["Any", "AnyObject"].contains(type.trimmedDescription) ? "A value of any type" : nil
        }

        static func constraints(_ type: TypeSyntax?) -> [String] {
            guard let type else { return [] }
            guard let composition = type.as(CompositionTypeSyntax.self) else { return [type.trimmedDescription] }
            return composition.elements.flatMap { constraints($0.type) }
        }

        private static func isKnownToSuffice(_ parameter: GenericParameterSyntax, _ declaration: FunctionDeclSyntax) -> Bool {
            let requirements = declaration.genericWhereClause?.requirements.flatMap { requirement -> [String] in
                switch requirement.requirement {
                case .conformanceRequirement(let conformance) where conformance.leftType.trimmedDescription == parameter.name.text:
                    constraints(conformance.rightType)
                // It is the same as another type, of which nothing is known here.
                case .sameTypeRequirement: ["Self"]
                default: []
                }
            }
            return suffices(constraints(parameter.inheritedType) + (requirements ?? []))
        }

        /// The macro cannot see the requirements of other protocols, or of classes.
        private static func suffices(_ constraints: [String]) -> Bool {
            let poor: Set = ["Codable", "Comparable", "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Identifiable", "Sendable"]
            let hashable: Set = ["Hashable", "StringProtocol", "BinaryInteger", "FixedWidthInteger", "BinaryFloatingPoint", "FloatingPoint"]
            if constraints.contains(where: { !poor.contains($0) && !hashable.contains($0) }) { return true }
            return constraints.contains("Sendable") && constraints.contains(where: hashable.contains)
        }
    }
#endif
