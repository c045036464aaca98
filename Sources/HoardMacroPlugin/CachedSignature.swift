// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftSyntax

    /// The demands on a function, apart from those on its parameters.
    enum CachedSignature {
        static func problems(of declaration: FunctionDeclSyntax, _ attribute: AttributeSyntax, _ place: CachedPlace) -> [CachedProblem] {
            if place.isLocal { return [.local(attribute)] }
            guard declaration.body != nil else { return [.noBody(attribute)] }
            guard case .identifier = declaration.name.tokenKind else { return [.operatorFunction(attribute)] }
            var problems: [CachedProblem] = []
            if let override = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.override) }) {
                problems.append(.override(override, declaration))
            }
            if let mutating = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.mutating) }) {
                problems.append(.mutating(mutating, declaration))
            }
            if !isAsyncAndThrowsAnything(declaration.signature.effectSpecifiers) { problems.append(.effects(declaration)) }
            if returnsNothing(declaration.signature.returnClause) { problems.append(.noValue(declaration, attribute)) }
            return problems
        }

        private static func isAsyncAndThrowsAnything(_ effects: FunctionEffectSpecifiersSyntax?) -> Bool {
            guard let effects, effects.asyncSpecifier?.tokenKind == .keyword(.async), let clause = effects.throwsClause,
                clause.throwsSpecifier.tokenKind == .keyword(.throws)
            else { return false }
            return clause.type.map { $0.trimmedDescription == "any Error" } ?? true
        }

        private static func returnsNothing(_ clause: ReturnClauseSyntax?) -> Bool {
            clause.map { ["Void", "()", "Swift.Void", "Never"].contains($0.type.trimmedDescription) } ?? true
        }
    }
#endif
