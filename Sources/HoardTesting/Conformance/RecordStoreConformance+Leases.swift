// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RecordStoreConformance {
    /// The checks that a `LeasingRecordStore` must pass beside those of a `SharedRecordStore`.
    public static var leaseChecks: [SharingCheck] { holdingChecks + waitingChecks }

    private static var holdingChecks: [SharingCheck] {
        [
            SharingCheck("a lease is had by one at a time, for each key") { subject in
                let (here, there) = try subject.leasing
                let lease = try await here.lease(forKey: "a", for: .seconds(60))
                try expect(lease?.key == "a", "Nobody has the lease, so it should be granted.")
                try expect(try await there.lease(forKey: "a", for: .seconds(60)) == nil, "Another should not get a lease that is held.")
                try expect(try await here.lease(forKey: "a", for: .seconds(60)) == nil, "The same instance should not get a lease that is held.")
                try expect(try await there.lease(forKey: "b", for: .seconds(60)) != nil, "The lease of another key should be granted.")
                try expect(try await here.record(forKey: "a") == nil, "A lease should not be a record.")
            },
            SharingCheck("a lease that was given back can be had at once") { subject in
                let (here, there) = try subject.leasing
                let first = try await subject.granted("a", in: here)
                try await here.release(first)
                let second = try await subject.granted("a", in: there)
                try expect(first.token != second.token, "Two leases should not have the same token.")
                // Nothing comes of it.
                try await here.release(first)
                try expect(try await here.lease(forKey: "a", for: .seconds(60)) == nil, "A lease of others should not be given back by an old one.")
                try expect(try await !here.renew(first, for: .seconds(60)), "A lease that was given back should not be renewed.")
                try expect(try await there.renew(second, for: .seconds(60)), "A lease that is held should be renewed.")
            },
            SharingCheck("a lease whose time is up can be had by others, and is not renewed then") { subject in
                let (here, there) = try subject.leasing
                guard let lost = try await here.lease(forKey: "a", for: .milliseconds(200)) else {
                    throw UnmetExpectation(message: "Nobody has the lease, so it should be granted.")
                }
                var taken: RecordLease?
                try await subject.eventually("A lease whose time is up should be granted to another.") {
                    subject.time.advance(by: .milliseconds(100))
                    taken = try await there.lease(forKey: "a", for: .seconds(60))
                    return taken != nil
                }
                try expect(try await !here.renew(lost, for: .seconds(60)), "A lease that another has got should not be renewed.")
                try await here.release(lost)
                guard let taken else { return }
                try expect(try await there.renew(taken, for: .seconds(60)), "What a late holder does should leave the lease of another alone.")
            },
            SharingCheck("a lease that is renewed is kept") { subject in
                let (here, there) = try subject.leasing
                // The lease lasts from some moment between a request and its answer, which may both take long on a busy machine.
                var lastRequest = ContinuousClock.now
                guard let lease = try await here.lease(forKey: "a", for: .seconds(3)) else {
                    throw UnmetExpectation(message: "Nobody has the lease, so it should be granted.")
                }
                for _ in 0..<12 {
                    // Real time passes, too, for stores that live in it.
                    try await Task.sleep(for: .milliseconds(300))
                    subject.time.advance(by: .milliseconds(300))
                    let request = ContinuousClock.now
                    let isRenewed = try await here.renew(lease, for: .seconds(3))
                    if !isRenewed, .now - lastRequest >= .seconds(3) { return }
                    lastRequest = request
                    try expect(isRenewed, "A lease that is held should be renewed.")
                }
                let other = try await there.lease(forKey: "a", for: .seconds(60))
                if other != nil, .now - lastRequest >= .seconds(3) { return }
                try expect(other == nil, "A lease that was renewed should not be granted to another.")
            },
            SharingCheck("of many that ask for a lease one gets it", storeCount: 3) { subject in
                let stores = try subject.stores.map { try subject.leasing($0) }
                for round in 0..<10 {
                    let granted = try await withThrowingTaskGroup(of: RecordLease?.self) { group in
                        for number in 0..<30 {
                            group.addTask { try await stores[number % 3].lease(forKey: RecordKey("round \(round)"), for: .seconds(60)) }
                        }
                        return try await group.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
                    }
                    try expect(granted == 1, "In round \(round), one of 30 should get the lease, but \(granted) did.")
                }
            },
        ]
    }

    private static var waitingChecks: [SharingCheck] {
        /// Waits until others have done something, and fails if it takes as long as the wait may.
        func wakes(_ what: String, _ change: @escaping @Sendable (_ there: any LeasingRecordStore, RecordLease) async throws -> Void)
            -> [SharingCheck]
        {
            [false, true].map { isLate in
                SharingCheck("a wait for a change ends with \(what)\(isLate ? " before it began" : "")") { subject in
                    let (here, there) = try subject.leasing
                    let lease = try await subject.granted("a", in: there)
                    let position = here.position
                    _ = try await here.lease(forKey: "a", for: .seconds(60))
                    if isLate { try await change(there, lease) }
                    let waiting = Finish()
                    let task = Task {
                        await here.waitForChange(ofKey: "a", since: position, atMost: .seconds(3_600))
                        waiting.finish()
                    }
                    if !isLate { try await change(there, lease) }
                    defer { task.cancel() }
                    try await subject.eventually("A wait for a change should end with \(what).") { waiting.isFinished }
                }
            }
        }
        return wakes("a write") { there, _ in try await there.insert(Record(payload: .init(), created: .distantPast), forKey: "a") }
            + wakes("a removal") { there, _ in try await there.removeRecord(forKey: "a") }
            + wakes("the return of the lease") { there, lease in try await there.release(lease) } + [
                SharingCheck("a wait for a change ends when its time is up, and when it is cancelled") { subject in
                    let (here, there) = try subject.leasing
                    _ = try await subject.granted("a", in: there)
                    let position = here.position
                    let (short, cancelled) = (Finish(), Finish())
                    let task = Task {
                        await here.waitForChange(ofKey: "a", since: position, atMost: .milliseconds(50))
                        short.finish()
                    }
                    let other = Task {
                        await here.waitForChange(ofKey: "a", since: position, atMost: .seconds(3_600))
                        cancelled.finish()
                    }
                    try await subject.eventually("A wait for a change should end when its time is up.") {
                        subject.time.advance(by: .milliseconds(5))
                        return short.isFinished
                    }
                    other.cancel()
                    try await subject.eventually("A wait for a change should end when it is cancelled.") { cancelled.isFinished }
                    task.cancel()
                }
            ]
    }
}

extension RecordStoreConformance.SharingSubject {
    fileprivate func leasing(_ store: any SharedRecordStore) throws -> any LeasingRecordStore {
        guard let leasing = store as? any LeasingRecordStore else {
            throw RecordStoreConformance.UnmetExpectation(message: "The store should be a LeasingRecordStore.")
        }
        return leasing
    }

    fileprivate var leasing: (any LeasingRecordStore, any LeasingRecordStore) {
        get throws { (try leasing(here), try leasing(there)) }
    }

    fileprivate func granted(_ key: RecordKey, in store: any LeasingRecordStore) async throws -> RecordLease {
        guard let lease = try await store.lease(forKey: key, for: .seconds(60)) else {
            throw RecordStoreConformance.UnmetExpectation(message: "Nobody has the lease, so it should be granted.")
        }
        return lease
    }
}
