// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftSyntax

    /// Reads of an instance in a body with the word `self` or `super`.
    ///
    /// A read without such a word looks like one of a variable of the module, and cannot be seen.
    final class InstanceReads: SyntaxVisitor {
        struct Read {
            /// The name of a property, or `self`.
            let name: String
            let node: Syntax
        }

        private var reads: [Read] = []

        /// The first of each name.
        static func of(_ body: CodeBlockSyntax) -> [Read] {
            let visitor = InstanceReads(viewMode: .sourceAccurate)
            visitor.walk(body)
            return visitor.reads
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            guard node.baseName.tokenKind == .keyword(.self) else { return .visitChildren }
            if !addMember(of: ExprSyntax(node)) { add("self", Syntax(node)) }
            return .skipChildren
        }

        override func visit(_ node: SuperExprSyntax) -> SyntaxVisitorContinueKind {
            _ = addMember(of: ExprSyntax(node))
            return .skipChildren
        }

        /// - Returns: Whether a member of the instance is named here.
        private func addMember(of base: ExprSyntax) -> Bool {
            guard let member = base.parent?.as(MemberAccessExprSyntax.self), member.base?.id == base.id else { return false }
            // A method is no state, though it may read some.
            let call = member.parent?.as(FunctionCallExprSyntax.self)
            if call?.calledExpression.id != ExprSyntax(member).id { add(member.declName.baseName.unquoted, Syntax(member)) }
            return true
        }

        // Whose `self` is another.
        override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
        override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
        override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
        override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

        private func add(_ name: String, _ node: Syntax) {
            if !reads.contains(where: { $0.name == name }) { reads.append(Read(name: name, node: node)) }
        }
    }
#endif
