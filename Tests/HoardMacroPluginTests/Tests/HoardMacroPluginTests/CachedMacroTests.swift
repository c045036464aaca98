// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Expansions of the macro.
@Suite struct CachedMacroTests {
    @Test func aFunctionAsksTheCacheAndItsBodyStaysReachable() {
        expectExpansion(
            of: """
                /// Reads a user.
                @Cached(in: users)
                @MainActor public func user(_ id: Int, page: Int, by sorting: Order = .name) async throws -> User {
                    try await database.user(id, page, sorting)
                }
                """,
            is: """
                /// Reads a user.
                @MainActor public func user(_ id: Int, page: Int, by sorting: Order = .name) async throws -> User {
                    try await users.value(ofCall: users.key(ofCall: "App/Users.swift:user(_:page:by:) (Int, Int, Order) -> User", id, page, sorting)) {
                        try await userUncached(id, page: page, by: sorting)
                    }
                }

                /// ``user(_:page:by:)`` without the cache.
                @MainActor public func userUncached(_ id: Int, page: Int, by sorting: Order = .name) async throws -> User {
                    try await database.user(id, page, sorting)
                }
                """
        )
    }

    @Test func termsAreHandedOnAndTagsTakeValuesOfParameters() {
        expectExpansion(
            of: """
                @Cached(in: Caches.users, freshFor: .seconds(300), tags: ["users", "user-{id}-{page}", other], ignoring: ["progress"])
                func user(_ id: Int, page: Int, progress: @escaping (Int) -> Void) async throws -> User {
                    try await load()
                }
                """,
            is: #"""
                func user(_ id: Int, page: Int, progress: @escaping (Int) -> Void) async throws -> User {
                    try await Caches.users.value(ofCall: Caches.users.key(ofCall: "App/Users.swift:user(_:page:progress:) (Int, Int, @escaping (Int) -> Void) -> User", id, page), freshFor: .seconds(300), tags: ["users", "user-\(id)-\(page)", other]) {
                        try await userUncached(id, page: page, progress: progress)
                    }
                }

                /// ``user(_:page:progress:)`` without the cache.
                func userUncached(_ id: Int, page: Int, progress: @escaping (Int) -> Void) async throws -> User {
                    try await load()
                }
                """#
        )
    }

    @Test func whatAnInstanceAddsIsPartOfTheKey() {
        expectExpansion(
            of: """
                struct Weather {
                    @Cached(in: \\Self.reports, including: ["locale", "unit.name"], ignoring: ["service"])
                    func report(for city: City) async throws -> Report {
                        try await self.service.report(city, self.locale, self.unit)
                    }
                }
                """,
            is: """
                struct Weather {
                    func report(for city: City) async throws -> Report {
                        try await self.reports.value(ofCall: self.reports.key(ofCall: "App/Users.swift:Weather.report(for:) (City) -> Report", city, self.locale, self.unit.name)) {
                            try await self.reportUncached(for: city)
                        }
                    }

                    /// ``report(for:)`` without the cache.
                    func reportUncached(for city: City) async throws -> Report {
                            try await self.service.report(city, self.locale, self.unit)
                        }
                }
                """
        )
    }

    @Test(arguments: ["extension Posts", "struct Posts<Element>", "class Posts", "protocol Posts"])
    func theTypeIsPartOfTheKeyWhereOneDeclarationHasSeveral(type: String) {
        expectExpansion(
            of: """
                \(type) {
                    @Cached(in: counts) static func count() async throws -> Int {
                        try await read()
                    }
                }
                """,
            is: """
                \(type) {
                    static func count() async throws -> Int {
                        try await counts.value(ofCall: counts.key(ofCall: "App/Users.swift:static Posts.count() () -> Int", of: Self.self)) {
                            try await countUncached()
                        }
                    }

                    /// ``count()`` without the cache.
                    static func countUncached() async throws -> Int {
                            try await read()
                        }
                }
                """
        )
    }

    @Test func namesInBackticksWork() {
        expectExpansion(
            of: """
                final class Service: Base {
                    @Cached(in: users, tags: ["{class}"]) @objc(user) func `default`(`in` place: Int, for `class`: Int) async throws(any Error) -> User {
                        try await self.load(place)
                    }
                }
                """,
            is: """
                final class Service: Base {
                    @objc(user) func `default`(`in` place: Int, for `class`: Int) async throws(any Error) -> User {
                        try await users.value(ofCall: users.key(ofCall: "App/Users.swift:Service.default(in:for:) (Int, Int) -> User", place, `class`), tags: ["\\(`class`)"]) {
                            try await self.defaultUncached(`in`: place, for: `class`)
                        }
                    }

                    /// ``default(in:for:)`` without the cache.
                    func defaultUncached(`in` place: Int, for `class`: Int) async throws(any Error) -> User {
                            try await self.load(place)
                        }
                }
                """
        )
    }
}
