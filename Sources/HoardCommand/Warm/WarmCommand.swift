// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import HoardProxy
internal import HoardTransports

struct WarmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warm",
        abstract: "Ask a proxy for many URLs, so that it has them before anybody else asks.",
        discussion: """
            The URLs come from sitemaps, which may name other sitemaps, and from files with a URL on each line. They are asked for with GET, a few at a time;
            what the proxy has already costs its origin nothing. Redirects are not followed, and bodies are read and dropped.

            With --proxy all requests go to that address, each with its URL's own host. Without it they go where the URLs lead.

            Examples:
              hoard warm --proxy http://127.0.0.1:8080 --sitemap https://example.com/sitemap.xml
              sort -u urls.txt | hoard warm --proxy http://127.0.0.1:8080 --urls - --concurrency 4 --rate 50

            Standard error has a line for each URL that failed, 100 at most, and a summary; with --json standard output has the summary as an object.

            Exits with 1 if a sitemap or a file could not be read or a URL got no response, and with 22 if a response was an error (status 400 and more).
            """
    )

    @Option(name: .long, help: ArgumentHelp("The proxy: an http or https URL without a path.", valueName: "url"))
    var proxy: String?

    @Option(name: .long, help: ArgumentHelp("A sitemap, XML or text. Can be repeated.", valueName: "url"))
    var sitemap: [String] = []

    @Option(name: .long, help: ArgumentHelp("A file with a URL on each line; - is standard input. Can be repeated.", valueName: "file"))
    var urls: [String] = []

    @Option(name: .long, help: ArgumentHelp("How many URLs are asked for at a time, 1 to 1000.", valueName: "n"))
    var concurrency = 8

    @Option(name: .long, help: ArgumentHelp("The most URLs per second. Without it as fast as answers come.", valueName: "n"))
    var rate: Double?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A request field to send, such as 'Accept-Language: pt'. Can be repeated.", valueName: "name:value")
    )
    var header: [RequestField] = []

    @Option(name: .long, help: ArgumentHelp("The most seconds an answer may take.", valueName: "seconds"))
    var maxTime = 60.0

    @Flag(name: .long, help: "Print the summary as an object of JSON.")
    var json = false

    func validate() throws {
        if sitemap.isEmpty, urls.isEmpty { throw ValidationError("There is nothing to ask for: give --sitemap or --urls.") }
        if !(1...1_000).contains(concurrency) { throw ValidationError("--concurrency takes a number from 1 to 1000.") }
        if let rate, !Warming.rates.contains(rate) { throw ValidationError("--rate takes a number from 0.001 to 1000000.") }
        if !(maxTime > 0 && maxTime <= 1e9) { throw ValidationError("--max-time takes a number of seconds above 0.") }
        try TargetURI.validate(sitemap)
        guard let proxy else { return }
        try TargetURI.validate([proxy])
        guard let target = TargetURI(URIReference(proxy)), target.path == "/", target.query == nil else {
            throw ValidationError("--proxy takes a URL without a path, such as http://127.0.0.1:8080.")
        }
    }

    func run() async throws {
        let start = ContinuousClock.now
        var fields = HTTPFields()
        for field in header { fields.append(field.field) }
        fields[.userAgent] = fields[.userAgent] ?? Version.userAgent
        var configuration = NIOTransport.Configuration()
        configuration.readTimeout = .seconds(maxTime)
        configuration.connectTimeout = .seconds(maxTime)
        configuration.maximumConnectionCountPerHost = concurrency
        configuration.maximumIdleConnectionCountPerHost = concurrency
        let transport = try NIOTransport(configuration: configuration)
        let warming = Self.warming(through: transport, proxy: proxy.flatMap { TargetURI(URIReference($0)) }, fields: fields)
        var (pages, problems) = await collect(warming)
        var seen: Set<String> = []
        pages.removeAll { !seen.insert($0).inserted }
        var progress = ProgressBar(total: pages.count, unit: .records)
        var report = WarmReport()
        var hasError = false
        await warming.visit(pages, concurrency: concurrency, rate: rate) { visit in
            report.add(visit.outcome, byteCount: visit.byteCount)
            progress.advance(by: 1)
            guard case .failed(let reason) = visit.outcome else { return }
            hasError = true
            if !reason.hasPrefix("status ") { problems += 1 }
            guard report.failed <= 100 else { return }
            progress.finish()
            Terminal.say("hoard: \(printable(visit.url)): \(printable(reason))")
        }
        progress.finish()
        await transport.shutdown()
        report.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        Terminal.say(report.line)
        if json { try StandardOutput.write(text: try jsonLine(report) + "\n") }
        if problems > 0 { throw ExitCode.failure }
        if hasError { throw ExitCode(22) }
    }

    /// - Parameter proxy: `nil`: requests go where their URLs lead.
    private static func warming(through transport: NIOTransport, proxy: TargetURI?, fields: HTTPFields) -> Warming {
        Warming { target in
            let request = HTTPRequest(
                method: .get,
                scheme: (proxy ?? target).scheme,
                authority: target.authority,
                path: target.pathAndQuery,
                headerFields: fields
            )
            let server = try proxy.map { try OriginServer(scheme: $0.scheme, authority: $0.authority) }
            let response = try await transport.send(request, body: .empty, to: server, onNewConnection: false, onInterimResponse: nil)
            let outcome = WarmReport.Outcome(status: response.head.status.code, cacheStatus: response.head.headerFields[.cacheStatus])
            return .init(head: response.head, body: response.body, outcome: outcome)
        }
    }

    private static func contents(of path: String) throws -> Data {
        if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
        guard SpooledInput.isNeeded(for: path) else { return try Data(contentsOf: URL(fileURLWithPath: path)) }
        // A pipe, such as `<(sort -u urls.txt)` of a shell.
        guard let file = FileHandle(forReadingAtPath: path) else { throw ProxyCommandError("it cannot be opened.") }
        return try file.readToEnd() ?? Data()
    }

    /// All URLs, and how many sources could not be read.
    private func collect(_ warming: Warming) async -> (pages: [String], problems: Int) {
        var pages: [String] = []
        var problems = 0
        for url in sitemap {
            pages += await warming.pages(ofSitemap: url) { _, problem in
                problems += 1
                if problems <= 100 { Terminal.say("hoard: \(printable(problem.description))") }
            }
        }
        for path in urls {
            do {
                let data = try Self.contents(of: path)
                guard let named = Sitemap(String(decoding: data, as: UTF8.self))?.urls else {
                    throw ProxyCommandError("it is neither a sitemap nor a list of URLs.")
                }
                let good = named.filter { TargetURI.normalized($0) != nil }
                for url in named.filter({ TargetURI.normalized($0) == nil }).prefix(100) {
                    Terminal.say("hoard: “\(printable(url))” is not an http or https URL with a host.")
                }
                if good.count < named.count { problems += 1 }
                pages += good
            } catch {
                problems += 1
                Terminal.say(
                    "hoard: The file \(printable(path)) cannot be read: \((error as? ProxyCommandError)?.description ?? error.localizedDescription)"
                )
            }
        }
        return (pages, problems)
    }
}
