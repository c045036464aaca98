// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A command that the user can type at the client's prompt.
enum ShellCommand: Hashable, Sendable {
    /// Presses a button of the screen.
    case press(Int)
    case open(String)
    case back
    case again
    case refresh
    case watch
    case logIn(String)
    case logOut
    case price(product: Int, cents: Int)
    case stats
    case help
    case quit

    static let helpText = """
          3                 press button 3
          open PATH         open a screen, such as /screens/home
          back              the screen before
          again             open this screen once more
          refresh           ask the server now, although this screen may be valid
          watch             show this screen as it is kept, and if it is not valid, as the server has it
          login NAME        log in as ana or ben
          logout            log out, and forget the profile
          price 1 4.90      change the price of product 1 in the shop
          stats             what the client and the server have counted
          quit              the end; what is kept on the disk stays there
        """

    /// Reads a command; `nil` for an unknown one.
    init?(_ line: String) {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        switch (words.first, words.count) {
        case ("open", 2): self = .open(words[1])
        case ("back", 1): self = .back
        case ("again", 1): self = .again
        case ("refresh", 1): self = .refresh
        case ("watch", 1): self = .watch
        case ("login", 2): self = .logIn(words[1])
        case ("logout", 1): self = .logOut
        case ("price", 3):
            guard let product = Int(words[1]), let cents = Self.cents(words[2]) else { return nil }
            self = .price(product: product, cents: cents)
        case ("stats", 1): self = .stats
        case ("help", 1): self = .help
        case ("quit", 1): self = .quit
        case (let word?, 1):
            guard let number = Int(word), number > 0 else { return nil }
            self = .press(number)
        default: return nil
        }
    }

    /// `4.90` is 490, `4` is 400.
    private static func cents(_ text: String) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first.flatMap({ Int($0) }), (0..<1_000_000).contains(whole) else { return nil }
        guard parts.count == 2 else { return whole * 100 }
        guard parts[1].count == 2, parts[1].allSatisfy(\.isNumber), let rest = Int(parts[1]) else { return nil }
        return whole * 100 + rest
    }
}
