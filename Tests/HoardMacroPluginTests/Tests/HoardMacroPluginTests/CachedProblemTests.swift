// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Functions that the macro refuses, and the remedies that it offers.
@Suite struct CachedProblemTests {
    // MARK: Functions

    @Test func onlyFunctionsAreCached() {
        let message = "@Cached is for functions: nothing else has parameters to make a key of."
        expectProblem(in: "@Cached(in: users) var user: User", message)
        expectProblem(in: "struct A { @Cached(in: users) init() {} }", message)
    }

    @Test func functionsInsideOthersAreRefused() {
        expectProblem(
            in: "func outer() { @Cached(in: users) func user() async throws -> User { a } }",
            "@Cached cannot be used inside a function: what the inner function captures would not be in the key."
        )
    }

    @Test func requirementsHaveNoBody() {
        expectProblem(
            in: "protocol A { @Cached(in: users) func user() async throws -> User }",
            "@Cached needs a function with a body. Write it where the requirement is met."
        )
    }

    @Test func operatorsAreRefused() {
        expectProblem(
            in: "@Cached(in: users) func + (a: Int, b: Int) async throws -> User { a }",
            "@Cached cannot be used on an operator, which cannot be async."
        )
    }

    @Test func overridesAreRefused() {
        expectProblem(
            in: "class A: B { @Cached(in: users) override func user() async throws -> User { a } }",
            "@Cached cannot be used on an override. If the function that it overrides is cached, override 'userUncached'; if not, call a cached function from here."
        )
    }

    @Test func cachedFunctionsCannotBeMutating() {
        expectProblem(
            in: "struct A { @Cached(in: users) public mutating func user() async throws -> User { a } }",
            "A cached function cannot be mutating: a value from the cache changes nothing.",
            fixes: [("remove 'mutating'", "struct A { @Cached(in: users) public func user() async throws -> User { a } }")]
        )
    }

    @Test(arguments: ["", "async ", "throws ", "async throws(Failure) ", "async rethrows "])
    func cachedFunctionsAreAsyncAndThrowAnything(effects: String) {
        expectProblem(
            in: "@Cached(in: users) func user(_ id: Int) \(effects)-> User { a }",
            "A cached function has to be 'async throws': who asks may wait for another's load, and may be cancelled meanwhile.",
            fixes: [("make it 'async throws'", "@Cached(in: users) func user(_ id: Int) async throws -> User { a }")]
        )
    }

    @Test(arguments: ["", "-> Void ", "-> () "]) func thereIsAValueToKeep(result: String) {
        expectProblem(
            in: "@Cached(in: users) func save(_ id: Int) async throws \(result){ a }",
            "save(_:) returns nothing that a cache could keep."
        )
    }

    // MARK: Parameters

    @Test func inoutParametersAreRefused() {
        expectProblem(
            in: "@Cached(in: users) func user(_ id: inout Int) async throws -> User { a }",
            "A parameter of a cached function cannot be 'inout': a value from the cache changes nothing.",
            fixes: [("remove 'inout'", "@Cached(in: users) func user(_ id: Int) async throws -> User { a }")]
        )
    }

    @Test(arguments: ["consuming", "borrowing", "sending", "isolated"]) func parametersAreGivenTwice(specifier: String) {
        expectProblem(
            in: "@Cached(in: users) func user(_ id: \(specifier) Int) async throws -> User { a }",
            "A parameter of a cached function cannot be '\(specifier)': it is part of the key, and is given to the load as well.",
            fixes: [("remove '\(specifier)'", "@Cached(in: users) func user(_ id: Int) async throws -> User { a }")]
        )
    }

    @Test func parametersHaveNames() {
        expectProblem(
            in: "@Cached(in: users) func user(a: Int, _: Int) async throws -> User { a }",
            "A parameter without a name cannot be part of the key.",
            fixes: [("name it 'parameter2'", "@Cached(in: users) func user(a: Int, _ parameter2: Int) async throws -> User { a }")]
        )
    }

    @Test func variadicParametersAreRefused() {
        expectProblem(
            in: "@Cached(in: users) func users(_ ids: Int...) async throws -> User { a }",
            "A variadic parameter cannot be passed on to the function without the cache.",
            fixes: [("take an array", "@Cached(in: users) func users(_ ids: [Int]) async throws -> User { a }")]
        )
    }

    @Test(arguments: [
        ("A function", "@escaping (Int) -> Void"), ("A function", "((Int) -> Void)?"), ("A tuple", "(Int, Int)"), ("A tuple", "[(Int, Int)]"),
        ("A metatype", "Int.Type"), ("A value of any type", "any Sendable"), ("A value of any type", "[String: Any]"),
    ]) func whatIsNotHashableIsNoPartOfTheKey(kind: String, type: String) {
        expectProblem(
            in: "@Cached(in: users) func user(_ id: Int, extra: \(type)) async throws -> User { a }",
            "\(kind) cannot be part of the key, because it is not Hashable.",
            fixes: [
                (
                    "leave 'extra' out of the key, because the value does not depend on it",
                    "@Cached(in: users, ignoring: [\"extra\"]) func user(_ id: Int, extra: \(type)) async throws -> User { a }"
                )
            ]
        )
        let mended = "@Cached(in: users, ignoring: [\"extra\"]) func user(_ id: Int, extra: \(type)) async throws -> User { a }"
        #expect(ProblemFinder.problems(of: mended).isEmpty)
    }

    @Test func someTypesHaveToBeHashableAndSendable() {
        expectProblem(
            in: "@Cached(in: users) func user(_ id: some StringProtocol) async throws -> User { a }",
            "A value of some type that need not be Hashable and Sendable cannot be part of the key, because it is not Hashable.",
            fixes: [
                (
                    "constrain it to Hashable & Sendable",
                    "@Cached(in: users) func user(_ id: some StringProtocol & Hashable & Sendable) async throws -> User { a }"
                )
            ]
        )
    }

    @Test(arguments: [
        ("<ID>", "<ID: Hashable & Sendable>"), ("<A, ID: Sendable>", "<A, ID: Sendable & Hashable>"),
        ("<ID: Hashable>", "<ID: Hashable & Sendable>"),
        ("<ID: Codable & Equatable>", "<ID: Codable & Equatable & Hashable & Sendable>"),
    ]) func genericParametersHaveToBeHashableAndSendable(before: String, after: String) {
        expectProblem(
            in: "@Cached(in: users) func user\(before)(_ id: ID) async throws -> User { a }",
            "'ID' has to be Hashable and Sendable, so that 'id' can be part of the key.",
            fixes: [("constrain 'ID' to Hashable & Sendable", "@Cached(in: users) func user\(after)(_ id: ID) async throws -> User { a }")]
        )
    }

    @Test(arguments: [
        "<ID: Hashable & Sendable>(_ id: ID) async throws -> User", "<ID>(_ id: ID) async throws -> User where ID: Hashable, ID: Sendable",
        "<ID: Key>(_ id: ID) async throws -> User", "<ID: Hashable>(_ id: ID) async throws -> User where ID == User.ID",
        "(_ id: some Hashable & Sendable, _ other: Int?, _ more: [String: [Int]]) async throws -> User",
    ]) func whatMaySufficeIsLeftToTheCompiler(signature: String) {
        #expect(ProblemFinder.problems(of: "@Cached(in: users) func user\(signature) { a }").map(\.message) == [])
    }
}
