// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardProcessTestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store with known content and history, to be copied and damaged.
struct Fixture {
    let directory: String
    /// The content of the keys after each operation, from the empty store to the present.
    let states: [[Int: Held]]
    let tree: FileTree

    /// The present content of the keys.
    var present: [Int: Held] { states.last ?? [:] }

    func hasHeld(_ held: Held, key: Int) -> Bool {
        states.contains { $0[key, default: .nothing] == held }
    }

    private static func directory(_ campaignDirectory: String, _ number: Int) -> String { "\(campaignDirectory)/fixture-\(number)" }

    /// Loads a fixture that was made before.
    init(_ campaignDirectory: String, number: Int) throws {
        directory = Self.directory(campaignDirectory, number)
        tree = FileTree("\(directory)/store")
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(directory)/log")), as: UTF8.self)
        states = Self.states(after: text.split(separator: "\n").compactMap { LoadLine(String($0)) })
    }

    static func states(after lines: [LoadLine]) -> [[Int: Held]] {
        var states: [[Int: Held]] = [[:]]
        var state: [Int: Held] = [:]
        for case .done(let operation) in lines {
            for key in FixtureCommand.keys where operation.concerns(key) {
                state[key] = operation.result(for: key, holding: state[key, default: .nothing])
            }
            states.append(state)
        }
        return states
    }

    /// Makes a fixture in another process.
    static func make(_ campaign: Campaign, number: Int, ending: FixtureCommand.Ending) throws {
        let directory = directory(campaign.directory, number)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let worker = try WorkerProcess([
            "fixture", "--directory", "\(directory)/store", "--seed", "\(campaign.seed)", "--number", "\(number)", "--ending", ending.rawValue,
        ])
        var text = ""
        let deadline = ContinuousClock.now + .seconds(60)
        while !worker.isAtEnd && .now < deadline {
            for line in worker.nextLines(until: deadline) {
                if case .wrong(let what) = LoadLine(line) { throw SystemFailure("making fixture \(number): \(what)") }
                text += line + "\n"
            }
        }
        let end = worker.isAtEnd ? worker.wait() : worker.kill()
        guard end == (ending.leavesLog ? .signalled(9) : .exited(0)) else { throw SystemFailure("the process of fixture \(number) \(end)") }
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/log"))
    }
}
