// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import Tracing

/// Makes spans around loads and calls of stores, with swift-distributed-tracing.
///
/// ```swift
/// let observer = CacheTracer(tracer)
/// ```
///
/// | Span | Kind | Attributes |
/// | --- | --- | --- |
/// | `cache.load` | internal | `cache.name` |
/// | `cache.store.read`, `cache.store.write`, `cache.store.remove` | client | `cache.store`, `cache.operation`, `cache.record_count` |
///
/// A span made inside of the loader, or inside of a store, is a child. The span of a failure has the status error, the
/// attribute `error.type`, and a recorded error that says its type and nothing else, because the text of an error may
/// speak of the user's data. A load that was cancelled has `error.type` only. A call of a store that its caller has
/// given up goes on, and so does its span.
public struct CacheTracer: CacheObserver {
    private let tracer: any Tracer

    /// Creates an observer.
    ///
    /// - Parameter tracer: Makes the spans. Give the one that the rest of the program uses, such as `InstrumentationSystem.tracer`.
    public init(_ tracer: any Tracer) {
        self.tracer = tracer
    }

    public func withLoad<Result: Sendable>(cache: String, _ operation: @Sendable () async throws -> Result) async throws -> Result {
        let span: any Span = tracer.startSpan("cache.load", ofKind: .internal)
        defer { span.end() }
        span.attributes["cache.name"] = cache
        do {
            return try await ServiceContext.$current.withValue(span.context) { try await operation() }
        } catch {
            span.fail(with: error)
            throw error
        }
    }

    public func withStoreCall<Result: Sendable>(_ call: CacheStoreCall, _ operation: @Sendable () async -> Result) async -> Result {
        let span: any Span = tracer.startSpan("cache.store.\(call.operation)", ofKind: .client)
        defer { span.end() }
        span.updateAttributes { attributes in
            attributes["cache.store"] = call.store
            attributes["cache.operation"] = call.operation.description
            attributes["cache.record_count"] = call.recordCount
        }
        let result = await ServiceContext.$current.withValue(span.context) { await operation() }
        if let error = (result as? any StoreCallResult)?.storeError { span.fail(with: error) }
        return result
    }
}

/// The result of a store call that can fail. While the span is open, the observer learns of a failure in no other way.
private protocol StoreCallResult {
    var storeError: StoreError? { get }
}

extension Result: StoreCallResult where Failure == StoreError {
    fileprivate var storeError: StoreError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension Span {
    fileprivate func fail(with error: any Error) {
        let type = CacheTracer.ErrorType(of: error)
        attributes["error.type"] = type.description
        guard !(error is CancellationError) else { return }
        recordError(type, attributes: ["exception.type": .string(type.description)])
        setStatus(SpanStatus(code: .error))
    }
}

extension CacheTracer {
    /// The part of an error that a span records: its type, and the code of a store's error.
    public struct ErrorType: Error, Sendable, Hashable, CustomStringConvertible {
        /// Such as `StoreError.full` or `DatabaseError`.
        public let description: String

        init(of error: any Error) {
            if let error = error as? StoreError {
                description = "StoreError.\(error.code)"
            } else {
                description = "\(type(of: error))"
            }
        }
    }
}
