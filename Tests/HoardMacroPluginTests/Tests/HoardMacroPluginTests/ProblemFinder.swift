// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import HoardMacroPlugin

/// Finds the macro's errors in a source, and the sources that its remedies make.
enum ProblemFinder {
    struct Problem {
        let message: String
        /// The place of the problem, as the source has it.
        let place: String
        let fixes: [(text: String, result: String)]
    }

    static func problems(of source: String) -> [Problem] {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(sourceFiles: [file: .init(moduleName: "App", fullFilePath: "Users.swift")])
        _ = file.expand(
            macroSpecs: ["Cached": MacroSpec(type: CachedMacro.self)],
            contextGenerator: { node in
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
            }
        )
        return context.diagnostics.map { diagnostic in
            Problem(
                message: diagnostic.message,
                place: diagnostic.node.trimmedDescription,
                fixes: diagnostic.fixIts.map { ($0.message.message, result(of: $0, in: context, source)) }
            )
        }
    }

    /// The declarations that are expanded are copies. The context knows their offsets in the source.
    private static func result(of fixIt: FixIt, in context: BasicMacroExpansionContext, _ source: String) -> String {
        var bytes = Array(source.utf8)
        for change in fixIt.changes {
            guard case .replace(let old, let new) = change,
                let start = context.location(for: old.position, anchoredAt: old, fileName: "Users.swift").offsetIfKnown
            else { continue }
            bytes.replaceSubrange(start..<start + old.totalLength.utf8Length, with: Array(new.description.utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SourceLocation {
    fileprivate var offsetIfKnown: Int? { offset }
}
