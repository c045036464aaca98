// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HTTPTypes
internal import HoardDisk
internal import HoardHTTP
internal import HoardNIO
internal import HoardProxy
internal import HoardTransports
internal import Logging

/// `hoard demo`: an origin, the proxy in front of it, a few requests, and a table of their outcomes.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "See what a cache does, with a small origin of its own.",
        discussion: "Starts an origin and the proxy in front of it, asks for each page twice, and serves on until Ctrl-C."
    )

    @Option(
        name: .long,
        help: ArgumentHelp("Where the proxy listens. By default 127.0.0.1:8080, or any free port if that is taken.", valueName: "host:port")
    )
    var listen: ListenAddress?

    @OptionGroup var directory: CacheDirectory

    @Flag(name: .long, help: "End after the requests.")
    var once = false

    @Flag(name: .long, help: "Print the table as JSON, a line for each request.")
    var json = false

    /// One request of the demonstration.
    struct Step: Encodable {
        let method: String
        let url: String
        var note: String
        var status = 0
        var cacheStatus = ""
        var milliseconds = 0.0
    }

    func run() async throws {
        let logger = ProxyCommand.makeLogger(level: .warning)
        let origin = DemoOrigin()
        let originServer = try await HTTPServer.start(logger: logger) { await origin.respond(to: $0) }
        let termination = await Termination()

        var configuration = CachingProxy.Configuration(origin: try Origin("http://\(originServer.host):\(originServer.port)"))
        // Only the user who runs the demonstration learns the token, and may purge the cache with it.
        let token = once ? nil : AdminToken.make()
        if token != nil { configuration.admin = .init(address: .tcp(host: "127.0.0.1", port: 0), token: token) }
        // Every run has an origin with a port of its own, so responses that another run has stored are never used.
        let store = try directory.openStore { event in logger.warning("\(event)") }
        let proxy: CachingProxy
        do {
            proxy = try await start(&configuration, store: store, logger: logger)
        } catch {
            await store.close()
            await originServer.shutdown(gracePeriod: .zero)
            throw error
        }

        let transport = NIOTransport()
        if !json {
            Terminal.say(
                "An origin listens on http://\(originServer.host):\(originServer.port), the proxy in front of it on http://\(proxy.address)\n"
            )
        }
        let steps = await demonstrate(at: proxy.address, through: transport)
        await transport.shutdown()
        try show(steps, requestsToOrigin: origin.requests)

        if !once {
            Terminal.say("\nOpen http://\(proxy.address)/ in a browser. Ctrl-C ends it.")
            if let address = proxy.adminAddress, let token {
                Terminal.say("What the cache does is to be seen at \(address)/ - purging there takes the token \(token)")
            }
            await termination.wait()
        }
        await proxy.shutdown(gracePeriod: .seconds(2))
        await originServer.shutdown(gracePeriod: .zero)
        if steps.contains(where: { $0.status == 0 || $0.status >= 400 }) { throw ExitCode.failure }
    }
}

extension DemoCommand {
    private func start(
        _ configuration: inout CachingProxy.Configuration,
        store: DiskStore,
        logger: Logger
    ) async throws(ProxyError) -> CachingProxy {
        if let listen {
            configuration.listeners = [.init(.tcp(host: listen.host, port: listen.port))]
            return try await CachingProxy.start(configuration: configuration, stores: [store], version: Version.current, logger: logger)
        }
        do {
            return try await CachingProxy.start(configuration: configuration, stores: [store], version: Version.current, logger: logger)
        } catch {
            Terminal.say("The port is taken; using another one.")
            configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
            return try await CachingProxy.start(configuration: configuration, stores: [store], version: Version.current, logger: logger)
        }
    }

    /// Asks for each page twice, and shows other cases that a cache must not get wrong.
    private func demonstrate(at address: String, through transport: any Transport) async -> [Step] {
        let pages = DemoOrigin.pages
        let requests: [(method: HTTPRequest.Method, path: String, fields: HTTPFields, note: String)] =
            pages.map { (.get, $0.path, [:], $0.remark) }
            + pages.map { (.get, $0.path, [:], "again") }
            + [
                (.get, "/greeting", [.acceptLanguage: "de"], "again, in German: another variant"),
                (.post, "/quote.json", [:], "an unsafe method: what is stored for its URL goes"),
                (.get, "/quote.json", [:], "and is fetched again"),
            ]
        var steps: [Step] = []
        for (method, path, fields, note) in requests {
            let request = HTTPRequest(method: method, scheme: "http", authority: address, path: path, headerFields: fields)
            var step = Step(method: method.rawValue, url: "http://\(address)\(path)", note: note)
            let start = ContinuousClock.now
            do {
                let response = try await transport.send(request, body: .empty)
                for try await _ in response.body {}
                step.status = response.head.status.code
                step.cacheStatus = response.head.headerFields[.cacheStatus] ?? ""
            } catch {
                step.note = "\(error)"
            }
            step.milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
            steps.append(step)
        }
        return steps
    }

    private func show(_ steps: [Step], requestsToOrigin: Int) throws {
        if json {
            for step in steps { try printJSON(step) }
            return
        }
        var table = TextTable([("URL", .left), ("STATUS", .left), ("CACHE-STATUS", .left), ("TIME", .right), ("", .left)])
        for step in steps {
            let url = step.method == "GET" ? step.url : "\(step.method) \(step.url)"
            let tenths = (step.milliseconds * 10).rounded() / 10
            table.append([url, "\(step.status)", step.cacheStatus, "\(tenths) ms", step.note])
        }
        for line in table.lines { print(line) }
        print("\n\(steps.count) requests, of which \(requestsToOrigin) reached the origin.")
        // Into a pipe, the lines would otherwise come only at the end.
        fflush(nil)
    }
}
