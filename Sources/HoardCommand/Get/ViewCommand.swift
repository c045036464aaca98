// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HTTPTypes
internal import Hoard
internal import HoardDisk
internal import HoardHTTP
internal import HoardTransports
internal import HoardViews
internal import Logging

/// `hoard view`: shows server-driven screens as trees, through the caches that an app has.
struct ViewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Show server-driven screens.",
        discussion: """
            The components of each screen go to standard output as a tree, or with --json as a line of JSON. A line on standard error says where the
            screen came from (network, renewed, cache), what the server calls its state, how old it is, whether it is still valid, and how long it took; with --json
            that line is a JSON object.

            Screens are kept as an app keeps them: for as long as the response says or, if it names a state in the field beagle-hash and says nothing else, for
            300 seconds; after that the server is asked whether the state is still the same. When it cannot be reached, what was kept is shown.

            Components of types that Hoard does not have are shown as placeholders.

            Exits with 1 if a URL gave no screen, and with 22 if the response was an error (status 400 and more).
            """
    )

    @Argument(help: "One or more http or https URLs.")
    var urls: [String]

    @OptionGroup var directory: CacheDirectory

    @OptionGroup var transfer: TransferOptions

    @Option(name: .long, help: ArgumentHelp("Whose screens they are. Those of others are never shown.", valueName: "name"))
    var partition: String?

    @Flag(name: .long, help: "Keep nothing of the screens on the disk.")
    var sensitive = false

    @Flag(name: .long, help: "Ask the server even for screens that are still valid.")
    var refresh = false

    @Option(name: .long, help: ArgumentHelp("The member that names the type of a component.", valueName: "name"))
    var discriminator = "_beagleComponent_"

    @Option(name: .long, help: ArgumentHelp("The request and response field that names the state of a screen.", valueName: "name"))
    var hashField = "beagle-hash"

    @Flag(name: .long, help: "Fail for components of types that Hoard does not have.")
    var strict = false

    @Flag(name: .long, help: "Also get the screens that a screen asks to prefetch, so that they can be shown without a network.")
    var prefetch = false

    @Flag(name: .long, help: "Print screens as JSON, and describe each as a line of JSON.")
    var json = false

    func validate() throws {
        if discriminator.isEmpty { throw ValidationError("--discriminator needs the name of a member.") }
        if HTTPField.Name(hashField) == nil { throw ValidationError("“\(printable(hashField))” is not the name of a field.") }
        if partition?.isEmpty == true { throw ValidationError("--partition needs a name.") }
        try TargetURI.validate(urls)
    }

    func run() async throws {
        StandardOutput.outliveReader()
        let store = try directory.openStoreIfPossible()
        let network = try transfer.transport.make()
        let screens = ScreenFetcher(command: self, transport: network.transport, store: store)
        var exitCode = ExitCode.success
        for url in urls {
            do {
                try await screens.show(url)
            } catch let error as OutputError {
                if !error.isBrokenPipe { Terminal.say("hoard: \(error)") }
                exitCode = .failure
                break
            } catch let error as ViewError {
                Terminal.say("hoard: \(printable(url)): \(printable(error.message))")
                if (error.statusCode ?? 0) < 400 {
                    exitCode = .failure
                } else if exitCode == .success {
                    exitCode = ExitCode(22)
                }
            }
        }
        await screens.close()
        await network.shutdown()
        if exitCode != .success { throw exitCode }
    }
}
