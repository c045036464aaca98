// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The next fault of a campaign.
enum Fault: CaseIterable {
    /// A process is killed, and another takes its place.
    case killWorker
    /// A process is stopped for a while.
    case pauseWorker
    /// The server crashes, and comes back empty.
    case restartServer
    /// The server is stopped for a moment, which no process need notice.
    case pauseServerBriefly
    /// The server is stopped for longer than a heartbeat may take.
    case pauseServer
    /// The server ends all connections.
    case killClients
    /// The connection of a process is cut.
    case cut
    /// The connection of a process is silent for a while, and is cut.
    case stall
    /// The replies to a process do not arrive for a while.
    case stallReplies
    /// A process cannot connect for a while.
    case refuse

    /// Milliseconds that it lasts.
    func duration(_ choices: inout SeededChoices) -> Int {
        switch self {
        case .killWorker, .killClients, .cut: 0
        case .pauseWorker: 200 + choices.number(below: 3_000)
        case .restartServer: 50 + choices.number(below: 1_500)
        case .pauseServerBriefly: 20 + choices.number(below: 400)
        case .pauseServer: 2_500 + choices.number(below: 1_500)
        case .stall, .stallReplies, .refuse: 100 + choices.number(below: 3_500)
        }
    }

    /// Whether it may break connections, also without the worker's knowledge.
    var disturbs: Bool { self != .pauseWorker && self != .killWorker }
    /// Whether it concerns all processes.
    var concernsAll: Bool {
        switch self {
        case .restartServer, .pauseServerBriefly, .pauseServer, .killClients: true
        default: false
        }
    }
}
