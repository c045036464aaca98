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
        // Scalars: a colon that an accent follows is a colon for the servers and browsers that read the name.
        guard let first = name.unicodeScalars.first, first != "#", name.unicodeScalars.allSatisfy({ $0 != ":" && !$0.endsLineOrControls }) else {
            throw ValidationError("A name has no colon, no control characters and no ends of lines, and does not begin with “#”.")
        }
    }

    func run() async throws {
        guard let password = HiddenInput.line(prompt: "Password for \(printable(name)): "), !password.isEmpty else {
            throw ProxyCommandError("There is no password on standard input.")
        }
        // RFC 7617 §2: they cannot be told apart in a browser's field.
        guard password.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw ProxyCommandError("A password has no control characters.")
        }
        guard name.utf8.count + 1 + password.utf8.count <= PasswordHash.maximumCredentialsByteCount else {
            throw ProxyCommandError("A name and a password have at most \(PasswordHash.maximumCredentialsByteCount - 1) bytes together.")
        }
        try StandardOutput.write(text: "\(name):\(try PasswordHash(of: password))\n")
    }
}

extension Unicode.Scalar {
    /// Whether a line of the file would end here, or a terminal might take it for a command.
    fileprivate var endsLineOrControls: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
