// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import HoardProxy

@Suite("AccessLogFile and AccessLogEscaping")
struct AccessLogFileTests {
    private func write(_ text: String, to file: AccessLogFile) throws(AccessLogFailure) -> Int {
        try text.withBytes { bytes -> Result<Int, AccessLogFailure> in
            do throws(AccessLogFailure) { return .success(try file.write(bytes)) } catch { return .failure(error) }
        }.get()
    }

    @Test func aFileIsAppendedToAndKnowsWhenItIsDeleted() throws {
        let directory = try LogDirectory()
        let file = try AccessLogFile(path: directory.log)
        #expect(file.isEmpty)
        #expect(try write("one\n", to: file) == 4)
        #expect(!file.isDeleted && !file.isEmpty)
        // A renamed file is not a deleted one: a program that rotates logs renames the file,
        // and tells the proxy afterwards.
        try FileManager.default.moveItem(atPath: directory.log, toPath: directory.path + "/other")
        #expect(!file.isDeleted)
        #expect(try write("two\n", to: file) == 4)
        #expect(try directory.lines("other") == ["one", "two"])
        try FileManager.default.removeItem(atPath: directory.path + "/other")
        #expect(file.isDeleted)
    }

    @Test func permissionsOfAFileThatWasThereStay() throws {
        let directory = try LogDirectory()
        #expect(FileManager.default.createFile(atPath: directory.log, contents: Data(), attributes: [.posixPermissions: 0o640]))
        let file = try AccessLogFile(path: directory.log)
        #expect(try write("one\n", to: file) == 4)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.log)
        #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o777 } == 0o640)
    }

    @Test func failuresSayWhyInTheSystemsWords() throws {
        let directory = try LogDirectory()
        let missing = #expect(throws: AccessLogFailure.self) { try AccessLogFile(path: directory.path + "/missing/log") }
        #expect(missing?.description == "No such file or directory")
        let folder = #expect(throws: AccessLogFailure.self) { try AccessLogFile(path: directory.path) }
        #expect(folder?.description == "Is a directory")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
    func aFullDiskIsAFailure() throws {
        let file = try AccessLogFile(path: "/dev/full", patience: 0)
        #expect(throws: AccessLogFailure(code: ENOSPC)) { try write("line\n", to: file) }
        #expect(!file.isDeleted)
    }

    @Test func aPipeTakesPiecesAndFailsWhenItIsFull() throws {
        let directory = try LogDirectory()
        #expect(mkfifo(directory.log, 0o600) == 0)
        let reader = open(directory.log, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let file = try AccessLogFile(path: directory.log, patience: 0)
        let long = String(repeating: "x", count: 10_000)
        var total = 0
        var failure: AccessLogFailure?
        while failure == nil, total < 1 << 24 {
            do throws(AccessLogFailure) {
                let count = try write(long, to: file)
                #expect((1...4_096).contains(count))
                total += count
            } catch {
                failure = error
            }
        }
        #expect(failure == AccessLogFailure(code: ETIMEDOUT))
        #expect(total >= 4_096)
    }

    @Test func numbersAndTimesAreWrittenAsElsewhere() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for number in [0, 1, 9, 10, 99, 100, -1, -10, Int.max, Int.min] + (0..<200).map({ _ in Int.random(in: .min ... .max, using: &generator) }) {
            var bytes: [UInt8] = [0x20]
            bytes.append(number: number)
            #expect(String(decoding: bytes, as: UTF8.self) == " \(number)", "seed \(seed)")
        }
        for (nanoseconds, text) in [(0, "0.000000"), (999, "0.000000"), (1_000, "0.000001"), (61_234_567_890, "61.234567"), (-5, "0.000000")] {
            var bytes: [UInt8] = []
            bytes.append(seconds: Int64(nanoseconds))
            #expect(String(decoding: bytes, as: UTF8.self) == text)
        }
        var bytes: [UInt8] = []
        bytes.appendPadded(7, digits: 3)
        #expect(String(decoding: bytes, as: UTF8.self) == "007")
    }

    @Test func everyByteIsEscapedOrHarmless() {
        for byte in UInt8.min ... .max {
            var line: [UInt8] = []
            AccessLogEscaping.appendHexEscaped(byte, to: &line)
            let isPlain = (0x20...0x7E).contains(byte) && byte != 0x22 && byte != 0x5C
            #expect(line == (isPlain ? [byte] : Array(String(format: "\\x%02X", byte).utf8)))
        }
    }

    @Test func textInJSONIsWhatItWas() throws {
        for text in ["", "plain", "\"\\\u{8}\n\u{7F}", "é€😀\u{2028}\u{202E}", "a\u{0}b"] {
            var line: [UInt8] = [0x5B, 0x22]
            AccessLogEscaping.appendJSONEscaped(Array(text.utf8)[...], to: &line)
            line += [0x22, 0x5D]
            #expect(line.allSatisfy { (0x20...0x7E).contains($0) })
            #expect(try JSONDecoder().decode([String].self, from: Data(line)) == [text])
        }
    }
}
