// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import HoardMacroPlugin

private let specifications = ["Cached": MacroSpec(type: CachedMacro.self)]

/// The file is `App/Users.swift`.
func expectExpansion(of source: String, is expected: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    assertMacroExpansion(
        source,
        expandedSource: expected,
        macroSpecs: specifications,
        testModuleName: "App",
        testFileName: "Users.swift",
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) }
    )
}

/// Expects exactly one error in a declaration, with these remedies.
///
/// - Parameters:
///   - message: The whole text.
///   - fixes: Each remedy's text, and the source after it.
func expectProblem(
    in source: String,
    _ message: String,
    fixes: [(text: String, result: String)] = [],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let found = ProblemFinder.problems(of: source)
    #expect(found.map(\.message) == [message], sourceLocation: sourceLocation)
    #expect(found.first?.fixes.map(\.text) == fixes.map(\.text), sourceLocation: sourceLocation)
    for (found, expected) in zip(found.first?.fixes ?? [], fixes) { #expect(found.result == expected.result, sourceLocation: sourceLocation) }
}
