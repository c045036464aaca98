// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import Synchronization

extension RecordStoreConformance {
    /// Makes so many stores over the same records, with nothing in them: as many processes would have them. The check closes them.
    public typealias MakeSharedStores = @Sendable (Configuration, _ count: Int) async throws -> [any SharedRecordStore]

    /// One rule for stores that others change too, and how to find out whether a store keeps it.
    public struct SharingCheck: Sendable, Identifiable, CustomStringConvertible {
        /// The behavior of a store that passes. Unique within the suite.
        public let name: String

        private let storeCount: Int
        private let body: @Sendable (SharingSubject) async throws -> Void

        init(_ name: String, storeCount: Int = 2, body: @escaping @Sendable (SharingSubject) async throws -> Void) {
            self.name = name
            self.storeCount = storeCount
            self.body = body
        }

        public var id: String { name }
        public var description: String { name }

        /// Makes stores, tries them, and closes them.
        ///
        /// - Throws: ``RecordStoreConformanceFailure`` if a store breaks the rule; the errors of `makeStores`.
        public func run(_ makeStores: MakeSharedStores) async throws {
            let time = ManualTicker()
            let stores = try await makeStores(Configuration(maximumCount: nil, maximumBytes: nil, clock: time), storeCount)
            precondition(stores.count == storeCount, "The check needs \(storeCount) stores.")
            let subject = SharingSubject(stores: stores, time: time)
            let failure: RecordStoreConformanceFailure?
            do {
                try await body(subject)
                failure = nil
            } catch let expectation as UnmetExpectation {
                failure = RecordStoreConformanceFailure(check: name, message: expectation.message, underlyingError: expectation.underlyingError)
            } catch {
                failure = RecordStoreConformanceFailure(check: name, message: "A store threw “\(error)”.", underlyingError: error)
            }
            for store in stores { await store.close() }
            if let failure { throw failure }
        }
    }

    /// The stores that a check tries, and the time they live in. News may be late, as they come over a network.
    struct SharingSubject: Sendable {
        let stores: [any SharedRecordStore]
        let time: ManualTicker

        var here: any SharedRecordStore { stores[0] }
        var there: any SharedRecordStore { stores[1] }

        /// The first store, for the helpers of checks of one store.
        var subject: Subject { Subject(store: here, time: time) }
        var otherSubject: Subject { Subject(store: there, time: time) }

        /// For how long, in real time, something is waited for that has to come, and how often it is looked for at least: each look lets others go on, however busy
        /// the machine is.
        static var patience: (duration: Duration, looks: Int) { (.seconds(30), 1_000) }

        /// Ends the check unless something comes to hold.
        func eventually(_ message: @autoclosure () -> String, _ condition: () async throws -> Bool) async throws {
            let end = ContinuousClock.now + Self.patience.duration
            var looks = 0
            while try await !condition() {
                looks += 1
                guard ContinuousClock.now < end || looks < Self.patience.looks else { throw UnmetExpectation(message: message()) }
                try await Task.sleep(for: .milliseconds(1))
            }
        }

        /// Writes a record as a load would that begins now. It may have to be tried again, because notices of earlier
        /// changes are still on their way.
        func load(_ record: Record, forKey key: RecordKey, in store: any SharedRecordStore, _ circumstances: String) async throws {
            try await eventually("\(circumstances), a load that begins then should be published at last.") {
                try await store.insert(record, forKey: key, ifUnchangedSince: store.position)
            }
        }
    }

    /// The changes that a watch has been told of.
    final class Hearing: Sendable {
        private let heard = Mutex<[StoreInvalidation]>([])
        private let watch = Mutex<StoreWatch?>(nil)

        init(_ store: any SharedRecordStore) {
            let watch = store.watch { [weak self] invalidation in self?.heard.withLock { $0.append(invalidation) } }
            self.watch.withLock { $0 = watch }
        }

        var all: [StoreInvalidation] { heard.withLock { $0 } }

        func forget() { heard.withLock { $0 = [] } }
        func cancel() { watch.withLock { $0.take() }?.cancel() }

        func concerns(_ key: RecordKey) -> Bool { all.contains { $0.key == key || $0.isOfEverything } }
        func concerns(tag: String) -> Bool { all.contains { $0.tags.contains(tag) || $0.isOfEverything } }
        func concerns(partition: String) -> Bool { all.contains { $0.partition == partition || $0.isOfEverything } }
    }
}

extension RecordStoreConformance {
    /// The origin that loads ask, in checks of stores that several instances change.
    final class Source: Sendable {
        private let number = Atomic<Int>(0)
        var value: Int {
            get { number.load(ordering: .sequentiallyConsistent) }
            set { number.store(newValue, ordering: .sequentiallyConsistent) }
        }
    }

    /// Whether something has ended.
    final class Finish: Sendable {
        private let state = Atomic<Bool>(false)
        var isFinished: Bool { state.load(ordering: .acquiring) }
        func finish() { state.store(true, ordering: .releasing) }
    }
}
