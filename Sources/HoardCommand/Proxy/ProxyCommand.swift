// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import Hoard
internal import HoardProxy
internal import Logging

/// `hoard proxy`: a caching reverse proxy.
struct ProxyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Serve an origin's responses from a cache.",
        discussion: """
            Keeps responses in memory and on disk, or in memory and in a Redis that several proxies share, as long as the origin allows
            (RFC 9111), and says with each one what it did, in the Cache-Status field (RFC 9211). Runs until it gets SIGINT or SIGTERM; then requests under way may end.
            SIGHUP makes it read its file of settings, its certificates and its token anew, and open its access log anew.

            Every option may also be given in a file (--config) or in the environment, as HOARD_PROXY_ and its name in capitals.
            The command line comes before the environment, and that before the file. Options of routes, upstreams and listeners
            hold for all of them. Lengths of time are written 30s, 5m or 1h30m, numbers of bytes 64K, 512MiB or 10G.

            Examples:
              hoard proxy --origin http://localhost:3000 --listen 127.0.0.1:8080
              hoard proxy --origin http://localhost:3000 --admin 127.0.0.1:9090 --admin-token-file token
              hoard proxy --origin http://localhost:3000 --redis redis://cache.internal:6379
              hoard proxy --config hoard.yaml --check-config
              hoard proxy --config hoard.yaml --explain https://example.com/a
            """
    )

    @Option(name: .long, help: ArgumentHelp("A file of settings in YAML.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Flag(name: .long, help: "Say whether the settings make sense, and end.")
    var checkConfig = false

    @Flag(name: .long, help: "Print all settings as a file that can be read again, and end.")
    var printConfig = false

    @Option(
        name: .long,
        help: ArgumentHelp("Say which route and which rules a request for a URL would meet, and end.", valueName: "url")
    )
    var explain: String?

    @OptionGroup(title: "Serving") var serving: ServingFlags
    @OptionGroup(title: "Cache") var directory: CacheDirectory
    @OptionGroup(title: "Cache") var cache: CacheFlags
    @OptionGroup(title: "Sharing") var sharing: SharingFlags
    @OptionGroup(title: "Routes") var routes: RouteFlags
    @OptionGroup(title: "Rules") var rules: RuleFlags
    @OptionGroup(title: "Upstreams") var upstreams: UpstreamFlags
    @OptionGroup(title: "Limits") var limits: LimitFlags
    @OptionGroup(title: "Operation") var operation: OperationFlags

    /// The settings that were given as flags.
    private var flags: [(name: String, values: [String])] {
        let groups: [any SettingFlags] = [serving, cache, sharing, routes, rules, upstreams, limits, operation]
        return (directory.directory.map { [(name: "directory", values: [$0])] } ?? []) + groups.flatMap(\.given)
    }

    private var configPath: String? {
        config ?? ProcessInfo.processInfo.environment[ProxySettings.configName].flatMap { $0.isEmpty ? nil : $0 }
    }

    func validate() throws {
        let environment = ProcessInfo.processInfo.environment
        do {
            let settings = try ProxySettings(.init(environment: configPath == nil ? environment : [:], flags: flags))
            if configPath == nil { _ = try settings.configuration() }
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// The settings of the file, of the environment and of the command line.
    func settings() throws -> ProxySettings {
        let file = try configPath.map { path in (name: path, text: try Self.text(ofFile: path)) }
        return try ProxySettings(.init(file: file, environment: ProcessInfo.processInfo.environment, flags: flags))
    }

    private static func text(ofFile path: String) throws -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw ProxyCommandError("The file of settings \(path) cannot be read: \((error as NSError).localizedDescription)")
        }
    }

    func run() async throws {
        let settings = try settings()
        for (name, meant) in ProxySettings.misspelledVariables(in: ProcessInfo.processInfo.environment) {
            Terminal.say("hoard: \(name) in the environment means nothing; did you mean \(meant)?")
        }
        if checkConfig {
            let checked = try settings.configuration()
            try CachingProxy.checkFiles(of: checked)
            if let path = settings.admin.tokenFile, FileManager.default.fileExists(atPath: path) { _ = try AdminToken.read(path) }
            try CachingProxy.checkTrustRoots(settings.redis.trustRoots)
            _ = try settings.redisConfiguration()
            return Terminal.say("hoard: the settings make sense (\(checked.summary))")
        }
        if printConfig {
            _ = try settings.configuration()
            return try StandardOutput.write(text: settings.yaml)
        }
        if let explain {
            let lines = try await CachingProxy.explain(explain, configuration: settings.configuration())
            return try StandardOutput.write(text: lines.joined(separator: "\n") + "\n")
        }
        try await serve(settings)
    }

    private func serve(_ settings: ProxySettings) async throws {
        // From here on this signal ends nothing; one that comes before the proxy serves is met when it does.
        let reloads = await ReloadRequests()
        OpenFileLimit.raise()
        AllocationArenas.limit(
            serverThreads: settings.eventLoopCount ?? ProcessInfo.processInfo.activeProcessorCount,
            isSetByUser: ProcessInfo.processInfo.environment[AllocationArenas.variable] != nil
        )
        let logger = Self.makeLogger(level: Logger.Level(rawValue: settings.logLevel.rawValue) ?? .notice)
        var configuration = try settings.configuration(adminToken: try Self.adminToken(settings))
        configuration.inheritedDescriptors = ServiceManager.socketDescriptors(
            environment: ProcessInfo.processInfo.environment,
            processID: ProcessInfo.processInfo.processIdentifier
        )
        let (stores, place) = try settings.openStores(defaultDirectory: directory.path, logger: logger)
        // From here on a signal ends the proxy in good order.
        let termination = await Termination()
        let proxy: CachingProxy
        do {
            proxy = try await CachingProxy.start(
                configuration: configuration,
                stores: stores,
                version: Version.current,
                logger: logger
            )
        } catch {
            for store in stores { await store.close() }
            throw error
        }
        let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
        let origins = configuration.upstreams.flatMap { $0.servers.prefix(1) }.map(\.description)
        Terminal.say("hoard: serving \(proxy.urls.joined(separator: ", ")) from \(origins.joined(separator: ", ")), cache \(place)")
        if let address = proxy.adminAddress { Terminal.say("hoard: administration at \(address)") }
        let status = "Serving \(proxy.urls.joined(separator: ", "))."
        manager.ready(status)
        let reloading = Task {
            for await _ in reloads {
                manager.reloading()
                await reload(proxy, startedWith: settings)
                if !Task.isCancelled { manager.ready(status) }
            }
        }
        await termination.wait()
        reloading.cancel()
        manager.stopping()
        Terminal.say("hoard: finishing the requests under way; a second signal ends at once")
        await proxy.shutdown(gracePeriod: settings.gracePeriod)
        Terminal.say("hoard: done")
    }

    /// Reads the settings anew. If anything is wrong with them, the proxy goes on with those of before. The access log is opened anew all the same.
    private func reload(_ proxy: CachingProxy, startedWith first: ProxySettings) async {
        do {
            let settings = try settings()
            let configuration = try settings.configuration(adminToken: try Self.adminToken(settings))
            let needRestart = try await proxy.reload(configuration) + settings.commandSettingsThatNeedRestart(after: first)
            let rest = needRestart.isEmpty ? "" : "; a restart is needed for \(needRestart.joined(separator: ", "))"
            Terminal.say("hoard: the settings have been read anew\(rest)")
            if settings.keepsOnDisk, first.keepsOnDisk { await resizeDisk(of: proxy, to: settings.diskByteCount) }
        } catch {
            await reopenAccessLog(of: proxy)
            Terminal.say("hoard: the settings could not be read anew, those of before stay in force:")
            Terminal.say("\(error)")
        }
    }

    private func reopenAccessLog(of proxy: CachingProxy) async {
        do {
            try await proxy.reopenAccessLog()
        } catch {
            Terminal.say("hoard: \(error.message)")
        }
    }

    private func resizeDisk(of proxy: CachingProxy, to byteCount: Int) async {
        do {
            try await proxy.resize(diskBytes: byteCount)
        } catch {
            Terminal.say("hoard: \(error.message)")
        }
    }

    /// The token of the file, which is made if it does not exist; else that of the environment.
    private static func adminToken(_ settings: ProxySettings) throws -> String? {
        guard let path = settings.admin.tokenFile else { return settings.adminToken }
        let (token, isNew) = try AdminToken.readOrMake(path)
        if isNew { Terminal.say("hoard: made a token for changes by the admin interface, in \(printable(path))") }
        if try AdminToken.isReadableByOthers(path) {
            Terminal.say("hoard: other users of this machine can read the admin token in \(printable(path)); chmod 600 keeps it from them")
        }
        return token
    }

    static func makeLogger(level: Logger.Level) -> Logger {
        var logger = Logger(label: "hoard") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}

/// The reason why the command cannot run, in one sentence.
struct ProxyCommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension CachingProxy.Configuration {
    /// The numbers of listeners, upstreams and routes.
    fileprivate var summary: String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        return [count(listeners.count, "listener"), count(upstreams.count, "upstream"), count(routes.count, "route")].joined(separator: ", ")
    }
}
