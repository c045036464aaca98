// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Screens

@Suite
struct ShellCommandTests {
    @Test(
        arguments: [
            ("3", .press(3)), ("open /screens/home", .open("/screens/home")), ("  back ", .back), ("again", .again), ("refresh", .refresh),
            ("watch", .watch),
            ("login ana", .logIn("ana")), ("logout", .logOut), ("price 1 4.90", .price(product: 1, cents: 490)),
            ("price 2\t4", .price(product: 2, cents: 400)), ("price 2 0.05", .price(product: 2, cents: 5)), ("help", .help), ("stats", .stats),
            ("quit", .quit),
        ] as [(String, ShellCommand)]
    )
    func commandsAreUnderstood(line: String, command: ShellCommand) {
        #expect(ShellCommand(line) == command)
    }

    @Test(arguments: [
        "", " ", "0", "-1", "open", "open a b", "backwards", "login", "price", "price 1", "price x 1", "price 1 x", "price 1 1.5", "price 1 1.234",
        "price 1 -1", "price 1 1.", "price 1 1.2.3", "price 1 99999999999999999999", "99999999999999999999",
    ])
    func everythingElseIsNot(line: String) {
        #expect(ShellCommand(line) == nil)
    }

    @Test
    func helpNamesEveryCommand() {
        for word in ["open", "back", "again", "refresh", "watch", "login", "logout", "price", "stats", "quit"] {
            #expect(ShellCommand.helpText.contains(word))
        }
    }
}
