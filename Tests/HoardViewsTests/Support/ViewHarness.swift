// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import HoardViews
import Logging
import Synchronization

/// A client, the origin behind it, and time that a test moves.
struct ViewHarness {
    let time: ManualTicker
    let origin: ScreenOrigin
    let transport: FakeTransport
    let coder: CountingCoder
    let cache: SpyCacheManager?
    let http: HTTPCache
    let client: ViewClient

    init(
        keepsReferences: Bool = true,
        stores: [any RecordStore] = [],
        configuration: ViewClient.Configuration = ViewClient.Configuration(),
        urlBuilder: any URLBuilding = URLBuilder(baseURL: URL(string: "http://example.com"))
    ) {
        let time = ManualTicker()
        let origin = ScreenOrigin(clock: time)
        let transport = FakeTransport { await origin.answer($0) }
        let coder = CountingCoder()
        let cache = keepsReferences ? SpyCacheManager(clock: time) : nil
        let http = HTTPCache(stores: stores, clock: time, ticker: time)
        self.time = time
        self.origin = origin
        self.transport = transport
        self.coder = coder
        self.cache = cache
        self.http = http
        client = ViewClient(
            dependencies: .init(
                urlBuilder: urlBuilder,
                client: CachingClient(transport: transport, cache: http, ticker: time),
                coder: coder,
                cache: cache,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ),
            configuration: configuration,
            clock: time,
            ticker: time
        )
    }

    /// A client like the other one over the same cache manager and HTTP cache, as after a restart.
    func restarted() -> ViewClient {
        ViewClient(dependencies: client.dependencies, configuration: client.configuration, clock: time, ticker: time)
    }

    /// How many requests have reached the origin.
    var requestCount: Int { transport.requests.count }

    func requestCount(path: String) -> Int { transport.requests.count { $0.head.path == path } }
}

/// A component of the tests.
struct TestScreen: ServerDrivenComponent, Equatable {
    static let typeName = "test:screen"
    var title: String
}

extension FetchedView {
    /// The title, if it is a screen of the tests.
    var title: String? { (component as? TestScreen)?.title }
}

/// Decodes screens of the tests, and counts.
final class CountingCoder: ComponentCoding {
    private let priorities = Shared<[TaskPriority]>([])

    var decodeCount: Int { priorities.value.count }
    /// The priority with which each screen was decoded.
    var decodePriorities: [TaskPriority] { priorities.value }

    func decode(_ data: Data) throws(ComponentCodingError) -> any ServerDrivenComponent {
        priorities.update { $0.append(Task.currentPriority) }
        do {
            return try JSONDecoder().decode(TestScreen.self, from: data)
        } catch {
            throw ComponentCodingError(.invalidValue, path: "$.title", "It is no screen of the tests.", underlyingError: error)
        }
    }

    func encode(_ component: any ServerDrivenComponent) throws(ComponentCodingError) -> Data {
        guard let screen = component as? TestScreen, let data = try? JSONEncoder().encode(screen) else {
            throw ComponentCodingError(.encodingFailed, "It is no screen of the tests.")
        }
        return data
    }
}

/// A cache manager that keeps everything in a dictionary, and lets a test look in and hold the door.
final class SpyCacheManager: CacheManagerProtocol {
    private struct State {
        var references: [String: CacheReference] = [:]
        var additions: [CacheReference] = []
        var addingGate: Gate?
        var gettingGate: Gate?
    }

    private let state = Mutex(State())
    private let clock: any WallClock
    private let defaultMaxAge: Int

    init(clock: any WallClock, defaultMaxAge: Int = 300) {
        self.clock = clock
        self.defaultMaxAge = defaultMaxAge
    }

    /// The references that are kept now.
    var references: [CacheReference] { state.withLock { Array($0.references.values) } }
    /// Everything that has been added, in order.
    var additions: [CacheReference] { state.withLock { $0.additions } }

    /// Makes additions wait at a gate before anything is kept.
    func hold(additionsAt gate: Gate?) { state.withLock { $0.addingGate = gate } }
    /// Makes lookups wait at a gate after they have found their result.
    func hold(lookupsAt gate: Gate?) { state.withLock { $0.gettingGate = gate } }

    func addToCache(_ reference: CacheReference) async {
        await state.withLock { $0.addingGate }?.pass()
        state.withLock { state in
            state.references[reference.identifier] = reference
            state.additions.append(reference)
        }
    }

    func getReference(identifiedBy identifier: String) async -> CacheReference? {
        let (found, gate) = state.withLock { ($0.references[identifier], $0.gettingGate) }
        await gate?.pass()
        return found
    }

    func isValid(reference: CacheReference) -> Bool {
        clock.now().timeIntervalSince(reference.timeOfCreation) < TimeInterval(reference.maxAge ?? defaultMaxAge)
    }

    func removeReference(identifiedBy identifier: String) async {
        state.withLock { $0.references[identifier] = nil }
    }

    func removePartition(_ partition: String) async {
        state.withLock { state in state.references = state.references.filter { $0.value.partition != partition } }
    }

    func clear() async {
        state.withLock { $0.references = [:] }
    }
}

/// An origin with a screen at each path. By default a screen's title is its path, and it has a hash and a lifetime of 60 seconds.
final class ScreenOrigin: Sendable {
    struct Screen: Sendable {
        var title: String
        /// `nil`: the response has no hash.
        var hash: String?
        var fields: HTTPFields = [.cacheControl: "max-age=60"]
        var status = HTTPResponse.Status.ok
        /// Sent in place of a screen.
        var body: String?
        /// Whether the origin looks at the hash of a request.
        var answersNotModified = true
        /// The fields that a 304 has beside the hash.
        var notModifiedFields: HTTPFields?
    }

    private struct State {
        var screens: [String: Screen] = [:]
        var failure: TransportError?
    }

    static let hashField = HTTPField.Name("beagle-hash").unsafelyNamed
    private let state = Mutex(State())
    private let clock: any WallClock

    init(clock: any WallClock) {
        self.clock = clock
    }

    /// The screen at a path. A test sets one as an editor of the site would.
    subscript(path: String) -> Screen {
        get { state.withLock { $0.screens[path] } ?? Screen(title: path, hash: "hash of \(path)") }
        set { state.withLock { $0.screens[path] = newValue } }
    }

    /// Makes the origin unreachable, or reachable again.
    func fail(with error: TransportError?) { state.withLock { $0.failure = error } }

    func answer(_ request: FakeTransport.Request) async -> FakeTransport.Answer {
        if let failure = state.withLock({ $0.failure }) { return .failure(failure) }
        let screen = self[request.head.path ?? ""]
        var fields = screen.fields
        fields[.date] = fields[.date] ?? HTTPDate(clock.now()).description
        if let hash = screen.hash {
            fields[Self.hashField] = hash
            if screen.answersNotModified, request.head.headerFields[Self.hashField] == hash {
                var notModified = screen.notModifiedFields ?? fields
                notModified[.date] = fields[.date]
                return .text(status: .notModified, fields: notModified)
            }
        }
        return .text(screen.body ?? #"{"title": "\#(screen.title)"}"#, status: screen.status, fields: fields)
    }
}

extension HTTPField.Name? {
    /// The field name of a literal that is a valid name.
    fileprivate var unsafelyNamed: HTTPField.Name {
        guard let name = self else { preconditionFailure("It is no field name.") }
        return name
    }
}
