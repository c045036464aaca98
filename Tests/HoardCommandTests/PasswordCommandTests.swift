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

    @Test(arguments: ["", "a:b", "#a", "a\u{7}", "a:\u{301}", "#\u{301}", "a\u{85}b", "a\u{2028}b"])
    func nameThatIsNoneIsRefused(_ name: String) async throws {
        let result = try await HoardProcess.run(["password", name], redirection: "<<< x")
        #expect(result.status == 64 && result.errors.contains("A name has no colon"), "\(result.errors)")
    }

    @Test(arguments: ["< /dev/null", "<<< ''"]) func noPasswordIsSaid(_ redirection: String) async throws {
        let result = try await HoardProcess.run(["password", "alice"], redirection: redirection)
        #expect(result.status == 1 && result.output.isEmpty && result.errors.contains("There is no password on standard input."), "\(result.errors)")
    }

    @Test func passwordThatIsTooLongForAClientsFieldIsRefused() async throws {
        for (count, status) in [(756, 0), (757, 1)] {
            let result = try await HoardProcess.run(["password", "alice"], redirection: "<<< \(String(repeating: "x", count: count))")
            #expect(result.status == status && result.errors.contains("at most 761 bytes together") == (status == 1), "\(result.errors)")
        }
    }

    #if os(Linux)
        @Test(.enabled(if: access("/dev/ptmx", R_OK | W_OK) == 0, "There are no terminals."))
        func aSignalLeavesATerminalThatShowsTypedText() async throws {
            let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            defer { close(terminal) }
            // The numbers of TIOCSPTLCK and TIOCGPTN, which are no constants for Swift: unlock it, and say which it is.
            var (lock, number): (CInt, CUnsignedInt) = (0, 0)
            try #require(ioctl(terminal, 0x4004_5431, &lock) == 0 && ioctl(terminal, 0x8004_5430, &number) == 0)
            let name = "/dev/pts/\(number)"
            // The modes stay as long as this is open.
            let other = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
            defer { close(other) }
            func showsTypedText() -> Bool {
                var modes = termios()
                return tcgetattr(other, &modes) == 0 && modes.c_lflag & tcflag_t(ECHO) != 0
            }
            let process = try HoardProcess(
                ["password", "alice"],
                environment: ["TERMINAL": name],
                through: ["/bin/bash", "--norc", "-c", #"exec "$0" "$@" <"$TERMINAL""#]
            )
            try await process.errorText(holding: "Password for alice: ")
            #expect(!showsTypedText())
            process.signal(SIGTERM)
            #expect(await process.result().status == -SIGTERM)
            #expect(showsTypedText())
        }
    #endif
}
