// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The rule for the faults of a case.
enum FaultPlan: String, ExpressibleByArgument, Sendable {
    /// Any fault, anywhere.
    case corruption
    /// The faults that a failing computer causes in the files that were written last.
    case powerLoss

    /// The states in which stores are damaged.
    var endings: [FixtureCommand.Ending] {
        self == .corruption ? FixtureCommand.Ending.allCases : [.killed, .reopenedAndKilled]
    }

    func faults(in files: [FileTree.File], using generator: inout SplitMixGenerator) -> [Fault] {
        switch self {
        case .corruption: Self.corruption(files, &generator)
        case .powerLoss: Self.powerLoss(files, &generator)
        }
    }

    // MARK: Corruption

    private static func corruption(_ files: [FileTree.File], _ generator: inout SplitMixGenerator) -> [Fault] {
        // Chooses first the kind of file and then the file, so that one database counts as much as twenty payloads.
        let kinds = Dictionary(grouping: files, by: { FileKind(path: $0.path) })
        let groups = kinds.keys.sorted { $0.rawValue < $1.rawValue }.compactMap { kinds[$0] }
        // Half of the cases have one fault, so that other faults do not hide it.
        let count = generator.chance(1, in: 2) ? 1 : Int.random(in: 2...8, using: &generator)
        return (0..<count).compactMap { _ in
            var group = groups.randomElement(using: &generator)
            // The lock file is empty, so a few cases are enough for it.
            if group?.first.map({ FileKind(path: $0.path) }) == .lock, generator.chance(4, in: 5) { group = groups.first }
            guard let group, let file = group.randomElement(using: &generator) else { return nil }
            return fault(of: file, among: group, &generator)
        }
    }

    private static func fault(of file: FileTree.File, among group: [FileTree.File], _ generator: inout SplitMixGenerator) -> Fault {
        // One fault in four hits the beginning of the file, where the formats have their headers.
        let reach = generator.chance(1, in: 4) ? min(file.byteCount, 128) : file.byteCount
        let offset = Int.random(in: 0..<max(1, reach), using: &generator)
        let seed = generator.chance(1, in: 2) ? generator.next() : nil
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<25: return .flip(file.path, offset: offset, mask: 1 << UInt8.random(in: 0..<8, using: &generator))
        case ..<40: return .flip(file.path, offset: offset, mask: .random(in: 1...255, using: &generator))
        case ..<62:
            let count = [1, 16, 512, 4096, 32768].randomElement(using: &generator) ?? 1
            return .overwrite(file.path, offset: generator.chance(1, in: 2) ? offset / count * count : offset, count: count, seed: seed)
        case ..<75: return .truncate(file.path, to: generator.chance(1, in: 5) ? 0 : offset)
        case ..<83: return .extend(file.path, by: Int.random(in: 1...16384, using: &generator), seed: seed)
        case ..<90: return .delete(file.path)
        default:
            guard FileKind(path: file.path) == .payload, let other = group.randomElement(using: &generator), other != file else {
                return .flip(file.path, offset: offset, mask: 0xff)
            }
            return .swap(file.path, other.path)
        }
    }

    // MARK: Power loss

    private static func powerLoss(_ files: [FileTree.File], _ generator: inout SplitMixGenerator) -> [Fault] {
        var faults: [Fault] = []
        if let log = files.first(where: { FileKind(path: $0.path) == .log }), generator.chance(3, in: 4) {
            faults.append(lostEnd(of: log, &generator))
        }
        for file in files where FileKind(path: file.path) == .index && generator.chance(3, in: 4) { faults.append(.delete(file.path)) }
        let payloads = files.filter { FileKind(path: $0.path) == .payload }.sorted { $0.modified > $1.modified }
        guard generator.chance(2, in: 3) else { return faults }
        for file in payloads.prefix((payloads.count + 2) / 3) where generator.chance(1, in: 2) {
            faults += lostPages(of: file, &generator)
        }
        return faults
    }

    /// A log that ends early, or whose last frames never reached the disk.
    private static func lostEnd(of log: FileTree.File, _ generator: inout SplitMixGenerator) -> Fault {
        let offset = Int.random(in: 0...log.byteCount, using: &generator)
        guard generator.chance(1, in: 2) else { return .truncate(log.path, to: offset) }
        let frameByteCount = 4096 + 24
        let frames = Int.random(in: 1...16, using: &generator)
        let start = max(0, log.byteCount - frames * frameByteCount)
        let count = generator.chance(1, in: 3) ? Int.random(in: 1...frameByteCount, using: &generator) : log.byteCount - start
        return .overwrite(log.path, offset: start, count: count, seed: generator.chance(1, in: 2) ? generator.next() : nil)
    }

    private static func lostPages(of file: FileTree.File, _ generator: inout SplitMixGenerator) -> [Fault] {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: return [.truncate(file.path, to: 0)]
        case 1: return [.truncate(file.path, to: Int.random(in: 0...file.byteCount, using: &generator))]
        default:
            let pages = (file.byteCount + 4095) / 4096
            return (0..<pages).filter { _ in generator.chance(1, in: 2) }
                .map { .overwrite(file.path, offset: $0 * 4096, count: 4096, seed: nil) }
        }
    }
}

/// The kind of a file of the store, by its name.
enum FileKind: String, Sendable {
    case database, log, index, lock, payload

    init(path: String) {
        self =
            if path.hasSuffix("-wal") { .log } else if path.hasSuffix("-shm") { .index } else if path.hasSuffix(".lock") {
                .lock
            } else if path.hasSuffix(".sqlite") || path.hasSuffix(".db") { .database } else { .payload }
    }
}
