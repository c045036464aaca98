// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CBenchmarkSupport
internal import Foundation

/// Bytes allocated for each of a million entries of `Int` to `Int`. Each subject is filled in a process of its own.
enum Memory {
    static let entries = 1_000_000
    /// A key and a value.
    static let payload = 2 * MemoryLayout<Int>.size
    static let subjects = ["hoard", "nscache", "dictionary"]

    /// The bytes that filling a subject took, or `nil` if this system cannot tell.
    static func measure(_ subject: String) throws(Options.Mistake) -> Int? {
        switch subject {
        case "hoard": filled(HoardSubject<Int, Int>.self)
        case "nscache": filled(NSCacheSubject<Int, Int>.self)
        case "dictionary": filled(DictionarySubject<Int, Int>.self)
        default: throw Options.Mistake("--memory-of knows \(subjects.joined(separator: ", ")), not \(subject).")
        }
    }

    private static func filled<S: Subject>(_ type: S.Type) -> Int? where S.Key == Int, S.Value == Int {
        // Metadata and other things made once do not count.
        let small = S(capacity: 10)
        small.fill(with: 0..<20)
        let before = hb_allocated_bytes()
        guard before > 0 else { return nil }
        let subject = S(capacity: entries)
        subject.fill(with: 0..<entries)
        let after = hb_allocated_bytes()
        withExtendedLifetime((small, subject)) {}
        return Int(after) - Int(before)
    }

    /// Runs this program again for one subject.
    static func measureInChild(_ subject: String) -> Int? {
        guard let program = Bundle.main.executableURL else { return nil }
        let child = Process()
        let output = Pipe()
        child.executableURL = program
        child.arguments = ["--memory-of", subject]
        child.standardOutput = output
        do { try child.run() } catch { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
