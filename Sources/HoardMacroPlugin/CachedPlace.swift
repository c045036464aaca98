// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftParser
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// Where a function is declared.
    struct CachedPlace {
        /// Whether it has an instance.
        let isInstance: Bool
        /// Whether it stands inside another function.
        let isLocal: Bool
        private let isStatic: Bool
        private let path: [String]
        private let file: String
        /// Whether the same declaration belongs to several types: those of a generic type, those that conform to a protocol, subclasses.
        private let hasManyTypes: Bool

        init(_ declaration: FunctionDeclSyntax, _ context: some MacroExpansionContext) {
            var path: [String] = []
            var (hasManyTypes, isLocal) = (false, false)
            for node in context.lexicalContext {
                if let type = node.asProtocol((any NamedDeclSyntax).self), node.is(DeclSyntax.self), !node.is(FunctionDeclSyntax.self) {
                    path.append(type.name.unquoted)
                    let parameters = node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
                    if parameters != nil || node.is(ProtocolDeclSyntax.self) { hasManyTypes = true }
                    if let type = node.as(ClassDeclSyntax.self), !type.modifiers.contains(where: { $0.name.tokenKind == .keyword(.final) }) {
                        hasManyTypes = true
                    }
                } else if let type = node.as(ExtensionDeclSyntax.self) {
                    path.append(type.extendedType.trimmedDescription)
                    // The macro cannot see whether the extended type is generic.
                    hasManyTypes = true
                } else {
                    isLocal = true
                }
            }
            self.path = path.reversed()
            self.hasManyTypes = hasManyTypes
            self.isLocal = isLocal
            isStatic = declaration.modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
            isInstance = !path.isEmpty && !isStatic
            let location = context.location(of: declaration, at: .afterLeadingTrivia, filePathMode: .fileID)
            file = location?.file.as(StringLiteralExprSyntax.self)?.representedLiteralValue ?? ""
        }

        /// The arguments that tell the function from all others.
        func identity(of name: String) -> String {
            let text = "\(file):\(isStatic ? "static " : "")\((path + [name]).joined(separator: "."))"
            return StringLiteralExprSyntax(content: text).description + (hasManyTypes ? ", of: Self.self" : "")
        }
    }
#endif
