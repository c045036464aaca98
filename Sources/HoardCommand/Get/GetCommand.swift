// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HTTPTypes
internal import Hoard
internal import HoardDisk
internal import HoardHTTP
internal import HoardTransports
internal import NIOCore

/// `hoard get`: fetches URLs through a private cache on disk.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Get URLs through the cache.",
        discussion: """
            Bodies go to standard output, one after the other. For each URL, a line on standard error says the status,
            what the cache did (RFC 9211) and how long it took; with --json that line is a JSON object.

            Redirects are followed, through the cache, but never from https to http.

            Exits with 1 if a URL got no response, and with 22 if a response was an error (status 400 and more); its body is written all the same.
            """
    )

    @Argument(help: "One or more http or https URLs.")
    var urls: [String]

    @OptionGroup var directory: CacheDirectory

    @Option(name: [.customShort("o"), .long], help: ArgumentHelp("Write the body to this file instead, once it is complete.", valueName: "file"))
    var output: String?

    @OptionGroup var transfer: TransferOptions

    @Option(name: .long, help: "How to use the cache, by the names of the Fetch standard.")
    var cacheMode = CacheModeArgument.default

    @Flag(name: .long, help: "Do not follow redirects.")
    var noFollow = false

    @Flag(name: .long, help: "Describe each transfer as a line of JSON.")
    var json = false

    @Flag(name: .long, help: "After each transfer, say what the cache has now, why, and what the next request would get.")
    var explain = false

    func validate() throws {
        if output != nil, urls.count > 1 { throw ValidationError("--output takes one URL, not \(urls.count).") }
        try TargetURI.validate(urls)
    }

    func run() async throws {
        StandardOutput.outliveReader()
        let stores: [any RecordStore] = try directory.openStoreIfPossible().map { [$0] } ?? []
        let network = try transfer.transport.make()
        let client = CachingClient(
            transport: network.transport,
            cache: HTTPCache(stores: stores) { event in Terminal.say("hoard: \(event)") }
        )
        var exitCode = ExitCode.success
        for url in urls {
            do {
                let status = try await get(url, with: client)
                if status >= 400, exitCode == .success { exitCode = ExitCode(22) }
            } catch let error as OutputError {
                if !error.isBrokenPipe { Terminal.say("hoard: \(error)") }
                exitCode = .failure
                break
            } catch {
                Terminal.say("hoard: \(printable(url)): \(printable("\(error)"))")
                exitCode = .failure
            }
        }
        await client.cache.close()
        await network.shutdown()
        if exitCode != .success { throw exitCode }
    }

    private var options: RequestOptions {
        var options = RequestOptions(cacheMode: cacheMode.mode, timeout: transfer.timeout)
        options.followsRedirects = !noFollow
        return options
    }

    private struct Report: Encodable {
        let url: String
        /// Where redirects led to; the same as `url`, in its normal form, without any.
        let finalURL: String
        let redirects: Int
        let status: Int
        let cacheStatus: String
        /// The time for which the response has not been fresh, if it was used all the same.
        let staleSeconds: Int64?
        let bytes: Int
        let milliseconds: Int
    }

    /// Fetches one URL and returns the status.
    private func get(_ url: String, with client: CachingClient) async throws -> Int {
        let start = ContinuousClock.now
        var fields = transfer.fields
        fields[.userAgent] = fields[.userAgent] ?? Version.userAgent
        let response = try await client.get(url, fields: fields, options: options)
        let bytes = try await write(response.body)
        let report = Report(
            url: url,
            finalURL: response.url,
            redirects: response.redirectCount,
            status: response.head.status.code,
            cacheStatus: response.cacheStatus,
            staleSeconds: response.staleness?.seconds,
            bytes: bytes,
            milliseconds: Int((ContinuousClock.now - start) / .milliseconds(1))
        )
        if json {
            Terminal.say(try jsonLine(report))
        } else {
            let url = report.redirects == 0 ? printable(report.url) : "\(printable(report.url)) -> \(printable(report.finalURL))"
            Terminal.say(
                "\(url)  \(report.status)  \(printable(report.cacheStatus))  \(ByteCount(report.bytes))  \(report.milliseconds) ms"
            )
        }
        if explain {
            await client.cache.flush()
            let explanation = await client.cache.explain(response.url, fields: fields)
            let lines = explanation.description.split(separator: "\n", omittingEmptySubsequences: false)
            Terminal.say(json ? try jsonLine(explanation) : lines.map { printable(String($0)) }.joined(separator: "\n"))
        }
        return report.status
    }

    /// Writes a body to its destination as it arrives, and returns its length.
    private func write(_ body: HTTPBody) async throws -> Int {
        let file = try output.map { path throws(OutputError) in try FileOutput(path: path) }
        var progress = ProgressBar(total: body.length)
        var bytes = 0
        do {
            for try await part in body {
                try part.withUnsafeReadableBytes { bytes in
                    if let file { try file.write(bytes) } else { try StandardOutput.write(bytes) }
                }
                bytes += part.readableBytes
                progress.advance(by: part.readableBytes)
            }
            progress.finish()
        } catch {
            progress.finish()
            file?.discard()
            throw error
        }
        try file?.finish()
        return bytes
    }
}
