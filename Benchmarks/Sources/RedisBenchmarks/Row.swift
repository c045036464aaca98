// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// One measured thing.
struct Row: Hashable {
    enum Subject: Hashable {
        /// `redis-benchmark -c 1 -P …`
        case reference(pipeline: Int)
        /// Our client with so many tasks.
        case client(taskCount: Int, isEncrypted: Bool)
        /// One task that runs on the connection's thread.
        case taskOnExecutor
    }

    let subject: Subject
    let byteCount: Int

    /// The rows that are measured in each round, in this order.
    static let all: [Row] = [256, 4_096].flatMap { byteCount -> [Row] in
        [1, 32].map { Row(subject: .reference(pipeline: $0), byteCount: byteCount) }
            + [false, true].flatMap { isEncrypted in
                [1, 32, 256].map { Row(subject: .client(taskCount: $0, isEncrypted: isEncrypted), byteCount: byteCount) }
            }
            + [Row(subject: .taskOnExecutor, byteCount: byteCount)]
    }

    var name: String {
        switch subject {
        case .reference(let pipeline): "redis-benchmark -c 1 -P \(pipeline)"
        case .client(let taskCount, let isEncrypted): "Hoard, \(taskCount) task\(taskCount == 1 ? "" : "s")\(isEncrypted ? ", TLS" : "")"
        case .taskOnExecutor: "Hoard, 1 task on the client's executor"
        }
    }

    /// The row that this one is compared with.
    var reference: Row? {
        switch subject {
        case .reference: nil
        case .client(let taskCount, isEncrypted: false): Row(subject: .reference(pipeline: taskCount == 1 ? 1 : 32), byteCount: byteCount)
        case .taskOnExecutor: Row(subject: .reference(pipeline: 1), byteCount: byteCount)
        case .client(let taskCount, isEncrypted: true): Row(subject: .client(taskCount: taskCount, isEncrypted: false), byteCount: byteCount)
        }
    }

    /// The ratio to ``reference`` that is wanted at least.
    var wantedRatio: Double? {
        switch (subject, byteCount) {
        case (.client(256, false), _): 0.8
        // A latency of 1.4 times that of the reference.
        case (.client(1, false), 256), (.taskOnExecutor, 256): 1 / 1.4
        case (.client(256, true), 256): 0.5
        default: nil
        }
    }
}
