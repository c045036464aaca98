// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The `hoard` command.
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hoard",
        abstract: "An HTTP cache: as a proxy in front of a server, as a client, and as a look inside.",
        discussion: """
            Try it:
              hoard demo                                     see what a cache does, with a small origin of its own
              hoard proxy --origin http://localhost:3000     cache what your server sends
              hoard warm --proxy http://localhost:8080 --sitemap https://example.com/sitemap.xml
              hoard get https://example.com/logo.png -o logo.png
              hoard view https://example.com/screens/home    show a server-driven screen
              hoard inspect ls                               see what is cached
              hoard advise access.log                        be told what to change
              hoard simulate trace.txt.gz                    compare hit ratios on a recorded access trace
            """,
        version: "hoard \(Version.current)",
        subcommands: [
            ProxyCommand.self, PasswordCommand.self, WarmCommand.self, GetCommand.self, ViewCommand.self, InspectCommand.self, AdviseCommand.self,
            SimulateCommand.self, TraceCommand.self, DemoCommand.self,
        ]
    )
}
