// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HoardSimulator

/// `hoard trace`: access traces for `hoard simulate`.
struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Make access traces that are hard for caches.",
        subcommands: [TraceGenerateCommand.self]
    )
}

/// `hoard trace generate`.
struct TraceGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write an access trace that is made to fool policies which adapt.",
        discussion: """
            The trace goes to standard output, one decimal key on a line, as hoard simulate reads it. \
            The same family, capacity, seed and length give the same trace everywhere; another seed gives another shape.

            trickle: a hot set, and keys that come twice, a tenth to a half of the capacity apart. \
            whisper: the same with one percent of such accesses, among keys that come once. \
            band: keys that come again at nearly the same distance. \
            phases: loops and pairs by turns. \
            widepin: pairs, and then what a wide window is wrong for. \
            drift: a mixture whose shares change slowly. \
            crash: a working set that another one replaces all at once. \
            loop: a loop slightly larger than the cache. \
            tenants: two of these in one cache.

            Example:
              hoard trace generate crash --capacity 4096 --seed 7 | hoard simulate - --capacity 4096 --policy hoard,lru,arc
            """
    )

    @Argument(help: ArgumentHelp("One of \(FamilyArgument.allValueStrings.joined(separator: ", ")).", valueName: "family"))
    var family: FamilyArgument

    @Option(name: .long, help: ArgumentHelp("The number of keys of the cache that the trace is made for, from 16 to 16777216.", valueName: "n"))
    var capacity: Int

    @Option(name: .long, help: ArgumentHelp("Decides about the trace's shape and its keys.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(
        name: .long,
        help: ArgumentHelp("The number of accesses. (default: 60 for each key of the capacity, between 200000 and 2000000)", valueName: "n")
    )
    var length: Int?

    func validate() throws {
        do {
            _ = try TraceGenerator(family.family, capacity: capacity, seed: seed, length: length)
        } catch {
            throw ValidationError(error.message)
        }
    }

    func run() async throws {
        StandardOutput.outliveReader()
        do {
            var generator = try TraceGenerator(family.family, capacity: capacity, seed: seed, length: length)
            var left = generator.length
            while left > 0 {
                var text = ""
                let count = min(left, 1 << 14)
                for _ in 0..<count { text += "\(generator.next())\n" }
                try StandardOutput.write(text: text)
                left -= count
            }
        } catch let error as OutputError {
            if !error.isBrokenPipe { Terminal.say("hoard: \(error)") }
            throw ExitCode.failure
        }
    }
}

/// A family on the command line: `trickle`.
struct FamilyArgument: ExpressibleByArgument, Sendable {
    static let allValueStrings = TraceFamily.all.map(\.name)

    let family: TraceFamily

    init?(argument: String) {
        guard let family = TraceFamily(name: argument) else { return nil }
        self.family = family
    }
}
