// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Hoard

/// Changes that other processes make.
extension DiskCore {
    /// Learns of them, and tells the subscribers.
    func catchUp(_ session: DatabaseSession) throws {
        announce(try session.catchUp())
        // As long as another process holds the database's lock, each reading comes here.
        if queue.isIdle { renewOutgrownIndex(session) }
        // A transaction of this process, which waits for others that are at work, leaves an even generation behind.
        if configuration.createsIfMissing, session.hasUnfinishedCommit(at: configuration.clock.now()), queue.isIdle {
            queue.enqueue(.flushUses) { self.drain() }
        }
    }

    /// Has the index filled again when it has grown much by the writes of others.
    func renewOutgrownIndex(_ session: DatabaseSession) {
        guard configuration.createsIfMissing, session.hasOutgrownIndex else { return }
        queue.enqueue(.perform { transaction in try transaction.session.renewOutgrownIndex() }) { self.drain() }
    }

    func announce(_ changes: ChangeList) {
        subscribers.announce(changes)
    }

    /// Looks for changes as long as there are subscribers. The system's clock decides when to look, never what is seen.
    func watchForChanges() {
        if subscribers.beginWatching() { lookForChangesLater() }
    }

    private func lookForChangesLater() {
        let interval = max(configuration.invalidationInterval, .milliseconds(1))
        housekeeping.asyncAfter(deadline: .now() + interval.dispatchInterval) { [weak self] in
            guard let self, self.subscribers.continueWatching() else { return }
            do {
                let session = try self.session()
                try self.catchUp(session)
            } catch let error as StoreError where error.code == .closed {
                return
            } catch {
                // The next operation reports the database's error.
                self.announce(.everything)
            }
            self.lookForChangesLater()
        }
    }
}

extension ChangeList {
    static var everything: ChangeList {
        var list = ChangeList()
        list.addEverything()
        return list
    }
}

extension Duration {
    /// The same time for the system, which counts in no more than `Int`. A time of more than some years is as good as for ever.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        if seconds == 0 { return .nanoseconds(Int(attoseconds / 1_000_000_000)) }
        return .milliseconds(Int(clamping: min(seconds, 1 << 31) * 1_000 + attoseconds / 1_000_000_000_000_000))
    }
}
