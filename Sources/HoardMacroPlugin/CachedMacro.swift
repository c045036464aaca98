// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftSyntax
    import SwiftSyntaxMacros

    /// `@Cached`: the function's body becomes a question to the cache, and a function beside it gets the body.
    struct CachedMacro: BodyMacro, PeerMacro {
        static func expansion(
            of node: AttributeSyntax,
            providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
            in context: some MacroExpansionContext
        ) throws -> [CodeBlockItemSyntax] {
            guard let function = declaration.as(FunctionDeclSyntax.self) else { throw CachedProblem.notAFunction(node).error }
            return [try CachedFunction(function, node, in: context).question]
        }

        static func expansion(
            of node: AttributeSyntax,
            providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            // The other role reports errors of declarations that have a body.
            if declaration.is(InitializerDeclSyntax.self) || declaration.is(DeinitializerDeclSyntax.self) || declaration.is(AccessorDeclSyntax.self) {
                return []
            }
            guard let function = declaration.as(FunctionDeclSyntax.self) else { throw CachedProblem.notAFunction(node).error }
            guard let function = try? CachedFunction(function, node, in: context) else { return [] }
            return [DeclSyntax(function.uncached)]
        }
    }
#endif
