// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension RecordStoreConformance {
    /// One rule, and how to find out whether a store keeps it.
    public struct Check: Sendable, Identifiable, CustomStringConvertible {
        /// The behavior of a store that passes, such as `a write replaces the record whole`. Unique within the suite.
        public let name: String

        private let maximumCount: Int?
        private let maximumBytes: Int?
        private let body: @Sendable (Subject) async throws -> Void

        init(
            _ name: String,
            maximumCount: Int? = nil,
            maximumBytes: Int? = nil,
            body: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.name = name
            self.maximumCount = maximumCount
            self.maximumBytes = maximumBytes
            self.body = body
        }

        /// The same check of another store, which stands in front of the one that is made.
        func replacing(name: String, _ subject: @escaping @Sendable (Subject) throws -> Subject) -> Self {
            Check(name, maximumCount: maximumCount, maximumBytes: maximumBytes) { [body] made in try await body(try subject(made)) }
        }

        public var id: String { name }

        /// Whether the check needs a store that it can limit.
        var setsLimits: Bool { maximumCount != nil || maximumBytes != nil }

        public var description: String { name }

        /// Makes a store, tries it, and closes it.
        ///
        /// - Throws: ``RecordStoreConformanceFailure`` if the store breaks the rule; the errors of `makeStore`.
        public func run(_ makeStore: MakeStore) async throws {
            let time = ManualTicker()
            let store = try await makeStore(Configuration(maximumCount: maximumCount, maximumBytes: maximumBytes, clock: time))
            let failure: RecordStoreConformanceFailure?
            do {
                try await body(Subject(store: store, time: time))
                failure = nil
            } catch let expectation as UnmetExpectation {
                failure = RecordStoreConformanceFailure(check: name, message: expectation.message, underlyingError: expectation.underlyingError)
            } catch {
                failure = RecordStoreConformanceFailure(check: name, message: "The store threw “\(error)”.", underlyingError: error)
            }
            await store.close()
            if let failure { throw failure }
        }
    }

    /// The store that a check tries, and the time it lives in.
    struct Subject: Sendable {
        let store: any RecordStore
        let time: ManualTicker
    }

    /// Ends a check.
    struct UnmetExpectation: Error {
        let message: String
        /// The error that the store threw, if that was the reason.
        var underlyingError: (any Error)?

        init(message: String) { self.message = message }

        /// The same end of a check, with the circumstances in which it came.
        ///
        /// - Parameter error: Another `UnmetExpectation`, or an error of the store.
        init(_ circumstances: String, _ error: any Error) {
            let expectation = error as? UnmetExpectation
            message = "\(circumstances): \(expectation?.message ?? "The store threw “\(error)”.")"
            underlyingError = expectation == nil ? error : expectation?.underlyingError
        }
    }

    /// Ends the check with `message` unless `condition` holds.
    static func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw UnmetExpectation(message: message()) }
    }

    /// Ends the check unless `operation` throws an error with this code.
    static func expect(
        _ code: StoreError.Code,
        from description: String,
        _ operation: () async throws(StoreError) -> Void
    ) async throws {
        do throws(StoreError) {
            try await operation()
        } catch {
            return try expect(error.code == code, "\(description) should throw \(code), but threw \(error.code).")
        }
        throw UnmetExpectation(message: "\(description) should throw \(code), but did not throw.")
    }
}
