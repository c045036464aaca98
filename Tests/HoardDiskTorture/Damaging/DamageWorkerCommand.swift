// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A command that runs some cases of damage in its own process, which may crash.
struct DamageWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "damage-worker",
        abstract: "Damages copies of the fixtures, and says so line by line.",
        shouldDisplay: false
    )

    @Option var directory: String
    @Option var seed: UInt64
    @Option var first: Int
    @Option var count: Int
    @Option var fixtures: Int
    @Option var plan: FaultPlan

    func run() async throws {
        let output = LineWriter()
        let fixtures = try (0..<fixtures).map { try Fixture(directory, number: $0) }
        for number in first..<first + count {
            output.write(DamageLine.started(number).description)
            let path = "\(directory)/case-\(number)"
            var damageCase = DamageCase(number: number, fixture: fixtures[number % fixtures.count], plan: plan, seed: seed, directory: path)
            try await damageCase.run()
            for failure in damageCase.failures { output.write(DamageLine.failed(failure).description) }
            if damageCase.failures.isEmpty {
                try FileManager.default.removeItem(atPath: path)
            } else {
                for fault in damageCase.faults { output.write(DamageLine.fault(fault.description).description) }
                try damageCase.prepare(path + "-before")
            }
            output.write(
                DamageLine.ended(
                    faults: damageCase.faults.count,
                    reads: damageCase.readCount,
                    survivors: damageCase.survivorCount,
                    refused: damageCase.wasRefused
                )
                .description
            )
        }
    }
}

/// A line of a process that runs cases.
enum DamageLine: Hashable {
    case started(Int)
    case failed(String)
    /// A fault of the case that failed.
    case fault(String)
    case ended(faults: Int, reads: Int, survivors: Int, refused: Bool)
}

extension DamageLine: LosslessStringConvertible {
    var description: String {
        switch self {
        case .started(let number): "started \(number)"
        case .failed(let what): "failed \(what.replacing("\n", with: " "))"
        case .fault(let what): "fault \(what)"
        case .ended(let faults, let reads, let survivors, let refused): "ended \(faults) \(reads) \(survivors) \(refused ? 1 : 0)"
        }
    }

    init?(_ description: String) {
        let parts = description.split(separator: " ", maxSplits: 1).map { String($0) }
        guard parts.count == 2 else { return nil }
        let numbers = parts[1].split(separator: " ").compactMap { Int($0) }
        switch parts[0] {
        case "started" where numbers.count == 1: self = .started(numbers[0])
        case "failed": self = .failed(parts[1])
        case "fault": self = .fault(parts[1])
        case "ended" where numbers.count == 4:
            self = .ended(faults: numbers[0], reads: numbers[1], survivors: numbers[2], refused: numbers[3] == 1)
        default: return nil
        }
    }
}
