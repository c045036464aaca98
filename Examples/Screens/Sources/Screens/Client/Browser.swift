// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardDisk
internal import HoardHTTP
internal import HoardTransports
internal import HoardViews
internal import Logging

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The user who is logged in. A partition of this name keeps the user's screens; the token is kept nowhere.
struct Account: Sendable {
    let name: String
    let token: String

    /// The way to a token is not part of this example.
    init(_ name: String) {
        self.name = name
        token = "token-" + name
    }
}

/// The app: it opens screens, prefetches, logs in and out. ``close()`` is its end; another browser on the same directory is the same app started again.
actor Browser {
    nonisolated let url: String
    private let transport: NIOTransport
    private let disk: DiskStore
    private let cache: HTTPCache
    private let client: ViewClient
    private let admin: ShopAdmin
    private var account: Account?
    /// The view that each path showed when it was last opened.
    private var shown: [String: FetchedView] = [:]

    /// - Parameters:
    ///   - url: Where the server is.
    ///   - directory: Where screens are kept.
    init(url: String, directory: String, clock: TravelClock) throws {
        self.url = url
        transport = NIOTransport()
        // One store for both: the manager has the screens with a hash, and the HTTP cache has the other screens.
        disk = try DiskStore(configuration: .init(directory: directory, maximumBytes: 64 << 20, clock: clock))
        cache = HTTPCache(stores: [disk], clock: clock)
        let caching = CachingClient(transport: TravelTransport(transport: transport, clock: clock), cache: cache)
        admin = ShopAdmin(client: caching, url: url)
        client = ViewClient(
            dependencies: .init(
                urlBuilder: URLBuilder(baseURL: URL(string: url)),
                client: caching,
                coder: ComponentCoder.shop,
                cache: CacheManager(store: disk, clock: clock),
                logger: Logger(label: "screens.client") { _ in SwiftLogNoOpLogHandler() }
            ),
            clock: clock,
            ticker: clock
        )
    }

    /// Finishes the work under way and closes the files.
    func close() async {
        await cache.close()
        await disk.close()
        await transport.shutdown()
    }

    /// Waits until everything is on the disk that belongs there.
    func flush() async {
        await cache.flush()
        await disk.flush()
    }

    /// Opens a screen: from the cache if the kept screen is valid, else from the server.
    ///
    /// - Parameter revalidates: Whether the server is asked also about a screen that is valid.
    func open(_ path: String, revalidates: Bool = false) async -> Visit {
        let before = await admin.counts()
        var request = request(path)
        request.revalidates = revalidates
        do throws(ViewError) {
            let view = try await client.fetch(request)
            return await visit(view, path, since: before)
        } catch {
            return Visit(error, path: path, requests: await requests(since: before))
        }
    }

    /// Opens a screen with the kept one, valid or not, and then with the server's present one, if that differs.
    nonisolated func updates(of path: String) -> AsyncStream<Visit> {
        AsyncStream { continuation in
            let task = Task {
                await watch(path) { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func watch(_ path: String, _ show: @Sendable (Visit) -> Void) async {
        var before = await admin.counts()
        do throws(ViewError) {
            for try await view in client.fetchUpdates(request(path)) {
                show(await visit(view, path, since: before))
                before = await admin.counts()
            }
        } catch {
            show(Visit(error, path: path, requests: await requests(since: before)))
        }
    }

    /// Fetches screens before they are needed.
    func prefetch(_ paths: [String]) async -> (report: PrefetchReport, requests: RequestCounts?) {
        let before = await admin.counts()
        let report = await client.prefetch(paths.map(request))
        return (report, await requests(since: before))
    }

    func logIn(_ account: Account) async {
        await logOut()
        self.account = account
    }

    /// Forgets everything that belongs to the user, in memory and on the disk.
    func logOut() async {
        guard let account else { return }
        self.account = nil
        await client.removePartition(account.name)
        shown["/screens/profile"] = nil
    }

    /// Changes a price in the shop.
    func setPrice(_ cents: Int, ofProduct id: Int) async -> Bool {
        await admin.setPrice(cents, ofProduct: id)
    }

    var statistics: ViewClientStatistics { client.statistics }

    /// The requests for screens that the server has seen; `nil` if it is away.
    func counts() async -> RequestCounts? { await admin.counts() }

    /// The profile is the user's: with the token, in the user's partition, and never on the disk. Everything else is the same for all.
    private func request(_ path: String) -> ViewRequest {
        guard path == "/screens/profile", let account else { return ViewRequest(path) }
        let fields: HTTPFields = [.authorization: "Bearer \(account.token)"]
        return ViewRequest(path, additionalData: HTTPAdditionalData(headers: fields), partition: account.name, isSensitive: true)
    }

    private func visit(_ view: FetchedView, _ path: String, since before: RequestCounts?) async -> Visit {
        let isChange = shown[path].map { !view.isSameState(as: $0) } ?? false
        shown[path] = view
        return Visit(view, path: path, isChange: isChange, requests: await requests(since: before))
    }

    private func requests(since before: RequestCounts?) async -> RequestCounts? {
        guard let before, let now = await admin.counts() else { return nil }
        return RequestCounts(requests: now.requests - before.requests, notModified: now.notModified - before.notModified)
    }
}
