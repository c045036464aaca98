// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Tracing

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Spans as a collector gets them: `ExportTraceServiceRequest` of OTLP in JSON
/// ([OpenTelemetry protocol specification](https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding)).
struct OTLPDocument: Encodable {
    /// The program that makes the spans.
    struct Resource: Sendable, Hashable {
        var serviceName: String
        var version: String
    }

    private let resourceSpans: [ResourceSpans]

    init(resource: Resource, spans: [FinishedSpan]) {
        var attributes = [Attribute(key: "service.name", value: .string(resource.serviceName))]
        if !resource.version.isEmpty { attributes.append(Attribute(key: "service.version", value: .string(resource.version))) }
        let scope = Scope(name: "hoard", version: resource.version)
        resourceSpans = [
            ResourceSpans(resource: .init(attributes: attributes), scopeSpans: [ScopeSpans(scope: scope, spans: spans.map { Span($0) })])
        ]
    }

    /// The text, O(*n*) in the spans.
    func encoded() throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ByteBuffer(bytes: try encoder.encode(self))
    }

    private struct ResourceSpans: Encodable {
        struct Attributes: Encodable {
            let attributes: [Attribute]
        }

        let resource: Attributes
        let scopeSpans: [ScopeSpans]
    }

    private struct ScopeSpans: Encodable {
        let scope: Scope
        let spans: [Span]
    }

    private struct Scope: Encodable {
        let name: String
        let version: String
    }

    private struct Span: Encodable {
        let traceId: String
        let spanId: String
        let parentSpanId: String?
        let traceState: String?
        let name: String
        let kind: Int
        /// Numbers of 64 bits are texts in JSON.
        let startTimeUnixNano: String
        let endTimeUnixNano: String
        let attributes: [Attribute]
        let events: [Event]?
        let status: Status?

        init(_ span: FinishedSpan) {
            traceId = span.context.traceIDText
            spanId = span.context.spanIDText
            parentSpanId = span.parentID.map(TraceContext.digits)
            traceState = span.context.state
            name = span.name
            kind =
                switch span.kind {
                case .internal: 1
                case .server: 2
                case .client: 3
                case .producer: 4
                case .consumer: 5
                }
            startTimeUnixNano = "\(span.start)"
            endTimeUnixNano = "\(span.end)"
            attributes = Attribute.all(span.attributes)
            events = span.events.isEmpty ? nil : span.events.map { Event($0) }
            status = span.status.map { Status(code: $0.code == .ok ? 1 : 2, message: $0.message) }
        }
    }

    private struct Status: Encodable {
        let code: Int
        let message: String?
    }

    private struct Event: Encodable {
        let timeUnixNano: String
        let name: String
        let attributes: [Attribute]

        init(_ event: SpanEvent) {
            timeUnixNano = "\(event.nanosecondsSinceEpoch)"
            name = event.name
            attributes = Attribute.all(event.attributes)
        }
    }

    private struct Attribute: Encodable {
        let key: String
        let value: Value

        static func all(_ attributes: SpanAttributes) -> [Attribute] {
            var all: [Attribute] = []
            attributes.forEach { key, attribute in
                if let value = Value(attribute) { all.append(Attribute(key: key, value: value)) }
            }
            return all.sorted { $0.key < $1.key }
        }
    }

    /// Lists are left out: the proxy's spans have none.
    private enum Value: Encodable {
        case string(String)
        case int(Int64)
        case double(Double)
        case bool(Bool)

        init?(_ attribute: SpanAttribute) {
            switch attribute {
            case .string(let text): self = .string(text)
            case .stringConvertible(let value): self = .string("\(value)")
            case .int32(let number): self = .int(Int64(number))
            case .int64(let number): self = .int(number)
            case .double(let number) where number.isFinite: self = .double(number)
            case .bool(let isTrue): self = .bool(isTrue)
            default: return nil
            }
        }

        private enum CodingKeys: String, CodingKey { case stringValue, intValue, doubleValue, boolValue }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .string(let text): try container.encode(text, forKey: .stringValue)
            case .int(let number): try container.encode("\(number)", forKey: .intValue)
            case .double(let number): try container.encode(number, forKey: .doubleValue)
            case .bool(let isTrue): try container.encode(isTrue, forKey: .boolValue)
            }
        }
    }
}
