// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport
import HoardTesting
import Synchronization

/// The history, in logical time.
final class HTTPFlightLog: Sendable {
    private struct Removal: Sendable {
        let path: String?
        let begun: Int
        let returned: Int
    }

    private struct State: Sendable {
        var now = 0
        /// The removals that have returned, by their owners.
        var removals: [String: [Removal]] = [:]
    }

    private let state = Mutex(State())
    private let history = ProgramHistory()

    var outcome: ProgramOutcome { history.outcome }

    func add(_ event: String) { history.add(event) }
    func complain(_ violation: String) { history.complain(violation) }

    func now() -> Int {
        state.withLock { state in
            state.now += 1
            return state.now
        }
    }

    /// A removal that began at `begun` returns now. A path of `nil` stands for all responses of the owner.
    func removed(_ owner: String, _ path: String? = nil, from begun: Int) {
        state.withLock { state in
            state.now += 1
            state.removals[owner, default: []].append(Removal(path: path, begun: begun, returned: state.now))
        }
        history.add("the removal of \(path ?? "everything") of \(owner) from \(begun) has returned")
    }

    /// The origin's present response for an owner.
    static func content(_ owner: String, _ path: String, _ issued: Int) -> String { "\(owner) \(path) \(issued) end" }

    /// An answer to a request that was made at `begun`. It names its owner, its path, and when the origin gave it, and is whole.
    func found(_ text: String, by owner: String, at path: String, from begun: Int) {
        history.add("\(owner) asked for \(path) at \(begun) and got \(text)")
        let words = text.split(separator: " ")
        guard words.count == 4, let issued = Int(words[2]), words[0] == owner, words[1] == path, words[3] == "end" else {
            return history.complain("\(owner) asked for \(path) and got \(text)")
        }
        let removals = state.withLock { $0.removals[owner, default: []] }
        for removal in removals where removal.path ?? path == path && removal.returned < begun && issued < removal.begun {
            history.complain(
                "\(owner) asked at \(begun) and got what was given at \(issued), before the removal from \(removal.begun) to \(removal.returned)"
            )
        }
    }
}
