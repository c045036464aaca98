// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HoardProxy
internal import HoardSimulator

/// `hoard advise`.
struct AdviseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Say what to change of a cache, from an access log or a running proxy.",
        discussion: """
            An access log, or any access trace that hoard simulate reads, says how large the cache should be and what more memory would bring. \
            An access log with the cache's outcome and durations, as hoard proxy writes it, says more: parameters of queries that make \
            several objects of one, lifetimes that are too short or missing, objects that nobody asks for again, variants, missing \
            validators, clients that wait for reloads, and objects that are loaded several times at once.

            Each advice has its figures, how certain it is (certain: seen; likely: nothing else known looks like it; possible: something that \
            the log does not say has to be true as well), and the lines of hoard simulate that reproduce its effect. Nothing is said where the \
            data do not carry it. At the end are the settings of hoard proxy, ready to be pasted.

            A URL is the admin address of a running proxy, which judges its size, its variants and the queries of what it holds.

            Example:
              hoard advise access.log --capacity 64MiB
              hoard advise http://127.0.0.1:9090

            Exits with 1 if there is nothing that can be read.
            """
    )

    @Argument(help: ArgumentHelp("A file; - is standard input; or the admin address of a proxy, an http or https URL.", valueName: "trace or url"))
    var source: String

    @Option(name: .long, help: ArgumentHelp("How much the cache may hold now: a number of keys, or bytes such as 64MiB.", valueName: "n"))
    var capacity: TraceCapacity?

    @Option(name: .long, help: ArgumentHelp("The format of the access trace, if it shall not be found out.", valueName: "name"))
    var format: TraceFormat?

    @Flag(name: .long, help: "Print the advice as an object of JSON.")
    var json = false

    private var isURL: Bool { source.hasPrefix("http://") || source.hasPrefix("https://") }

    func validate() throws {
        guard isURL else { return }
        if capacity != nil || format != nil {
            throw ValidationError("A running proxy knows its capacity; --capacity and --format are for access traces.")
        }
        guard AdviceRequest(source) != nil else {
            throw ValidationError("An admin address is a URL without a path, such as http://127.0.0.1:9090.")
        }
    }

    func run() async throws {
        StandardOutput.outliveReader()
        do {
            let document = if isURL, let request = AdviceRequest(source) { try await request.document() } else { try await documentOfTrace() }
            try StandardOutput.write(text: json ? try jsonLine(document) + "\n" : AdviceText(document).text)
        } catch let error as OutputError {
            if !error.isBrokenPipe { Terminal.say("hoard: \(error)") }
            throw ExitCode.failure
        } catch let error as AdviceRequest.Failure {
            Terminal.say("hoard: \(printable(error.description))")
            throw ExitCode.failure
        }
    }

    private func documentOfTrace() async throws -> AdviceDocument {
        // The access trace is read several times.
        let copy = SpooledInput.isNeeded(for: source) ? try SpooledInput(source) : nil
        defer { copy?.remove() }
        do {
            let report = try await report(of: copy?.path ?? source, byteCount: copy?.byteCount)
            return AdviceDocument(report, trace: source) { AdviceText.command($0, trace: source) }
        } catch let error as AccessTraceError {
            let message = copy.map { error.message.replacing($0.path, with: $0.title) } ?? error.message
            Terminal.say("hoard: \(printable(message))")
            throw ExitCode.failure
        }
    }

    private func report(of path: String, byteCount: Int?) async throws -> Advisor.Report {
        let size = byteCount ?? (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
        var progress = ProgressBar(total: size)
        defer { progress.finish() }
        var done = 0
        return try await Advisor(path: path, format: format?.format, capacity: capacity?.capacity).report { share in
            let bytes = Int(share * Double(size))
            progress.advance(by: bytes - done)
            done = bytes
        }
    }
}
