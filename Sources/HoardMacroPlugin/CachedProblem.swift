// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxBuilder

    /// The reason why a function cannot be cached, and the changes that would mend that.
    struct CachedProblem {
        fileprivate struct Message: DiagnosticMessage, FixItMessage {
            let message: String
            let identifier: String
            var severity: DiagnosticSeverity { .error }
            var diagnosticID: MessageID { MessageID(domain: "HoardMacros", id: identifier) }
            var fixItID: MessageID { diagnosticID }
        }

        private let node: Syntax
        private let message: Message
        private var fixIts: [FixIt] = []

        init(_ identifier: String, at node: some SyntaxProtocol, _ message: String) {
            self.node = Syntax(node)
            self.message = Message(message: message, identifier: identifier)
        }

        func fix(_ message: String, replacing old: some SyntaxProtocol, by new: some SyntaxProtocol) -> CachedProblem {
            var copy = self
            let change = FixIt.Change.replace(oldNode: Syntax(old), newNode: Syntax(new))
            copy.fixIts.append(FixIt(message: Message(message: message, identifier: self.message.identifier), changes: [change]))
            return copy
        }

        var error: DiagnosticsError { Self.error([self]) }

        static func error(_ problems: [CachedProblem]) -> DiagnosticsError {
            DiagnosticsError(diagnostics: problems.map { Diagnostic(node: $0.node, message: $0.message, fixIts: $0.fixIts) })
        }
    }

    extension CachedProblem {
        // MARK: The function

        static func notAFunction(_ attribute: AttributeSyntax) -> CachedProblem {
            CachedProblem("notAFunction", at: attribute, "@Cached is for functions: nothing else has parameters to make a key of.")
        }

        static func local(_ attribute: AttributeSyntax) -> CachedProblem {
            CachedProblem(
                "local",
                at: attribute,
                "@Cached cannot be used inside a function: what the inner function captures would not be in the key."
            )
        }

        static func noBody(_ attribute: AttributeSyntax) -> CachedProblem {
            CachedProblem("noBody", at: attribute, "@Cached needs a function with a body. Write it where the requirement is met.")
        }

        static func operatorFunction(_ attribute: AttributeSyntax) -> CachedProblem {
            CachedProblem("operator", at: attribute, "@Cached cannot be used on an operator, which cannot be async.")
        }

        static func override(_ modifier: DeclModifierSyntax, _ declaration: FunctionDeclSyntax) -> CachedProblem {
            let name = declaration.name.unquoted + CachedFunction.suffix
            return CachedProblem(
                "override",
                at: modifier,
                "@Cached cannot be used on an override. If the function that it overrides is cached, override '\(name)'; if not, call a cached function from here."
            )
        }

        static func mutating(_ modifier: DeclModifierSyntax, _ declaration: FunctionDeclSyntax) -> CachedProblem {
            var fixed = declaration
            fixed.modifiers = fixed.modifiers.filter { $0.name.tokenKind != .keyword(.mutating) }
            return CachedProblem("mutating", at: modifier, "A cached function cannot be mutating: a value from the cache changes nothing.")
                .fix("remove 'mutating'", replacing: declaration.modifiers, by: fixed.modifiers)
        }

        static func effects(_ declaration: FunctionDeclSyntax) -> CachedProblem {
            var signature = declaration.signature
            let isBare = signature.effectSpecifiers == nil
            signature.effectSpecifiers = FunctionEffectSpecifiersSyntax(
                asyncSpecifier: .keyword(.async, leadingTrivia: isBare ? .space : [], trailingTrivia: .space),
                throwsClause: ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws), trailingTrivia: .space)
            )
            if isBare { signature.parameterClause.trailingTrivia = [] }
            return CachedProblem(
                "effects",
                at: declaration.signature,
                "A cached function has to be 'async throws': who asks may wait for another's load, and may be cancelled meanwhile."
            ).fix("make it 'async throws'", replacing: declaration.signature, by: signature)
        }

        static func noValue(_ declaration: FunctionDeclSyntax, _ attribute: AttributeSyntax) -> CachedProblem {
            CachedProblem("noValue", at: declaration.name, "\(CachedFunction.name(of: declaration)) returns nothing that a cache could keep.")
        }

        // MARK: Parameters

        static func unnamed(_ parameter: FunctionParameterSyntax, _ declaration: FunctionDeclSyntax) -> CachedProblem {
            let position = (declaration.signature.parameterClause.parameters.map(\.id).firstIndex(of: parameter.id) ?? 0) + 1
            var fixed = parameter
            fixed.firstName.trailingTrivia = .space
            fixed.secondName = .identifier("parameter\(position)")
            return CachedProblem("unnamed", at: parameter, "A parameter without a name cannot be part of the key.")
                .fix("name it 'parameter\(position)'", replacing: parameter, by: fixed)
        }

        static func variadic(_ parameter: FunctionParameterSyntax, _ ellipsis: TokenSyntax) -> CachedProblem {
            var fixed = parameter
            fixed.ellipsis = nil
            fixed.type = TypeSyntax(ArrayTypeSyntax(element: parameter.type.trimmed))
            return CachedProblem("variadic", at: parameter, "A variadic parameter cannot be passed on to the function without the cache.")
                .fix("take an array", replacing: parameter, by: fixed)
        }

        static func specifier(_ specifier: String, _ parameter: FunctionParameterSyntax, _ type: AttributedTypeSyntax) -> CachedProblem {
            var fixed = parameter
            var fixedType = type
            fixedType.specifiers = type.specifiers.filter { element in
                guard case .simpleTypeSpecifier(let other) = element else { return true }
                return other.specifier.text != specifier
            }
            fixed.type = fixedType.specifiers.isEmpty && fixedType.attributes.isEmpty ? fixedType.baseType : TypeSyntax(fixedType)
            let reason = specifier == "inout" ? "a value from the cache changes nothing" : "it is part of the key, and is given to the load as well"
            return CachedProblem("specifier", at: parameter, "A parameter of a cached function cannot be '\(specifier)': \(reason).")
                .fix("remove '\(specifier)'", replacing: parameter, by: fixed)
        }

        static func generic(_ generic: GenericParameterSyntax, _ parameter: FunctionParameterSyntax) -> CachedProblem {
            let name = generic.name.text
            var fixed = generic
            let constraints = CachedParameter.constraints(generic.inheritedType)
            let all = constraints + ["Hashable", "Sendable"].filter { !constraints.contains($0) }
            fixed.name.trailingTrivia = []
            fixed.colon = .colonToken(trailingTrivia: .space)
            fixed.inheritedType = TypeSyntax("\(raw: all.joined(separator: " & "))")
            return CachedProblem(
                "generic",
                at: parameter,
                "'\(name)' has to be Hashable and Sendable, so that '\((parameter.secondName ?? parameter.firstName).text)' can be part of the key."
            ).fix("constrain '\(name)' to Hashable & Sendable", replacing: generic, by: fixed)
        }

        static func type(_ kind: String, _ parameter: FunctionParameterSyntax, _ type: TypeSyntax, _ options: CachedOptions) -> CachedProblem {
            let name = (parameter.secondName ?? parameter.firstName).text
            let problem = CachedProblem("type", at: parameter, "\(kind) cannot be part of the key, because it is not Hashable.")
            if let some = type.as(SomeOrAnyTypeSyntax.self), some.someOrAnySpecifier.tokenKind == .keyword(.some) {
                var fixed = some
                fixed.constraint = TypeSyntax("\(raw: some.constraint.trimmedDescription) & Hashable & Sendable")
                return problem.fix("constrain it to Hashable & Sendable", replacing: type, by: fixed)
            }
            return problem.fix(
                "leave '\(name)' out of the key, because the value does not depend on it",
                replacing: options.attribute,
                by: options.attribute.adding(name, to: "ignoring")
            )
        }
    }
#endif
