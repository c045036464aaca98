// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardDisk
import Testing

@testable import HoardCommand

@Suite("hoard inspect of an encrypted cache", .timeLimit(.minutes(5)))
struct InspectKeyTests {
    private static let bytes = (0..<32).map { UInt8($0 * 7 & 0xFF) }
    private static let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()
    private static let base64 = Data(bytes).base64EncodedString()

    let cache: InspectedCache

    init() async throws {
        cache = try InspectedCache(key: try .init(identifier: "main", bytes: Self.bytes))
        try await cache.fillWithFour()
    }

    private func keyFile(_ text: String) throws -> String {
        let path = cache.directory.path("key")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test(arguments: ["main \(hexadecimal)\n", "\(base64)", "some name \(hexadecimal.uppercased())", "main\n\(base64)\n\n"])
    func aKeyFileOpensTheCache(text: String) async throws {
        let path = try keyFile(text)
        let result = try await cache.inspect("show", "--raw", "a", "--key-file", path)
        #expect(result.status == 0)
        #expect(result.text == "0123456789")
        #expect(try await cache.inspect("verify", "--key-file", path).text == "4 records and 1 file verified\nno problems\n")
        #expect(try await cache.inspect("stats", "--key-file", path).text.contains("encrypted  with the key \"main\""))
    }

    @Test func theEnvironmentOpensTheCache() async throws {
        let result = try await cache.inspect("ls", "--sort", "size", "--limit", "1", environment: ["HOARD_KEY": "main \(Self.hexadecimal)"])
        #expect(result.status == 0)
        #expect(result.text.hasSuffix("  c\n"))
        let path = try keyFile("main " + String(repeating: "00", count: 32))
        let other = try await cache.inspect("ls", "--key-file", path, environment: ["HOARD_KEY": "main \(Self.hexadecimal)"])
        #expect(other.status == 1, "The option comes before the environment.")
    }

    @Test func withoutTheKeyNothingIsShown() async throws {
        for (arguments, says) in [
            ([], "is encrypted with the key \"main\", and no key was given"),
            (["--key-file", try keyFile("wrong " + String(repeating: "ab", count: 32))], "is encrypted with another key"),
            (["--key-file", cache.directory.path("none")], "Cannot read the key file"),
        ] {
            let result = await (try HoardProcess(["inspect", "ls", "--directory", cache.path] + arguments)).result()
            #expect(result.status == 1)
            #expect(result.errors.contains(says))
            #expect(result.output.isEmpty)
            #expect(result.errors.split(separator: "\n").count == 1)
        }
    }

    @Test(arguments: ["", "short", String(repeating: "0", count: 63), String(repeating: "g", count: 64), String(repeating: "é", count: 32), "AAAA"])
    func whatIsNoKeyIsRefusedAndNotRepeated(text: String) throws {
        let error = #expect(throws: KeyError.self) { _ = try KeyOptions.key("name " + text, from: "the file") }
        #expect(error?.description == "There is no key of 32 bytes, hexadecimal or Base64, in the file.")
    }

    @Test func aKeyIsReadAsItWasWritten() throws {
        #expect(try KeyOptions.key("a b \(Self.base64)", from: "").identifier == "a b")
        #expect(try KeyOptions.key(Self.hexadecimal, from: "").identifier == "unnamed")
        #expect(throws: StoreError.self) { _ = try KeyOptions.key(String(repeating: "n", count: 300) + " " + Self.hexadecimal, from: "") }
    }

    @Test func aKeyFileThatIsNoFileOrTooLongIsRefused() async throws {
        for path in [cache.directory.path, try keyFile(String(repeating: "x", count: 5000))] {
            let result = try await cache.inspect("ls", "--key-file", path)
            #expect(result.status == 1)
            #expect(!result.errors.isEmpty)
        }
    }

    @Test func aKeyForACacheThatIsNotEncryptedIsRefused() async throws {
        let plain = try InspectedCache()
        try await plain.fillWithFour()
        let result = try await plain.inspect("ls", environment: ["HOARD_KEY": Self.hexadecimal])
        #expect(result.status == 1)
        #expect(result.errors.contains("is not encrypted"))
    }
}
