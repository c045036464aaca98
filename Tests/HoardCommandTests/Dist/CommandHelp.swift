// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The description of a command by `--experimental-dump-help`: the part that manual pages need.
struct CommandHelp: Decodable {
    struct Dump: Decodable {
        let command: CommandHelp
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        let kind: String
        let names: [Name]?
        let valueName: String?
        let abstract: String?
        let discussion: String?
        let defaultValue: String?
        let allValues: [String]?
        let sectionTitle: String?
        let isOptional: Bool
        let isRepeating: Bool
        let shouldDisplay: Bool
    }

    let commandName: String
    let abstract: String?
    let discussion: String?
    let arguments: [Argument]?
    let subcommands: [CommandHelp]?
    let shouldDisplay: Bool?

    /// The commands below this one, without `help`, which every command has.
    var commands: [CommandHelp] { (subcommands ?? []).filter { $0.commandName != "help" && $0.shouldDisplay != false } }
    var shownArguments: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }
    var options: [Argument] { shownArguments.filter { $0.kind != "positional" } }
    var positionals: [Argument] { shownArguments.filter { $0.kind == "positional" } }

    static func decode(_ data: Data) throws -> CommandHelp {
        try JSONDecoder().decode(Dump.self, from: data).command
    }
}
