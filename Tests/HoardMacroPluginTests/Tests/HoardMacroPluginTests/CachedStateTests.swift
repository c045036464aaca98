// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The attribute's arguments, and the properties of its instance that a body reads.
@Suite struct CachedStateTests {
    private func source(_ arguments: String, _ body: String, modifier: String = "") -> String {
        "struct A { @Cached(\(arguments)) \(modifier)func user(_ id: Int) async throws -> User { \(body) } }"
    }

    @Test func whatABodyReadsOfItsInstanceIsNamed() {
        let body = "try await load(id, self.locale)"
        expectProblem(
            in: source("in: users, freshFor: .seconds(1)", body),
            "'user(_:)' reads 'self.locale', which is not part of the key: instances that differ in it would get each other's values.",
            fixes: [
                ("make 'locale' part of the key", source("in: users, freshFor: .seconds(1), including: [\"locale\"]", body)),
                (
                    "leave 'locale' out of the key, because the value does not depend on it",
                    source("in: users, freshFor: .seconds(1), ignoring: [\"locale\"]", body)
                ),
            ]
        )
    }

    @Test func remediesAddToWhatIsThere() {
        let body = "try await self.database.user(id, self.locale, self.unit)"
        let found = ProblemFinder.problems(of: source(#"in: users, including: ["locale"], ignoring: ["database"]"#, body))
        #expect(found.map(\.place) == ["self.unit"])
        #expect(
            found.first?.fixes.map(\.result) == [
                source(#"in: users, including: ["locale", "unit"], ignoring: ["database"]"#, body),
                source(#"in: users, including: ["locale"], ignoring: ["database", "unit"]"#, body),
            ]
        )
        let before = ProblemFinder.problems(of: source(#"in: users, ignoring: ["database", "unit"]"#, body))
        #expect(before.first?.fixes.first?.result == source(#"in: users, including: ["locale"], ignoring: ["database", "unit"]"#, body))
    }

    @Test func eachPropertyIsReportedOnce() {
        let found = ProblemFinder.problems(of: source("in: users", "self.a + self.b.c + self.a + { self.a }()"))
        #expect(found.map(\.place) == ["self.a", "self.b"])
    }

    @Test func aPropertyOfTheSuperclassIsState() {
        func problems(_ arguments: String, _ body: String) -> [String] {
            let source = "final class A: B { @Cached(\(arguments)) func user(_ id: Int) async throws -> User { \(body) } }"
            return ProblemFinder.problems(of: source).map(\.place)
        }
        #expect(problems("in: users", "try await super.load(id, super.locale)") == ["super.locale"])
        #expect(problems(#"in: users, including: ["locale"]"#, "try await super.load(id, super.locale)") == [])
        #expect(problems(#"in: users, ignoring: ["locale"]"#, "try await super.load(id, super.locale)") == [])
    }

    @Test func theWholeInstanceIsState() {
        expectProblem(
            in: source("in: users", "try await load(id, for: self)"),
            "'user(_:)' reads 'self', which is not part of the key: instances that differ in it would get each other's values.",
            fixes: [
                (
                    "leave 'self' out of the key, because the value does not depend on it",
                    source("in: users, ignoring: [\"self\"]", "try await load(id, for: self)")
                )
            ]
        )
    }

    @Test(arguments: [
        (#"in: users, including: ["locale"]"#, "self.locale"), (#"in: users, including: ["locale.code"]"#, "self.locale.code"),
        (#"in: \Self.users"#, "self.users.count"), (#"in: \A.users"#, "try await self.load(id)"), ("in: users", "{ [weak self] in locale }()"),
        ("in: users", "struct B { func c() { self.d } }; return a"),
    ]) func whatIsNamedOrNoStateIsNotReported(arguments: String, body: String) {
        #expect(ProblemFinder.problems(of: source(arguments, body)).map(\.message) == [])
    }

    @Test func aPropertyThatHasTheCacheAsOneOfItsPartsIsState() {
        let found = ProblemFinder.problems(of: source(#"in: \Self.environment.users"#, "load(id, self.environment.locale)"))
        #expect(found.map(\.place) == ["self.environment"])
    }

    @Test func typesHaveNoInstance() {
        #expect(ProblemFinder.problems(of: source("in: users", "self.shared", modifier: "static ")).isEmpty)
        expectProblem(
            in: source(#"in: users, including: ["a"], ignoring: ["id"]"#, "b", modifier: "static "),
            "'a' cannot be included in the key: the function belongs to no instance.",
            fixes: [("remove 'a'", source(#"in: users, ignoring: ["id"]"#, "b", modifier: "static "))]
        )
        let found = ProblemFinder.problems(of: source(#"in: users, including: ["self.a"]"#, "b", modifier: "static "))
        #expect(found.first?.fixes.map(\.result) == [source("in: users", "b", modifier: "static ")])
    }

    @Test func whatIsIgnoredExists() {
        expectProblem(
            in: #"@Cached(in: users, ignoring: ["id", "progres"]) func user(_ id: Int) async throws -> User { a }"#,
            "There is no parameter 'progres' to leave out of the key.",
            fixes: [("remove 'progres'", #"@Cached(in: users, ignoring: ["id"]) func user(_ id: Int) async throws -> User { a }"#)]
        )
    }

    @Test(arguments: ["makeCache()", "caches[0]", "Caches().users", "\\.[0]", "a ?? b"]) func theCacheIsNamed(expression: String) {
        expectProblem(
            in: "@Cached(in: \(expression)) func user(_ id: Int) async throws -> User { a }",
            "Name the cache, as in 'in: users' or 'in: Caches.users', or give the key path of the instance's cache: 'in: \\Self.users'."
        )
    }

    @Test(arguments: ["[name]", "names", #"["\(name)"]"#]) func namesAreLiterals(expression: String) {
        expectProblem(
            in: "@Cached(in: users, ignoring: \(expression)) func user(_ id: Int) async throws -> User { a }",
            "'ignoring' takes names in quotation marks, such as [\"locale\"]."
        )
    }

    @Test func aPropertyWithTheNameOfAParameterHasASelfBeforeIt() {
        let body = "log(self.id)"
        expectProblem(
            in: source("in: users", body),
            "'user(_:)' reads 'self.id', which is not part of the key: instances that differ in it would get each other's values.",
            fixes: [
                ("make 'id' part of the key", source("in: users, including: [\"id\"]", body)),
                ("leave 'id' out of the key, because the value does not depend on it", source("in: users, ignoring: [\"self.id\"]", body)),
            ]
        )
        #expect(ProblemFinder.problems(of: source("in: users, ignoring: [\"self.id\"]", body)).isEmpty)
        // The name in the attribute is the parameter, and not the property.
        #expect(ProblemFinder.problems(of: source("in: users, ignoring: [\"id\"]", body)).map(\.place) == ["self.id"])
    }

    @Test func whatIsIgnoredStandsInTheBody() {
        #expect(ProblemFinder.problems(of: source("in: users, ignoring: [\"database\"]", "database.user(id)")).isEmpty)
        expectProblem(
            in: source("in: users, ignoring: [\"databse\"]", "database.user(id)"),
            "There is no parameter 'databse' to leave out of the key.",
            fixes: [("remove 'databse'", source("in: users", "database.user(id)"))]
        )
    }

    @Test(arguments: [
        ##"[#"user-{id}"#]"##, #"Set(["user-{id}"])"#, #"["user-{id}"].union(common)"#, #"(["user-{id}"])"#, #"["user-{id}" + suffix]"#,
    ])
    func placesElsewhereAreReported(tags: String) {
        expectProblem(
            in: "@Cached(in: users, tags: \(tags)) func user(_ id: Int) async throws -> User { a }",
            "Values of parameters take their places only in plain literals of an array literal, as in 'tags: [\"user-{id}\"]'."
        )
    }

    @Test(arguments: [#"["caf\u{E9}", "{", "{}", "{0}", "a{b c}"]"#, "common", #"["user-\(shared)"]"#]) func otherBracesStay(tags: String) {
        #expect(ProblemFinder.problems(of: "@Cached(in: users, tags: \(tags)) func user(_ a: Int) async throws -> User { a }").isEmpty)
    }

    @Test(arguments: ["Int?", "Int!", "Optional<Int>"]) func whatCanBeNilIsNoPartOfATag(type: String) {
        expectProblem(
            in: #"@Cached(in: users, tags: ["user-{id}"]) func user(_ id: \#(type)) async throws -> User { a }"#,
            "'id' can be nil, and cannot be part of a tag."
        )
    }

    @Test(arguments: ["in: id", "in: users, freshFor: id", "in: users, tags: [id]", "in: id.cache"]) func namesMeanTheSameInsideTheFunction(
        arguments: String
    ) {
        expectProblem(
            in: "@Cached(\(arguments)) func user(_ id: Int) async throws -> User { a }",
            "Inside the function 'id' is the parameter, and not what it is here. Rename one of them."
        )
        #expect(ProblemFinder.problems(of: "@Cached(in: Users.id, freshFor: .id) func user(_ id: Int) async throws -> User { a }").isEmpty)
    }

    @Test func placesInTagsAreThoseOfParameters() {
        expectProblem(
            in: #"@Cached(in: users, tags: ["user-{user}"]) func user(_ id: Int) async throws -> User { a }"#,
            "There is no parameter 'user' whose value could be part of the tag.",
            fixes: [("use 'id'", #"@Cached(in: users, tags: ["user-{id}"]) func user(_ id: Int) async throws -> User { a }"#)]
        )
        expectProblem(
            in: #"@Cached(in: users, tags: ["user-{user}"]) func user(_ id: Int, a: Int) async throws -> User { a }"#,
            "There is no parameter 'user' whose value could be part of the tag."
        )
    }
}
