// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A damage to the files of a store.
enum Fault: Hashable, Sendable {
    case flip(String, offset: Int, mask: UInt8)
    /// `seed` is the seed of the random bytes. `nil` means zeros.
    case overwrite(String, offset: Int, count: Int, seed: UInt64?)
    case truncate(String, to: Int)
    case extend(String, by: Int, seed: UInt64?)
    case delete(String)
    case swap(String, String)

    /// The files that the fault changes.
    var paths: [String] {
        switch self {
        case .flip(let path, _, _), .overwrite(let path, _, _, _), .truncate(let path, _), .extend(let path, _, _), .delete(let path): [path]
        case .swap(let first, let second): [first, second]
        }
    }

    /// Damages the files below `root`. Leaves files alone that an earlier fault has deleted.
    func apply(to root: String) throws {
        let manager = FileManager.default
        guard paths.allSatisfy({ manager.fileExists(atPath: "\(root)/\($0)") }) else { return }
        switch self {
        case .flip(let path, let offset, let mask):
            try change("\(root)/\(path)") { bytes in
                if bytes.indices.contains(offset) { bytes[offset] ^= mask }
            }
        case .overwrite(let path, let offset, let count, let seed):
            try change("\(root)/\(path)") { bytes in
                let range = min(offset, bytes.count)..<min(offset + count, bytes.count)
                bytes.replaceSubrange(range, with: Self.filler(range.count, seed))
            }
        case .truncate(let path, let count):
            try change("\(root)/\(path)") { bytes in bytes.removeLast(max(0, bytes.count - count)) }
        case .extend(let path, let count, let seed):
            try change("\(root)/\(path)") { bytes in bytes.append(contentsOf: Self.filler(count, seed)) }
        case .delete(let path):
            try manager.removeItem(atPath: "\(root)/\(path)")
        case .swap(let first, let second):
            let contents = try (bytes(of: "\(root)/\(first)"), bytes(of: "\(root)/\(second)"))
            try change("\(root)/\(first)") { $0 = contents.1 }
            try change("\(root)/\(second)") { $0 = contents.0 }
        }
    }

    private func bytes(of path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try bytes(of: path)
        body(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private static func filler(_ count: Int, _ seed: UInt64?) -> [UInt8] {
        guard let seed else { return [UInt8](repeating: 0, count: count) }
        var generator = SplitMixGenerator(seed: seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}

extension Fault: CustomStringConvertible {
    var description: String {
        switch self {
        case .flip(let path, let offset, let mask): "flip \(path) at \(offset) by 0x\(String(mask, radix: 16))"
        case .overwrite(let path, let offset, let count, let seed):
            "overwrite \(count) bytes of \(path) at \(offset) with \(seed == nil ? "zeros" : "noise")"
        case .truncate(let path, let count): "truncate \(path) to \(count) bytes"
        case .extend(let path, let count, let seed): "extend \(path) by \(count) bytes of \(seed == nil ? "zeros" : "noise")"
        case .delete(let path): "delete \(path)"
        case .swap(let first, let second): "swap \(first) and \(second)"
        }
    }
}
