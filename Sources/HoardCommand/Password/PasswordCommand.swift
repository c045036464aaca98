// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HoardProxy

/// `hoard password`: a line for a file of passwords.
struct PasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Hash a password for a route of the proxy.",
        discussion: """
            Reads a password from the terminal, or a line from standard input, and prints a line for the file that password-file names: the name,
            and the password's hash by scrypt (RFC 7914), from which the password cannot be told.

            Examples:
              hoard password alice >> /etc/hoard/passwords
              printf '%s\\n' "$PASSWORD" | hoard password alice
            """
    )

    @Argument(help: "The name of who has the password.")
    var name: String

    func validate() throws {
        guard !name.isEmpty, !name.contains(":"), name.first != "#", name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw ValidationError("A name has no colon and no control characters, and does not begin with “#”.")
        }
    }

    func run() async throws {
        guard let password = HiddenInput.line(prompt: "Password for \(name): "), !password.isEmpty else {
            throw ProxyCommandError("There is no password on standard input.")
        }
        // RFC 7617 §2: they cannot be told apart in a browser's field.
        guard password.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw ProxyCommandError("A password has no control characters.")
        }
        try StandardOutput.write(text: "\(name):\(try PasswordHash(of: password))\n")
    }
}
