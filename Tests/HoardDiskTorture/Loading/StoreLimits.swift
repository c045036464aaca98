// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import Hoard
import HoardDisk
import Synchronization

/// The limits under which a store is tried.
enum StoreLimits: String, ExpressibleByArgument, Sendable {
    /// None, so that nothing may be lost.
    case none
    /// Less than the load writes, so that there is always something to evict.
    case small

    var maximumCount: Int? { self == .none ? nil : 25 }
    var maximumBytes: Int? { self == .none ? nil : 1 << 20 }
    var mayLose: Bool { self != .none }

    /// What is wrong with the store's own figures.
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

/// Collects what a store reports, but for full disks.
final class DamageRecorder: Sendable {
    private let messages = Mutex<[String]>([])

    /// What was reported of records that were lost since the last call. Nothing of the kind may follow from a fault that damages no file.
    func takeLosses() -> [String] {
        take().filter { $0.hasPrefix("\(DiskStore.Event.Kind.databaseSetAside)") || $0.hasPrefix("\(DiskStore.Event.Kind.recordDamaged)") }
    }

    /// What was reported since the last call.
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
    /// For reports: the code, the sentence, and what lies below.
    var report: String {
        let cause = underlyingError.map { " [\($0)]" } ?? ""
        return "\(code): \(message)\(cause)"
    }
}
