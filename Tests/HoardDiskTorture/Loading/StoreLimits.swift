// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import Hoard
import HoardDisk
import Synchronization

/// The limits under which a store is tried.
enum StoreLimits: String, ExpressibleByArgument, Sendable {
    /// No limits, so that nothing may be lost.
    case none
    /// Limits that are less than the load writes, so that the store always has something to evict.
    case small

    var maximumCount: Int? { self == .none ? nil : 25 }
    var maximumBytes: Int? { self == .none ? nil : 1 << 20 }
    var mayLose: Bool { self != .none }

    /// The contradictions in the store's own figures.
    func violations(in statistics: StoreStatistics) -> [String] {
        var violations: [String] = []
        if let maximumCount, statistics.count > maximumCount {
            violations.append("the store holds \(statistics.count) records; the limit is \(maximumCount)")
        }
        if let maximumBytes, statistics.bytes > maximumBytes {
            violations.append("the store holds \(statistics.bytes) bytes; the limit is \(maximumBytes)")
        }
        return violations
    }
}

/// A recorder of the events of a store, except those of full disks.
final class DamageRecorder: Sendable {
    private let messages = Mutex<[String]>([])

    /// Returns the events of lost records since the last call. A fault that damages no file
    /// must not cause such an event.
    func takeLosses() -> [String] {
        take().filter { $0.hasPrefix("\(DiskStore.Event.Kind.databaseSetAside)") || $0.hasPrefix("\(DiskStore.Event.Kind.recordDamaged)") }
    }

    /// Returns the events since the last call.
    func take() -> [String] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }

    var isEmpty: Bool { messages.withLock { $0.isEmpty } }

    func open(_ directory: String, limits: StoreLimits) throws(StoreError) -> DiskStore {
        let configuration = DiskStore.Configuration(
            directory: directory,
            maximumCount: limits.maximumCount,
            maximumBytes: limits.maximumBytes,
            onEvent: { event in
                guard event.kind != .diskFull, event.kind != .diskRecovered else { return }
                self.messages.withLock { $0.append("\(event.kind): \(event.message)") }
            }
        )
        return try DiskStore(configuration: configuration)
    }
}

extension StoreError {
    /// The error for reports: the code, the sentence and the underlying error.
    var report: String {
        let cause = underlyingError.map { " [\($0)]" } ?? ""
        return "\(code): \(message)\(cause)"
    }
}
