// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

extension Row {
    /// The rows with a goal.
    static func goals(withDiskcache: Bool) -> [Row] {
        [getHit, getMiss, setByTasks, setLarge, getByThreads] + (withDiskcache ? [getHitBesideDiskcache] : [])
    }

    private static let small = 4 << 10
    private static let residents = 10_000

    /// Random reads of records that are all there, uses noted.
    private static let getHit = Row(
        name: "get-hit-4KiB",
        goal: .timeRatio(to: 1, wanted: 2, reach: 1.3)
    ) { workspace, scale in
        let material = Material(keys: residents, byteCount: small)
        let store = try await StoreSubject(filled: workspace, material)
        let table = try SQLiteSubject(filled: workspace, material)
        let length = scale.operations(30_000)
        return [
            store.subject { try await store.get(material.order(length: length, round: $0)) },
            table.subject("SQLite, point query") { try table.get(material.order(length: length, round: $0)) },
        ]
    }

    private static let getMiss = Row(
        name: "get-miss",
        goal: .microseconds(wanted: 1, reach: 0.3)
    ) { workspace, scale in
        let material = Material(keys: residents, byteCount: small)
        let absent = Material(keys: residents, byteCount: 8, kind: "none").keys
        let store = try await StoreSubject(filled: workspace, material)
        let table = try SQLiteSubject(filled: workspace, material)
        let length = scale.operations(30_000)
        return [
            store.subject { try await store.miss(material.order(length: length, round: $0), of: absent) },
            table.subject("SQLite, point query") { try table.miss(material.order(length: length, round: $0), of: absent) },
        ]
    }

    /// 64 tasks that each wait until their write is done. Every key has a record already, so every write replaces one.
    private static let setByTasks = Row(
        name: "set-4KiB-64-tasks",
        goal: .microseconds(wanted: 25, reach: 12)
    ) { workspace, scale in
        let material = Material(keys: 50_000, byteCount: small)
        let store = try await StoreSubject(filled: workspace, material)
        let single = try SQLiteSubject(filled: workspace, material)
        let grouped = try SQLiteSubject(filled: workspace, material)
        let length = scale.operations(16_000)
        return [
            store.subject { try await store.set(material.order(length: length, round: $0), tasks: 64) },
            single.subject("SQLite, 1 per transaction") {
                try single.set(material.order(length: length, round: $0), perTransaction: 1)
            },
            grouped.subject("SQLite, 64 per transaction") {
                try grouped.set(material.order(length: length, round: $0), perTransaction: 64)
            },
        ]
    }

    /// One write after the other, each of which replaces a record.
    private static let setLarge = Row(
        name: "set-1MiB",
        goal: .timeRatio(to: 1, wanted: 1.3, reach: 1.1)
    ) { workspace, scale in
        let material = Material(keys: 64, byteCount: 1 << 20)
        let store = try await StoreSubject(filled: workspace, material)
        let files = try FileSubject(filled: workspace, material)
        let length = scale.operations(200)
        return [
            store.subject { try await store.set(material.order(length: length, round: $0)) },
            files.subject { try files.set(material.order(length: length, round: $0)) },
        ]
    }

    /// The throughput of two readers divided by that of one. The scaling of files, and of SQLite with a
    /// connection for each reader, is for comparison.
    private static let getByThreads = Row(
        name: "get-64KiB-2-threads",
        goal: .speedRatio(to: 1, wanted: 1.7, reach: 1.9)
    ) { workspace, scale in
        let material = Material(keys: 1_000, byteCount: 64 << 10)
        let store = try await StoreSubject(filled: workspace, material)
        let table = try SQLiteSubject(filled: workspace, material)
        let files = try FileSubject(filled: workspace, material)
        let tables = [table, try SQLiteSubject(sharing: table)]
        let length = scale.operations(10_000)
        return [
            Subject(name: "DiskStore, 2 threads") { round in
                try await store.get((1...2).map { material.order(length: length, round: round, thread: $0) })
            },
            store.subject("DiskStore, 1 thread") { try await store.get(material.order(length: length, round: $0)) },
            Subject(name: "SQLite, 2 threads") { round in
                try onTwoThreads { try tables[$0].get(material.order(length: length, round: round, thread: $0 + 1)) }
            },
            table.subject("SQLite, 1 thread") { try table.get(material.order(length: length, round: $0)) },
            Subject(name: "files, 2 threads") { round in
                try onTwoThreads { try files.get(material.order(length: length, round: round, thread: $0 + 1)) }
            },
            files.subject("files, 1 thread") { try files.get(material.order(length: length, round: $0)) },
        ]
    }

    private static func onTwoThreads(_ body: @escaping @Sendable (Int) throws -> Timing) throws -> Timing {
        let (timings, nanoseconds) = onThreads(2) { thread in Result { try body(thread) } }
        return Timing(nanoseconds: nanoseconds, operations: try timings.reduce(0) { try $0 + $1.get().operations })
    }

    private static let getHitBesideDiskcache = Row(
        name: "get-hit-4KiB-diskcache",
        goal: .speedRatio(to: 1, wanted: 10, reach: 20)
    ) { workspace, scale in
        let material = Material(keys: residents, byteCount: small)
        let length = scale.operations(5_000)
        let timings = try Diskcache.measure(workspace, material, operations: length, rounds: scale.rounds + 1)
        let store = try await StoreSubject(filled: workspace, material)
        return [
            store.subject { try await store.get(material.order(length: length, round: $0)) },
            Subject(name: "python-diskcache") { round in timings[round % timings.count] },
        ]
    }
}
