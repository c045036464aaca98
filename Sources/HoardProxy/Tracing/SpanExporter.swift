// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import HoardTransports
internal import Logging
internal import NIOCore
internal import Synchronization

/// Sends spans to a collector, many at a time. Bounded: a span that finds no room is dropped and counted, and nothing waits for it.
final class SpanExporter: Sendable {
    typealias Counts = ProxyStatistics.Snapshot.TraceCounts

    struct Limits: Sendable {
        /// The most spans that may wait.
        var spanCount = 4_096
        /// How many spans one request carries.
        var batchCount = 512
        /// The time for which the first of some spans waits for others.
        var delay = Duration.milliseconds(200)
        /// The time for which ``SpanExporter/close()`` waits.
        var closing = Duration.seconds(2)
    }

    private struct State {
        var spans: [FinishedSpan] = []
        /// Sends the spans that wait, and ends when there are none.
        var sending: Task<Void, Never>?
        var counts = Counts(sent: 0, dropped: 0, failed: 0)
        var isClosed = false
        var isFailing = false
    }

    private let collector: Origin
    private let resource: OTLPDocument.Resource
    private let transport: any Transport
    private let limits: Limits
    private let ticker: any Ticker
    private let logger: Logger
    private let state = Mutex(State())

    /// - Throws: ``ProxyError`` if the collector cannot be used.
    convenience init(
        collector: Origin,
        resource: OTLPDocument.Resource,
        group: any EventLoopGroup,
        ticker: any Ticker,
        logger: Logger
    ) throws(ProxyError) {
        var configuration = NIOTransport.Configuration()
        configuration.eventLoopGroup = group
        configuration.maximumConnectionCountPerHost = 1
        (configuration.readTimeout, configuration.responseTimeout) = (.seconds(10), .seconds(10))
        do {
            let transport = try NIOTransport(configuration: configuration)
            self.init(collector: collector, resource: resource, transport: transport, ticker: ticker, logger: logger)
        } catch {
            throw ProxyError(.invalidConfiguration, "The collector of traces cannot be used: \(error.message)", underlyingError: error)
        }
    }

    init(
        collector: Origin,
        resource: OTLPDocument.Resource,
        transport: any Transport,
        limits: Limits = Limits(),
        ticker: any Ticker,
        logger: Logger
    ) {
        self.collector = collector
        self.resource = resource
        self.transport = transport
        self.limits = limits
        self.ticker = ticker
        self.logger = logger
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Whether nothing waits and nothing is on its way: the next span will wait for others.
    var isIdle: Bool { state.withLock { $0.sending == nil } }

    /// Leaves a span to be sent. Never blocks for longer than a lock. O(1).
    func append(_ span: FinishedSpan) {
        state.withLock { state in
            guard !state.isClosed, state.spans.count < limits.spanCount else {
                state.counts.dropped += 1
                return
            }
            state.spans.append(span)
            if state.sending == nil { state.sending = startTask(priority: .utility) { await self.run() } }
        }
    }

    /// Sends the spans that wait, for the time of ``Limits/closing`` at most. Spans that come later are dropped.
    func close() async {
        let sending = state.withLock { state in
            state.isClosed = true
            return state.sending
        }
        guard let sending else { return }
        let deadline = ticker.nanoseconds().addingSaturated(limits.closing.saturatingNanoseconds)
        // In a task of its own: a caller that is cancelled has spans to send, too.
        let limit = startTask { [ticker] in
            guard (try? await ticker.sleep(until: deadline)) != nil else { return }
            sending.cancel()
        }
        await sending.value
        limit.cancel()
    }

    private func run() async {
        let isClosed = state.withLock { $0.isClosed }
        if !isClosed { try? await ticker.sleep(for: limits.delay) }
        while let batch = take() {
            let problem = Task.isCancelled ? "the proxy has ended" : await send(batch)
            note(problem, count: batch.count)
        }
    }

    /// - Returns: `nil` if nothing waits; then the next span begins anew.
    private func take() -> [FinishedSpan]? {
        state.withLock { state in
            if state.spans.isEmpty {
                state.sending = nil
                return nil
            }
            let batch = Array(state.spans.prefix(limits.batchCount))
            state.spans.removeFirst(batch.count)
            return batch
        }
    }

    /// - Returns: Why the collector did not take the spans, in a few words; `nil` if it did.
    private func send(_ spans: [FinishedSpan]) async -> String? {
        let content: ByteBuffer
        do { content = try OTLPDocument(resource: resource, spans: spans).encoded() } catch { return "\(error)" }
        let request = HTTPRequest(
            method: .post,
            scheme: collector.scheme,
            authority: collector.authority,
            path: collector.basePath + "/v1/traces",
            headerFields: [.contentType: "application/json", .userAgent: "hoard", .contentLength: "\(content.readableBytes)"]
        )
        do {
            let response = try await transport.send(request, body: HTTPBody(content), onInterimResponse: nil)
            // The content is of no use here, but the connection is.
            _ = try await response.body.collect(upTo: 64 << 10)
            let status = response.head.status
            return status.kind == .successful ? nil : "it answers \(status.code)"
        } catch let error as TransportError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    private func note(_ problem: String?, count: Int) {
        let hasChanged = state.withLock { state in
            if problem == nil { state.counts.sent += count } else { state.counts.failed += count }
            defer { state.isFailing = problem != nil }
            return state.isFailing != (problem != nil)
        }
        guard hasChanged else { return }
        if let problem {
            logger.warning("The collector of traces does not take spans; they are lost until it does.", metadata: ["reason": "\(problem)"])
        } else {
            logger.notice("The collector of traces takes spans again.")
        }
    }
}
