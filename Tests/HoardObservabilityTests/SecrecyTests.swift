// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Hoard
import HoardObservability
import HoardTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

/// All output of all observers together, as text.
struct Emissions {
    let factory = TestMetrics()
    let handler = InMemoryLogHandler()
    let tracer = InMemoryTracer()
    let observer: CacheObservers

    init() {
        let handler = handler
        var logger = Logger(label: "cache") { _ in handler }
        logger.logLevel = .trace
        observer = CacheObservers(CacheMetrics(factory: factory), CacheLogger(logger), CacheTracer(tracer))
    }

    var text: String {
        let logs = handler.entries.map { "\($0.level) \($0.message) \($0.metadata) \(String(describing: $0.error))" }
        let spans = tracer.finishedSpans.map { span in
            var attributes: [String] = []
            span.attributes.forEach { attributes.append("\($0)=\($1)") }
            for error in span.errors {
                attributes.append("\(error.error)")
                error.attributes.forEach { attributes.append("\($0)=\($1)") }
            }
            return "\(span.operationName) \(attributes) \(span.events) \(String(describing: span.status))"
        }
        return (factory.lines + logs + spans).joined(separator: "\n")
    }
}

@Suite(.timeLimit(.minutes(5))) struct SecrecyTests {
    private let emissions = Emissions()

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    @Test func noTextOfAnErrorIsSentOut() async throws {
        let observer = emissions.observer
        let secret = "planted-secret"
        let error = StoreError(.unavailable, "No answer for \(secret).", underlyingError: Failure(description: secret))
        let call = CacheStoreCall(store: "disk", operation: .write)
        _ = try? await observer.withLoad(cache: "users") { throw Failure(description: secret) }
        _ = try? await observer.withLoad(cache: "users") { throw error }
        _ = await observer.withStoreCall(call) { Result<Int, StoreError>.failure(error) }
        observer.storeCallEnded(call, outcome: .failed, error: error, duration: .zero)
        for kind in [TieredCacheEvent.Kind.storeFailed, .storeRecovered, .recordRejected, .valueNotEncoded, .journalOverflowed] {
            observer.eventOccurred(TieredCacheEvent(kind, store: "disk", error: error))
            observer.eventOccurred(TieredCacheEvent(kind, store: "disk", error: Failure(description: secret)))
        }

        let text = emissions.text
        #expect(!text.contains(secret))
        // The scan has seen output that is known to be sent.
        for expected in [
            "cache.store.calls{store=disk", "Cache store is failing", "cache.store.write", "error.type", "StoreError.unavailable", "Failure",
        ] {
            #expect(text.contains(expected), "\(expected) is missing in \(text)")
        }
    }
}
