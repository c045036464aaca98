// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import Hoard
    import HoardMacros
    import HoardTesting
    import Synchronization
    import Testing

    private struct User: Codable, Hashable, Sendable {
        let id: Int
        let text: String
    }

    /// Nothing expires, however slow the machine is.
    private let time = ManualTicker()
    private let users = TieredCache<Int, User>(configuration: .init(maximumCount: 1_000), stores: [], codec: .json, clock: time, ticker: time)
    private let calls = Cache<FunctionCall<Int, String>, User>(maximumCount: 1_000)
    private let nothing = Cache<FunctionCall<Int>, User>(maximumCount: 10)
    private let constants = Cache<FunctionCall<>, Int>(maximumCount: 10)
    private let counts = Cache<FunctionCall<Int>, Int>(maximumCount: 10)
    private let runs = Mutex<[String: Int]>([:])

    private func note(_ name: String) -> Int {
        runs.withLock { runs in
            runs[name, default: 0] += 1
            return runs[name, default: 0]
        }
    }

    private func count(_ name: String) -> Int { runs.withLock { $0[name, default: 0] } }

    @Cached(in: users, freshFor: .seconds(300), tags: ["tagged-{id}"])
    private func user(_ id: Int) async throws -> User {
        let number = note("user-\(id)")
        for _ in 0..<20 { await Task.yield() }
        return User(id: id, text: "\(number)")
    }

    @Cached(in: calls)
    private func first(_ id: Int, named name: String) async throws -> User { User(id: id, text: "first \(name)") }

    @Cached(in: calls)
    private func second(_ id: Int, named name: String) async throws -> User { User(id: id, text: "second \(name)") }

    @Cached(in: nothing)
    private func userIfExists(_ id: Int) async throws -> User? {
        _ = note("exists-\(id)")
        return id > 0 ? User(id: id, text: "") : nil
    }

    @Cached(in: constants)
    private func answer() async throws -> Int { note("answer") }

    private struct Failure: Error {}

    @Cached(in: nothing, ignoring: ["progress"])
    private func failing(_ id: Int, progress: @escaping @Sendable (Int) -> Void) async throws -> User {
        progress(note("failing"))
        throw Failure()
    }

    private struct Greeter: Sendable {
        let cache = Cache<FunctionCall<String, String>, String>(maximumCount: 10)
        let greeting: String
        let language: String

        @Cached(in: \Self.cache, including: ["language"], ignoring: ["greeting"])
        func greeting(for name: String) async throws -> String { "\(self.greeting), \(name) (\(self.language))" }
    }

    private actor Counter {
        private let cache = Cache<Int, Int>(maximumCount: 10)
        private var count = 0

        @Cached(in: \Counter.cache, ignoring: ["count"])
        func next(after number: Int) async throws -> Int {
            self.count += 1
            return number + self.count
        }
    }

    @MainActor private final class Model {
        static let cache = TieredCache<Int, String>(configuration: .init(maximumCount: 10), stores: [], codec: .json)

        @Cached(in: cache) static func text(_ number: Int) async throws -> String {
            MainActor.assertIsolated()
            return "\(number)"
        }
    }

    private struct Box<Element> {
        @Cached(in: counts) static func size(_ id: Int) async throws -> Int { MemoryLayout<Element>.size }
    }

    private let absentTiered = TieredCache<Int, Int>(
        configuration: .init(maximumCount: 10, policy: .remembering),
        stores: [],
        codec: .json,
        clock: time,
        ticker: time
    )
    private let absentCache = Cache<Int, Int>(maximumCount: 10, ticker: time)

    extension CachePolicy {
        fileprivate static var remembering: CachePolicy { CachePolicy().with { $0.negativeFor = .seconds(60) } }
    }

    @Cached(in: absentTiered, freshFor: .seconds(60), tags: ["tiered-{id}"]) private func tieredNumber(_ id: Int) async throws -> Int { id }
    @Cached(in: absentCache, freshFor: .seconds(60), tags: ["memory-{id}"]) private func memoryNumber(_ id: Int) async throws -> Int { id }

    private struct Twins {
        @Cached(in: counts) static func number(_ id: Int) async throws -> Int { 1 }
        @Cached(in: counts) func number(_ id: Int) async throws -> Int { 2 }
    }

    /// Calls of cached functions.
    @Suite struct CachedFunctionTests {
        @Test func tenThousandCallersOfAColdKeyRunTheBodyOnce() async throws {
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<10_000 { group.addTask { try await user(1).text } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(texts == ["1"])
            #expect(count("user-1") == 1)
        }

        @Test func theCacheHasTheValueByItsKeyAndTags() async throws {
            let value = try await user(2)
            #expect(await users.value(forKey: 2) == value)
            await users.removeValues(taggedWith: "tagged-2")
            #expect(try await user(2).text == "2")
            #expect(try await user(2).text == "2")
        }

        @Test func theFunctionWithoutTheCacheAlwaysRuns() async throws {
            #expect(try await userUncached(3).text == "1")
            #expect(await users.value(forKey: 3) == nil)
            #expect(try await user(3).text == "2")
            #expect(try await userUncached(3).text == "3")
            #expect(try await user(3).text == "2")
        }

        @Test func functionsThatShareACacheDoNotShareValues() async throws {
            #expect(try await first(1, named: "a").text == "first a")
            #expect(try await second(1, named: "a").text == "second a")
            #expect(try await first(1, named: "b").text == "first b")
            #expect(try await first(1, named: "a").text == "first a")
        }

        @Test func nothingIsNoValue() async throws {
            #expect(try await userIfExists(0) == nil)
            #expect(try await userIfExists(0) == nil)
            #expect(count("exists-0") == 2)
            #expect(try await userIfExists(5)?.id == 5)
            #expect(try await userIfExists(5)?.id == 5)
            #expect(count("exists-5") == 1)
        }

        @Test func aFunctionWithoutParametersIsOneKey() async throws {
            #expect(try await answer() == 1)
            #expect(try await answer() == 1)
        }

        @Test func errorsAreNotKept() async {
            for _ in 0..<2 { await #expect(throws: Failure.self) { try await failing(1) { _ in } } }
            #expect(count("failing") == 2)
        }

        @Test func whatIsIncludedTellsInstancesApart() async throws {
            let greeter = Greeter(greeting: "Hello", language: "en")
            #expect(try await greeter.greeting(for: "Ada") == "Hello, Ada (en)")
            #expect(greeter.cache.keys.count == 1)
            let key = try #require(greeter.cache.keys.first)
            #expect(key.arguments == ("Ada", "en"))
        }

        @Test func actorsAndStaticFunctionsOfTheMainActorAreCached() async throws {
            let counter = Counter()
            #expect(try await counter.next(after: 1) == 2)
            #expect(try await counter.next(after: 1) == 2)
            #expect(try await counter.next(after: 2) == 4)
            #expect(try await Model.text(7) == "7")
            #expect(await Model.cache.value(forKey: 7) == "7")
        }

        @Test func theTypesOfAGenericTypeAreToldApart() async throws {
            #expect(try await Box<Int8>.size(0) == 1)
            #expect(try await Box<Int64>.size(0) == 8)
            #expect(try await Box<Int8>.size(0) == 1)
        }

        @Test func whatOthersSayIsAbsentIsLoadedWithItsTermsAndTags() async throws {
            #expect(try await absentTiered.valueIfExists(forKey: 7) { _ in .absent() } == nil)
            #expect(try await absentCache.valueIfExists(forKey: 7) { _ in .absent(expiresAfter: .seconds(60)) } == nil)
            #expect(try await tieredNumber(7) == 7)
            #expect(try await memoryNumber(7) == 7)
            #expect(await absentTiered.lookup(forKey: 7)?.freshUntil != nil)
            await absentTiered.removeValues(taggedWith: "tiered-7")
            absentCache.removeValues(taggedWith: "memory-7")
            #expect(await absentTiered.value(forKey: 7) == nil)
            #expect(absentCache.value(forKey: 7) == nil)
        }

        @Test func functionsOfAnInstanceAndOfItsTypeAreToldApart() async throws {
            #expect(try await Twins.number(0) == 1)
            #expect(try await Twins().number(0) == 2)
        }

        @Test func recordsOfLocalTypesThatAreNamedAlikeAreToldApart() {
            func one() -> Any.Type {
                struct Local<Element> {}
                return Local<Int>.self
            }
            func other() -> Any.Type {
                struct Local<Element> {}
                return Local<Int>.self
            }
            #expect(RecordKey(FunctionCall("f", of: one(), "a")) != RecordKey(FunctionCall("f", of: other(), "a")))
            #expect(RecordKey(FunctionCall("f", of: one(), "a")) == RecordKey(FunctionCall("f", of: one(), "a")))
        }

        @Test func recordsHaveNamesOfTheirOwn() {
            let keys = [
                FunctionCall("f", "ab", "c"), FunctionCall("f", "a", "bc"), FunctionCall("f", of: Int.self, "a", "bc"), FunctionCall("fa", "", "bc"),
            ]
            #expect(Set(keys.map { RecordKey($0) }).count == 4)
            #expect(FunctionCall("f", "caf\u{E9}") == FunctionCall("f", "cafe\u{301}"))
            #expect(RecordKey(FunctionCall("f", "caf\u{E9}")) == RecordKey(FunctionCall("f", "cafe\u{301}")))
        }
    }
#endif
