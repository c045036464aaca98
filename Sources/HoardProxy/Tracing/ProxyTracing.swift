// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardNIO
internal import Logging
internal import NIOCore
internal import Tracing

/// The beginning of every trace: makes the spans of requests.
final class ProxyTracing: Sendable {
    let settings: CachingProxy.Configuration.Traces
    private let tracer: any Tracer
    /// `nil`: the tracer is the program's own.
    private let collecting: OTLPTracer?
    private let exporter: SpanExporter?

    /// - Throws: ``ProxyError`` if the collector cannot be used.
    init(
        _ settings: CachingProxy.Configuration.Traces,
        version: String,
        group: any EventLoopGroup,
        ticker: any Ticker,
        logger: Logger
    ) throws(ProxyError) {
        self.settings = settings
        switch settings.destination {
        case .tracer(let tracer):
            self.tracer = tracer
            (collecting, exporter) = (nil, nil)
        case .collector(let collector):
            guard (0...1).contains(settings.sampledShare) else {
                throw ProxyError(.invalidConfiguration, "The sampled share of traces is \(settings.sampledShare); it must be from 0 to 1.")
            }
            let exporter = try SpanExporter(
                collector: collector,
                resource: .init(serviceName: settings.serviceName, version: version),
                group: group,
                ticker: ticker,
                logger: logger
            )
            let tracer = OTLPTracer(sampledShare: settings.sampledShare) { exporter.append($0) }
            self.tracer = tracer
            (collecting, self.exporter) = (tracer, exporter)
        }
    }

    /// The tracing of a configuration: the one of before, if nothing has changed.
    static func make(
        _ settings: CachingProxy.Configuration.Traces?,
        keeping other: ProxyTracing? = nil,
        version: String,
        group: any EventLoopGroup,
        ticker: any Ticker = MonotonicTicker(),
        logger: Logger
    ) throws(ProxyError) -> ProxyTracing? {
        guard let settings else { return nil }
        if let other, other.settings.isEqual(to: settings) { return other }
        return try ProxyTracing(settings, version: version, group: group, ticker: ticker, logger: logger)
    }

    /// The spans that were sent and that were not; `nil` if a tracer of the program's own has them.
    var counts: ProxyStatistics.Snapshot.TraceCounts? { exporter?.counts }

    /// Begins the span of a request.
    func begin(_ request: HTTPRequest) -> ExchangeTrace {
        var context = ServiceContext.topLevel
        tracer.extract(request.headerFields, into: &context, using: TraceFields())
        return ExchangeTrace(tracer, request, context)
    }

    /// Whether a request can be answered without parsing it: it names no trace, and whether it begins one is for ``beginIfSampled(_:)`` to say.
    func takesUnparsed(_ request: ScannedRequest) -> Bool { collecting != nil && !request.belongsToTrace }

    /// Begins the span of a request that ``takesUnparsed(_:)`` and that has been answered; `nil` if it is not sampled.
    func beginIfSampled(_ request: ScannedRequest) -> ExchangeTrace? {
        guard let collecting, collecting.drawsSample() else { return nil }
        var context = ServiceContext.topLevel
        context.traceContext = .root
        let head = HTTPRequest(
            method: request.httpMethod,
            scheme: request.isSecure ? "https" : "http",
            authority: String(decoding: request.host, as: UTF8.self),
            path: String(decoding: request.target, as: UTF8.self)
        )
        return ExchangeTrace(tracer, head, context)
    }

    /// Sends the spans that wait, for two seconds at most. Spans that end later are dropped.
    func shutdown() async {
        await exporter?.close()
    }
}
