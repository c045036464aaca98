// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Keys on which this process runs scripts at the moment.
///
/// A server tells a client of the changes that the client's own scripts make, though the client asked not to be told of its own changes: to a server,
/// a script is another client. If such a change were told as another client's, a load that replaces a record would drop
/// the value that it has just put into memory. So while a script is under way, the server's notices of its key are held
/// back and counted. Then the key is read. If it has the value that the script has written, and the server has told
/// nothing more since that read was sent, no other client has changed the key afterwards. Otherwise the watchers are
/// told of the change.
struct OwnWrites: Sendable {
    private struct Script: Sendable {
        var count = 1
        /// The number of times that the server has told of the key since. Never goes back: a number that was seen stands for one state.
        var tellings = 0
        /// So many of them came before everything was told to have changed.
        var forgotten = 0
        /// Whether a script that has ended may have met another client's change.
        var mustTell = false

        var hasTellings: Bool { tellings > forgotten }
    }

    private var scripts: [KeyHash: Script] = [:]

    var isEmpty: Bool { scripts.isEmpty }

    /// A script on the key is about to be sent.
    mutating func begin(_ key: KeyHash) {
        scripts[key, default: Script(count: 0)].count += 1
    }

    /// The server has told of a change.
    ///
    /// - Returns: Whether the telling is held back.
    mutating func holdBack(_ key: KeyHash) -> Bool {
        guard scripts[key] != nil else { return false }
        scripts[key]?.tellings += 1
        return true
    }

    /// The number of times that the server has told of the key.
    func tellings(of key: KeyHash) -> Int { scripts[key]?.tellings ?? 0 }

    /// A script is done with.
    ///
    /// - Parameter seen: The number of the server's reports of the key before it was read in the state in which the script left it; `nil` if it was
    ///   in another state, or was not read.
    /// - Returns: The next action.
    mutating func end(_ key: KeyHash, seen: Int?) -> Ending {
        guard let script = scripts[key] else { return .done(mustTell: false) }
        if script.count > 1 {
            // Another task of this process writes the key too. The notices that are held back are judged when the last
            // one is done.
            scripts[key]?.count -= 1
            if seen == nil, script.hasTellings { scripts[key]?.mustTell = true }
            return .done(mustTell: false)
        }
        if let seen, seen != script.tellings { return .readAgain }
        scripts[key] = nil
        return .done(mustTell: script.mustTell || (seen == nil && script.hasTellings))
    }

    enum Ending: Sendable, Hashable {
        /// Nothing is held back any more. `mustTell`: the change that was held back may have been another client's.
        case done(mustTell: Bool)
        /// The server has told of the key since it was read.
        case readAgain
    }

    /// The connection has ended: everything is told to have changed.
    mutating func forgetTellings() {
        for (key, script) in scripts { scripts[key]?.forgotten = script.tellings }
    }
}
