// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Tracing

extension CachingProxy.Configuration {
    /// How requests become spans.
    ///
    /// Each request is a span of the kind `server`, and each request that the cache sends to an upstream a span of the kind `client` below it, whose
    /// `traceparent` ([W3C Trace Context](https://www.w3.org/TR/trace-context/)) the upstream gets. Span attributes have the names of OpenTelemetry's semantic
    /// conventions for HTTP; `hoard.cache.outcome` and `hoard.cache.tier` say where the answer came from. Queries, fields and addresses of clients are not in spans.
    public struct Traces: Sendable {
        enum Destination: Sendable {
            case collector(Origin)
            case tracer(any Tracer)
        }

        let destination: Destination
        /// The share of requests that are sampled, from 0 to 1. A request that says in `traceparent` whether it is sampled is treated as it says. Only for spans that
        /// go to a collector: a tracer decides itself. Default: 0.01.
        public var sampledShare = 0.01
        /// The name of the proxy as `service.name`. Only for spans that go to a collector. Default: `hoard`.
        public var serviceName = "hoard"

        /// Sends spans to a collector that takes OTLP over HTTP, as JSON.
        ///
        /// At most 4,096 spans wait to be sent, every fifth of a second. While the collector is slow or not there, spans are dropped and counted; requests never wait.
        ///
        /// - Parameter collector: Its base URL, such as `http://127.0.0.1:4318`. `/v1/traces` is added to the path.
        public init(collector: Origin) {
            destination = .collector(collector)
        }

        /// Makes spans with a tracer of [swift-distributed-tracing](https://github.com/apple/swift-distributed-tracing), such as `InstrumentationSystem.tracer`.
        ///
        /// All requests are parsed then, also those for which a stored response is known by the bytes of the request.
        public init(tracer: any Tracer) {
            destination = .tracer(tracer)
        }

        /// Whether the same spans would go to the same collector.
        func isEqual(to other: Self) -> Bool {
            guard case .collector(let mine) = destination, case .collector(let others) = other.destination else { return false }
            return mine == others && sampledShare == other.sampledShare && serviceName == other.serviceName
        }
    }
}
