// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import Hoard
internal import HoardDisk
internal import HoardHTTP
internal import HoardProxy
internal import Logging

/// `hoard proxy`: a caching reverse proxy.
struct ProxyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Serve an origin's responses from a cache.",
        discussion: """
            Keeps responses in memory and on disk as long as the origin allows (RFC 9111), and says with each one what it did,
            in the Cache-Status field (RFC 9211). Runs until it gets SIGINT or SIGTERM; then requests under way may end.

            Example:
              hoard proxy --origin http://localhost:3000 --listen 127.0.0.1:8080
            """
    )

    @Option(name: .long, help: ArgumentHelp("Where requests go: an http or https URL, with a path if all requests go below it.", valueName: "url"))
    var origin: String

    @Option(name: .long, help: ArgumentHelp("Where to listen. Port 0 takes any free port.", valueName: "host:port"))
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)

    @OptionGroup var directory: CacheDirectory

    @Option(name: .long, help: ArgumentHelp("The most bytes kept on disk, such as 512MiB or 10G.", valueName: "n"))
    var maxBytes = ByteCount(1 << 30)

    @Option(name: .long, help: ArgumentHelp("The most responses kept on disk. By default only their bytes are limited.", valueName: "n"))
    var maxEntries: Int?

    @Option(name: .long, help: ArgumentHelp("The most bytes kept in memory.", valueName: "n"))
    var memoryBytes = ByteCount(64 << 20)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The longest body that is kept. Longer ones are only passed on. (default: 512 MiB, or --max-bytes if that is less)",
            valueName: "n"
        )
    )
    var maxObjectBytes: ByteCount?

    @Option(
        name: .long,
        help: ArgumentHelp("The fields with directives for this cache (RFC 9213), the most specific first. Empty for none.", valueName: "names")
    )
    var cdnTargets = FieldNames(["CDN-Cache-Control"])

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How long after its time a response may stand in for an origin that cannot be reached, if no directive forbids it. 0 for not at all.",
            valueName: "seconds"
        )
    )
    var staleIfUnreachable = 86_400

    @Option(name: .long, help: ArgumentHelp("How many threads serve connections. By default one for each core.", valueName: "n"))
    var eventLoops: Int?

    @Option(name: .long, help: ArgumentHelp("How many seconds requests may take to end at shutdown.", valueName: "seconds"))
    var gracePeriod = 10

    @Option(name: .long, help: "What to log.")
    var logLevel = LogLevel.notice

    func validate() throws {
        do {
            _ = try Origin(origin)
        } catch {
            throw ValidationError(error.message)
        }
        if let maxEntries, maxEntries < 0 { throw ValidationError("--max-entries must not be negative.") }
        if let eventLoops, !(1...1024).contains(eventLoops) { throw ValidationError("--event-loops must be between 1 and 1024.") }
        if staleIfUnreachable < 0 { throw ValidationError("--stale-if-unreachable must not be negative.") }
        if gracePeriod < 0 { throw ValidationError("--grace-period must not be negative.") }
        if let maxObjectBytes, maxObjectBytes.bytes > maxBytes.bytes {
            throw ValidationError("--max-object-bytes (\(maxObjectBytes)) is more than --max-bytes (\(maxBytes)) allows for all bodies together.")
        }
    }

    func run() async throws {
        OpenFileLimit.raise()
        let logger = Self.makeLogger(level: logLevel.level)
        let store = try directory.openStore(maximumBytes: maxBytes.bytes, maximumCount: maxEntries) { event in
            logger.warning("\(event)", metadata: ["store": "disk"])
        }
        var configuration = CachingProxy.Configuration(origin: try Origin(origin))
        configuration.host = listen.host
        configuration.port = listen.port
        configuration.eventLoopCount = eventLoops
        configuration.cache.maximumMemoryBytes = memoryBytes.bytes
        configuration.cache.maximumObjectBytes = maxObjectBytes?.bytes ?? min(512 << 20, maxBytes.bytes)
        configuration.cache.targets = cdnTargets.names
        configuration.cache.staleIfUnreachable = .seconds(staleIfUnreachable)
        // From here on a signal ends the proxy in good order.
        let termination = await Termination()
        let proxy: CachingProxy
        do {
            proxy = try await CachingProxy.start(configuration: configuration, stores: [store], logger: logger)
        } catch {
            await store.close()
            throw error
        }
        Terminal.say("hoard: serving http://\(proxy.address) from \(configuration.origin), cache in \(printable(directory.path))")
        await termination.wait()
        Terminal.say("hoard: finishing the requests under way; a second signal ends at once")
        await proxy.shutdown(gracePeriod: .seconds(gracePeriod))
        Terminal.say("hoard: done")
    }

    static func makeLogger(level: Logger.Level) -> Logger {
        var logger = Logger(label: "hoard") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}

/// Names of fields on the command line, with commas between them.
struct FieldNames: ExpressibleByArgument, CustomStringConvertible {
    let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    /// `nil` if one of them is no field name.
    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        guard names != [""] else {
            self.init([])
            return
        }
        guard names.allSatisfy({ HTTPField.Name($0) != nil }) else { return nil }
        self.init(names)
    }

    var description: String { names.joined(separator: ",") }
}

/// A level on the command line. A type of our own, because a conformance of `Logger.Level` would be everybody's.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}
