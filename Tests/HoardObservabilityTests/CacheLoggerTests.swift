// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardObservability
import HoardTesting
import InMemoryLogging
import Logging
import Testing

@Suite(.timeLimit(.minutes(5))) struct CacheLoggerTests {
    private let handler = InMemoryLogHandler()
    private let time = ManualTicker()

    private func observer(from level: Logger.Level = .trace) -> CacheLogger {
        var logger = Logger(label: "cache") { _ in handler }
        logger.logLevel = level
        return CacheLogger(logger, ticker: time)
    }

    /// The log entries, as `level: message key=value …`.
    private var lines: [String] {
        handler.entries.map { entry in
            let metadata = entry.metadata.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            return "\(entry.level): \(entry.message) \(metadata)"
        }
    }

    @Test func aStoreThatFailsIsAWarningOnceAndANoticeWhenItRecovers() {
        let observer = observer()
        let error = StoreError(.full, "The disk is full.", underlyingError: CancellationError())
        observer.eventOccurred(TieredCacheEvent(.storeFailed, store: "disk", error: error))
        time.advance(by: .seconds(90))
        observer.eventOccurred(TieredCacheEvent(.storeFailed, store: "disk", error: error))
        observer.eventOccurred(TieredCacheEvent(.storeRecovered, store: "disk"))

        #expect(
            lines == [
                "warning: Cache store is failing cause=CancellationError error=full store=disk",
                "debug: Cache store is failing cause=CancellationError error=full store=disk",
                "notice: Cache store works again outage=90.0 seconds store=disk",
            ]
        )
    }

    @Test func aStoreThatComesAndGoesIsLoggedOnceAMinute() {
        let observer = observer(from: .info)
        for _ in 0..<50 {
            observer.eventOccurred(TieredCacheEvent(.storeFailed, store: "disk"))
            time.advance(by: .milliseconds(500))
            observer.eventOccurred(TieredCacheEvent(.storeRecovered, store: "disk"))
            time.advance(by: .milliseconds(500))
        }
        #expect(lines == ["warning: Cache store is failing store=disk", "notice: Cache store works again outage=0.5 seconds store=disk"])

        time.advance(by: .seconds(60))
        observer.eventOccurred(TieredCacheEvent(.storeFailed, store: "disk"))
        #expect(lines.last == "warning: Cache store is failing store=disk suppressed=49")
    }

    @Test func aFailureThatBeginsQuietlyAndLastsIsAWarningLater() {
        let observer = observer(from: .info)
        observer.eventOccurred(TieredCacheEvent(.storeFailed, store: "disk"))
        observer.eventOccurred(TieredCacheEvent(.storeRecovered, store: "disk"))
        time.advance(by: .seconds(30))
        observer.eventOccurred(TieredCacheEvent(.storeFailed, store: "disk"))
        observer.eventOccurred(TieredCacheEvent(.circuitOpened, store: "disk"))
        #expect(lines.last == "notice: Cache store works again outage=0.0 seconds store=disk")

        for _ in 0..<3 {
            time.advance(by: .seconds(30))
            observer.eventOccurred(TieredCacheEvent(.circuitOpened, store: "disk"))
        }
        observer.eventOccurred(TieredCacheEvent(.storeRecovered, store: "disk"))
        #expect(
            lines.dropFirst(2) == [
                "warning: Cache store is failing store=disk suppressed=1", "notice: Cache store works again outage=90.0 seconds store=disk",
            ]
        )
    }

    @Test func rejectedRecordsAreANoticeOnceAMinuteForAStore() {
        let observer = observer(from: .info)
        for _ in 0..<5 {
            observer.eventOccurred(TieredCacheEvent(.recordRejected, store: "disk"))
            observer.eventOccurred(TieredCacheEvent(.recordRejected, store: "redis"))
        }
        #expect(lines == ["notice: Cache record rejected store=disk", "notice: Cache record rejected store=redis"])

        time.advance(by: .seconds(59))
        observer.eventOccurred(TieredCacheEvent(.recordRejected, store: "disk"))
        time.advance(by: .seconds(1))
        observer.eventOccurred(TieredCacheEvent(.recordRejected, store: "disk"))
        time.advance(by: .seconds(60))
        observer.eventOccurred(TieredCacheEvent(.recordRejected, store: "disk"))
        #expect(lines.dropFirst(2) == ["notice: Cache record rejected store=disk suppressed=5", "notice: Cache record rejected store=disk"])
    }

    @Test func whatIsLeftOutIsThereWhenDebugging() {
        let observer = observer()
        for _ in 0..<2 { observer.eventOccurred(TieredCacheEvent(.valueNotEncoded, store: "disk")) }
        #expect(lines == ["notice: Cache value not encoded store=disk", "debug: Cache value not encoded store=disk"])
    }

    @Test func aStoreThatIsEmptiedIsAWarning() {
        let observer = observer(from: .info)
        observer.eventOccurred(TieredCacheEvent(.journalOverflowed, store: "disk"))
        #expect(lines == ["warning: Cache store has missed too many invalidations, and is emptied store=disk"])
    }

    @Test func aCircuitIsForDebuggingBecauseTheFailureHasBeenLogged() {
        let observer = observer()
        observer.eventOccurred(TieredCacheEvent(.circuitOpened, store: "disk"))
        observer.eventOccurred(TieredCacheEvent(.circuitClosed, store: "disk"))
        #expect(lines == ["debug: Cache store is left alone store=disk", "debug: Cache store is used again store=disk"])
    }

    @Test func singleCallsAreForDebugging() {
        let observer = observer()
        observer.loadEnded(.failed, duration: .milliseconds(20), cache: "users")
        observer.storeCallEnded(
            CacheStoreCall(store: "disk", operation: .read, recordCount: 3),
            outcome: .failed,
            error: StoreError(.corrupt, "Damaged."),
            duration: .milliseconds(2)
        )
        observer.requestAnswered(.stale, tier: .memory, cache: "users")
        observer.requestAnswered(.failed, tier: nil, cache: "users")
        observer.entriesRemoved(.size, count: 4, cache: "users")

        #expect(
            lines == [
                "debug: Cache load ended cache=users duration=0.02 seconds outcome=failed",
                "debug: Cache store call ended duration=0.002 seconds error=corrupt operation=read outcome=failed records=3 store=disk",
                "trace: Cache request answered cache=users result=stale tier=memory",
                "trace: Cache request answered cache=users result=failed tier=none",
                "trace: Cache entries removed cache=users cause=size count=4",
            ]
        )
    }

    @Test func nothingIsLoggedAtInfoOrAboveWhenNothingIsWrong() {
        let observer = observer(from: .info)
        for result in CacheRequestResult.all { observer.requestAnswered(result, tier: .memory, cache: "users") }
        for outcome in [CacheLoadOutcome.value, .notModified, .absent, .failed, .cancelled] {
            observer.loadEnded(outcome, duration: .seconds(1), cache: "users")
        }
        for outcome in [CacheStoreOutcome.found, .notFound, .done, .failed, .timedOut, .skipped] {
            observer.storeCallEnded(CacheStoreCall(store: "disk", operation: .read), outcome: outcome, error: nil, duration: .seconds(1))
        }
        observer.eventOccurred(TieredCacheEvent(.storeRecovered, store: "disk"))
        #expect(lines == [])
    }

    @Test func storesWithoutEndAreLoggedButNotRememberedOneByOne() {
        let observer = observer(from: .info)
        for number in 0..<1_000 { observer.eventOccurred(TieredCacheEvent(.recordRejected, store: "store\(number)")) }
        // There is one line for each of the 64 stores that the logger tells apart, and one for
        // all other stores together.
        #expect(lines.count == 65)
    }
}
