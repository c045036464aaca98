// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import Hoard
internal import HoardDisk
internal import HoardHTTP
internal import HoardViews
internal import Logging

/// Gets screens for `hoard view` and prints them.
struct ScreenFetcher {
    private let command: ViewCommand
    private let coder: ComponentCoder
    private let client: CachingClient
    private let manager: CacheManager

    init(command: ViewCommand, transport: any Transport, store: DiskStore?) {
        self.command = command
        coder = ComponentCoder(discriminator: command.discriminator, unknownTypes: command.strict ? .error : .placeholder)
        let stores: [any RecordStore] = store.map { [$0] } ?? []
        client = CachingClient(
            transport: UserAgentTransport(base: transport),
            cache: HTTPCache(stores: stores) { event in Terminal.say("hoard: \(event)") }
        )
        manager = CacheManager(store: store)
    }

    /// Finishes the writes under way and closes the store.
    func close() async {
        await manager.saveChanges()
        await client.cache.close()
    }

    /// The report on a screen that `--json` prints to standard error.
    private struct Report: Encodable {
        let url: String
        let source: String
        let hash: String?
        /// How many seconds ago the server made or confirmed the screen.
        let ageSeconds: Int64?
        /// The reason why the screen may be shown, if it is not valid any more.
        let staleReason: String?
        /// The screens that were prefetched, and those that could not be.
        let prefetched: Int?
        let notPrefetched: Int?
        let milliseconds: Int
    }

    /// Gets a screen and prints it.
    ///
    /// - Throws: ``ViewError``, or ``OutputError``.
    func show(_ url: String) async throws {
        let start = ContinuousClock.now
        let views = viewClient(for: url)
        let view = try await views.fetch(request(url))
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        if command.json {
            try StandardOutput.write(text: printableJSON(String(decoding: try encoded(view.component), as: UTF8.self)) + "\n")
        } else {
            try StandardOutput.write(text: view.component.treeDescription + "\n")
        }
        let routes = view.component.routes.filter(\.shouldPrefetch)
        let prefetched = command.prefetch ? await views.prefetch(routes.map { request($0.url) }) : nil
        let report = Report(
            url: view.url,
            source: view.source.description,
            hash: view.hash,
            ageSeconds: view.age?.components.seconds,
            staleReason: view.staleness?.reason,
            prefetched: prefetched.map { $0.fetchedCount + $0.alreadyKeptCount },
            notPrefetched: prefetched.map { $0.failedCount + $0.skippedCount },
            milliseconds: milliseconds
        )
        Terminal.say(command.json ? try jsonLine(report) : line(for: report))
    }

    private func encoded(_ component: any ServerDrivenComponent) throws(ViewError) -> Data {
        do {
            return try coder.encode(component)
        } catch {
            throw ViewError(.decoding, error.message, codingError: error)
        }
    }

    private func line(for report: Report) -> String {
        var words = [printable(report.url), report.source]
        if let hash = report.hash { words.append("hash \(printable(hash))") }
        if let age = report.ageSeconds { words.append("\(age) s old") }
        if let reason = report.staleReason { words.append("stale: \(printable(reason))") }
        if let prefetched = report.prefetched { words.append("\(prefetched) prefetched") }
        if let failures = report.notPrefetched, failures > 0 { words.append("\(failures) could not be prefetched") }
        return (words + ["\(report.milliseconds) ms"]).joined(separator: "  ")
    }

    /// A client for the screens of one server: screens lead to others by paths below its root, and not to other servers.
    private func viewClient(for url: String) -> ViewClient {
        var configuration = ViewClient.Configuration()
        configuration.partition = command.partition
        configuration.hashFieldName = command.hashField
        configuration.timeout = command.transfer.timeout ?? configuration.timeout
        let base = URL(string: "/", relativeTo: URL(string: url))?.absoluteURL
        return ViewClient(
            dependencies: .init(
                urlBuilder: URLBuilder(baseURL: base),
                client: client,
                coder: coder,
                cache: manager,
                logger: Logger(label: "hoard") { _ in SwiftLogNoOpLogHandler() }
            ),
            configuration: configuration
        )
    }

    private func request(_ path: String) -> ViewRequest {
        let fields = command.transfer.fields
        return ViewRequest(
            path,
            additionalData: fields.isEmpty ? nil : HTTPAdditionalData(headers: fields),
            isSensitive: command.sensitive,
            revalidates: command.refresh
        )
    }
}

/// Names the client to origins, in `User-Agent`. Caches above it see requests without that, so that another version of
/// Hoard finds their responses.
private struct UserAgentTransport: Transport {
    let base: any Transport

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        var request = request
        request.headerFields[.userAgent] = request.headerFields[.userAgent] ?? Version.userAgent
        return try await base.send(request, body: body, onInterimResponse: onInterimResponse)
    }
}
