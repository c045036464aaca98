// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftSyntax

    /// Where an expression uses some names by themselves, and not as members of something.
    final class NameUses: SyntaxVisitor {
        struct Use {
            let name: String
            let node: Syntax
        }

        private let names: [String]
        private var uses: [Use] = []

        private init(_ names: [String]) {
            self.names = names
            super.init(viewMode: .sourceAccurate)
        }

        static func of(_ names: [String], in expression: ExprSyntax) -> [Use] {
            let visitor = NameUses(names)
            visitor.walk(expression)
            return visitor.uses
        }

        override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
            if let base = node.base { walk(base) }
            return .skipChildren
        }

        override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            if names.contains(node.baseName.unquoted) { uses.append(Use(name: node.baseName.unquoted, node: Syntax(node))) }
            return .skipChildren
        }
    }
#endif
