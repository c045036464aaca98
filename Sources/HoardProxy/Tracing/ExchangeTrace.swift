// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOHTTP1
internal import Synchronization
internal import Tracing

/// The span of one exchange with a client. It travels with the exchange's note, and ends when its report is made.
final class ExchangeTrace: Sendable {
    private let tracer: any Tracer
    private let span: any Span
    private let isEnded = Atomic(false)

    /// - Parameter context: As the client's fields have it.
    init(_ tracer: any Tracer, _ request: HTTPRequest, _ context: ServiceContext) {
        self.tracer = tracer
        span = tracer.startSpan(request.method.spanName, context: context, ofKind: .server)
        if span.isRecording { span.updateAttributes { request.describe(in: &$0) } }
    }

    deinit {
        // The client has left before there was an answer, so that there was no response that could have carried this.
        guard end() else { return }
        span.attributes["error.type"] = "abandoned"
        span.end()
    }

    /// The identifier of the trace in 32 digits, if the tracer writes it as W3C Trace Context does.
    var traceID: String? {
        var fields = HTTPFields()
        tracer.inject(span.context, into: &fields, using: TraceFields())
        return fields[.traceparent].flatMap { TraceContext(traceparent: $0) }?.traceIDText
    }

    /// Sends requests through a transport, with a span for each.
    func transport(_ base: any Transport) -> any Transport { TracedTransport(base: base, tracer: tracer, parent: span.context) }

    private func end() -> Bool { !isEnded.exchange(true, ordering: .acquiringAndReleasing) }

    /// Ends the span, with the outcome of the request. O(1).
    func end(_ report: ExchangeReport) {
        guard end() else { return }
        defer { span.end() }
        guard span.isRecording else { return }
        span.updateAttributes { attributes in
            attributes["network.protocol.version"] = report.version.major == 1 ? "1.\(report.version.minor)" : "\(report.version.major)"
            attributes["http.response.status_code"] = report.status
            attributes["http.response.body.size"] = report.contentByteCount
            if let answer = report.answer {
                attributes["hoard.cache.outcome"] = "\(answer.outcome)"
                attributes["hoard.cache.tier"] = "\(answer.tier)"
            }
            if report.isAbandoned {
                attributes["error.type"] = "abandoned"
            } else if report.status >= 500 {
                attributes["error.type"] = "\(report.status)"
            } else if !report.isComplete {
                attributes["error.type"] = "incomplete"
            }
        }
        if report.status >= 500 { span.setStatus(SpanStatus(code: .error)) }
    }
}

extension HTTPRequest {
    /// So many characters of a path or URL are in a span.
    private static let maximumLength = 1_024

    /// Where the request goes, in the words of OpenTelemetry: without the query, which may hold data that is not for a
    /// collector.
    fileprivate func describe(in attributes: inout SpanAttributes) {
        attributes["http.request.method"] = method.isKnown ? method.rawValue : "_OTHER"
        attributes["url.path"] = pathWithoutQuery
        attributes["url.scheme"] = scheme ?? "http"
        guard let authority else { return }
        attributes["server.address"] = HostPatterns.host(of: authority)
        if let port = Authority(authority)?.port { attributes["server.port"] = port }
    }

    fileprivate var urlWithoutQuery: String { "\(scheme ?? "http")://\(authority ?? "")\(pathWithoutQuery)" }

    private var pathWithoutQuery: String {
        let path = path ?? ""
        return String(path.prefix { $0 != "?" }.prefix(Self.maximumLength))
    }
}

extension HTTPRequest.Method {
    /// Methods that anyone could invent are not in names of spans, which are few.
    fileprivate var spanName: String { isKnown ? rawValue : "HTTP" }

    fileprivate var isKnown: Bool {
        let known: [Self] = [.get, .head, .post, .put, .delete, .patch, .options, .connect, .trace]
        return known.contains(self)
    }
}

/// Makes a span of each request to an upstream, and tells the upstream of it.
private struct TracedTransport: Transport {
    let base: any Transport
    let tracer: any Tracer
    let parent: ServiceContext

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        var request = request
        let span: any Span = tracer.startSpan(request.method.spanName, context: parent, ofKind: .client)
        if span.isRecording {
            span.updateAttributes { attributes in
                request.describe(in: &attributes)
                attributes["url.full"] = request.urlWithoutQuery
            }
        }
        var context = HTTPFields()
        tracer.inject(span.context, into: &context, using: TraceFields())
        // The client's own names a span of the client. It stays if the tracer writes others.
        if context.contains(.traceparent) {
            for name in [HTTPField.Name.traceparent, .tracestate] where request.headerFields.contains(name) { request.headerFields[name] = nil }
        }
        for field in context { request.headerFields[field.name] = field.value }
        do {
            let response = try await base.send(request, body: body, onInterimResponse: onInterimResponse)
            span.attributes["http.response.status_code"] = response.head.status.code
            if response.head.status.code >= 400 { span.attributes["error.type"] = "\(response.head.status.code)" }
            if response.head.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
            span.end()
            return response
        } catch {
            // The text of an error may name data that is not for a collector.
            span.attributes["error.type"] = "\(error.code)"
            if error.code != .cancelled { span.setStatus(SpanStatus(code: .error)) }
            span.end()
            throw error
        }
    }
}
