// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardProxy
import Testing

@Suite("hoard password", .timeLimit(.minutes(2))) struct PasswordCommandTests {
    @Test func lineOfAPasswordIsPrinted() async throws {
        let result = try await HoardProcess.run(["password", "alice"], redirection: "<<< 'geheim ü'")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.hasPrefix("alice:$scrypt$") && result.text.hasSuffix("\n") && !result.text.contains("geheim"))
        let hash = try #require(PasswordHash(String(result.text.dropFirst("alice:".count).dropLast())))
        #expect(hash.isOf("geheim ü") && !hash.isOf("geheim"))
    }

    @Test(arguments: ["", "a:b", "#a", "a\u{7}"]) func nameThatIsNoneIsRefused(_ name: String) async throws {
        let result = try await HoardProcess.run(["password", name], redirection: "<<< x")
        #expect(result.status == 64 && result.errors.contains("A name has no colon"), "\(result.errors)")
    }

    @Test(arguments: ["< /dev/null", "<<< ''"]) func noPasswordIsSaid(_ redirection: String) async throws {
        let result = try await HoardProcess.run(["password", "alice"], redirection: redirection)
        #expect(result.status == 1 && result.output.isEmpty && result.errors.contains("There is no password on standard input."), "\(result.errors)")
    }
}
