// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting
import HoardTestingServer
import Testing

@testable import HoardCommand

/// The settings of `hoard proxy`: files, the environment, flags, and reading them anew.
@Suite("hoard proxy and its settings", .timeLimit(.minutes(5)))
struct ProxySettingsCommandTests {
    let directory: TemporaryDirectory
    let client = HTTPProbe()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func write(_ text: String, to name: String = "hoard.yaml") throws -> String {
        let path = directory.path(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    // MARK: Checking and printing

    @Test func settingsThatMakeSenseAreSaidToDoSo() async throws {
        let path = try write("origin: http://localhost:3000\nroutes: [{path: /a, bypass: yes}, {}]")
        let result = try await HoardProcess.run("proxy", "--config", path, "--check-config")
        #expect(result.status == 0)
        #expect(result.errors == "hoard: the settings make sense (1 listener, 1 upstream, 2 routes)\n")
        #expect(try directory.contents() == ["hoard.yaml"], "nothing is made")
    }

    @Test func mistakesInAFileAreToldWithTheirPlaces() async throws {
        let path = try write("orign: http://localhost:3000\nlimits:\n  streams: many")
        let result = try await HoardProcess.run("proxy", "--config", path, "--check-config")
        #expect(result.status == 1)
        #expect(result.errors.contains("\(path):1:1: There is no option “orign” here; did you mean “origin”?"))
        #expect(result.errors.contains("\(path):3:12: “many” is no number."))
    }

    @Test func aFileThatIsNotThereIsNamed() async throws {
        let result = try await HoardProcess.run("proxy", "--config", directory.path("none.yaml"))
        #expect(result.status == 1)
        #expect(result.errors.contains("none.yaml cannot be read"))
    }

    @Test func filesThatSettingsNameAreLookedAt() async throws {
        let path = try write(
            "origin: http://localhost\nlisten: [{address: ':0', tls-certificates: \(directory.path("c.pem")), tls-key: \(directory.path("k.pem"))}]"
        )
        let result = try await HoardProcess.run("proxy", "--config", path, "--check-config")
        #expect(result.status == 1)
        #expect(result.errors.contains("c.pem cannot be read as certificates in PEM form"))
        #expect(result.errors.contains("k.pem cannot be read as a private key in PEM form"))
    }

    @Test func requestIsExplainedWithoutServing() async throws {
        let origin = "http://localhost:3000"
        let result = try await HoardProcess.run("proxy", "--origin", origin, "--response-set", "X-A: b, c", "--explain", "/page?x")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.contains("as http://localhost:3000/page?x.\n") && result.text.hasSuffix("Response: X-A: b, c\n"))
        let wrong = try await HoardProcess.run("proxy", "--origin", origin, "--explain", "no url")
        #expect(wrong.status != 0 && wrong.errors.contains("“no url” is no URL"), "\(wrong.errors)")
    }

    @Test func whatIsPrintedCanBeReadAgain() async throws {
        let printed = try await HoardProcess.run("proxy", "--origin", "http://localhost:3000", "--lifetime", "1m", "--tags", "a,b", "--print-config")
        #expect(printed.status == 0)
        let path = try write(printed.text)
        let again = try await HoardProcess.run("proxy", "--config", path, "--print-config")
        #expect(again.text == printed.text)
        #expect(again.text.contains("lifetime: 1m\n"))
    }

    @Test func theEnvironmentSetsWhatTheCommandLineDoesNot() async throws {
        let printed = try await HoardProcess.run(
            "proxy",
            "--connections",
            "5",
            "--print-config",
            environment: [
                "HOARD_PROXY_ORIGIN": "http://localhost:3000", "HOARD_PROXY_CONNECTIONS": "6", "HOARD_PROXY_STREAMS": "7", "HOARD_PROXY_STREEMS": "8",
            ]
        )
        #expect(printed.status == 0)
        #expect(printed.text.contains("  connections: 5\n") && printed.text.contains("  streams: 7\n"))
        #expect(printed.errors.contains("HOARD_PROXY_STREEMS in the environment means nothing; did you mean HOARD_PROXY_STREAMS?"))
    }

    @Test(arguments: [
        (["--lifetime", "1m", "--default-lifetime", "1m"], "has both “lifetime” and “default-lifetime”"),
        (["--tls-key", "k"], "no “tls-certificates”"),
        (["--admin-token-file", "t"], "no admin address"), (["--admin", "127.0.0.1:8080"], "also that of a listener"),
        (["--http2", "maybe"], "--http2: “maybe”"),
    ])
    func contradictionsAreUsageErrors(options: [String], sentence: String) async throws {
        let result = try await HoardProcess(["proxy", "--origin", "http://127.0.0.1:1"] + options).result()
        #expect(result.status == 64)
        #expect(result.errors.contains(sentence), "\(result.errors)")
    }

    // MARK: Serving

    @Test func settingsAreReadAnewWithoutClosingAnything() async throws {
        let origin = try await FakeOrigin.start { request, _ in .init("\(request.path ?? "")", fields: [.cacheControl: "max-age=600"]) }
        func settings(_ routes: String) -> String {
            "listen: 127.0.0.1:0\norigin: \(origin.url)\ncache: {directory: \(directory.path("cache"))}\nroutes: \(routes)\n"
        }
        let path = try write(settings("[{path: /a}]"))
        let proxy = try HoardProcess(["proxy", "--config", path])
        let line = try await proxy.errorLine(holding: "serving http://")
        let address = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") }.map { String($0) })
        #expect(try await client.send(.get, "\(address)/a").status == 200)
        #expect(try await client.send(.get, "\(address)/b").status == 404)

        _ = try write(settings("[{path: /a}, {path: /b}]"))
        proxy.signal(SIGHUP)
        #expect(try await proxy.errorLine(holding: "read anew").contains("restart") == false)
        #expect(try await client.send(.get, "\(address)/b").status == 200)
        #expect(try await client.send(.get, "\(address)/a").cacheStatus.contains("hit"))

        _ = try write("nonsense")
        proxy.signal(SIGHUP)
        _ = try await proxy.errorLine(holding: "those of before stay in force")
        _ = try await proxy.errorLine(holding: "The file must hold options")
        #expect(try await client.send(.get, "\(address)/b").status == 200)

        _ = try write(settings("[{path: /a}]") + "event-loops: 1\n")
        proxy.signal(SIGHUP)
        _ = try await proxy.errorLine(holding: "a restart is needed for event-loops")

        _ = try write(settings("[{path: /a}]") + "grace-period: 3s\nlog-level: error\n")
        proxy.signal(SIGHUP)
        _ = try await proxy.errorLine(holding: "a restart is needed for grace-period, log-level")
        proxy.signal(SIGTERM)
        #expect(await proxy.result().status == 0)
        await origin.stop()
        await client.stop()
    }

    @Test func theAccessLogIsOpenedAnewAlthoughTheSettingsAreWrong() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("x") }
        let log = directory.path("access.log")
        let path = try write(
            "listen: 127.0.0.1:0\norigin: \(origin.url)\ncache: {directory: \(directory.path("cache"))}\naccess-log: {path: \(log)}\n"
        )
        let proxy = try HoardProcess(["proxy", "--config", path])
        let line = try await proxy.errorLine(holding: "serving http://")
        let address = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") }.map { String($0) })
        #expect(try await client.send(.get, "\(address)/before").status == 200)
        // The line comes after the response, which may be here before the proxy has noted that it was sent.
        try await waitUntil { try String(contentsOfFile: log, encoding: .utf8).contains("GET /before ") }
        try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
        _ = try write("nonsense")
        proxy.signal(SIGHUP)
        _ = try await proxy.errorLine(holding: "those of before stay in force")
        #expect(try await client.send(.get, "\(address)/after").status == 200)
        proxy.signal(SIGTERM)
        #expect(await proxy.result().status == 0)
        for (path, target) in [(log + ".1", "/before"), (log, "/after")] {
            let lines = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 1 && lines[0].contains("GET \(target) "), "\(lines)")
        }
        await origin.stop()
        await client.stop()
    }

    @Test func aSignalThatComesDuringTheStartIsMetAfterIt() async throws {
        // The proxy waits for the lock of its directory.
        try FileManager.default.createDirectory(atPath: directory.path("cache"), withIntermediateDirectories: false)
        let lock = open(directory.path("cache/hoard.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(lock, LOCK_EX) == 0)
        let proxy = try HoardProcess([
            "proxy", "--origin", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--directory", directory.path("cache"), "--admin", "127.0.0.1:0",
            "--admin-token-file", directory.path("token"),
        ])
        _ = try await proxy.errorLine(holding: "made a token")
        proxy.signal(SIGHUP)
        close(lock)
        _ = try await proxy.errorLine(holding: "serving http://")
        _ = try await proxy.errorLine(holding: "the settings have been read anew")
        proxy.signal(SIGTERM)
        #expect(await proxy.result().status == 0)
    }

    @Test func aProxyWithoutDiskKeepsNothingThere() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("x", fields: [.cacheControl: "max-age=600"]) }
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path("cache"), "--max-bytes", "0")
        for _ in 1...2 { #expect(try await client.send(.get, "\(address)/").text == "x") }
        #expect(origin.requests.count == 1)
        #expect(try directory.contents().isEmpty)
        proxy.signal(SIGTERM)
        _ = await proxy.result()
        await origin.stop()
        await client.stop()
    }

    // MARK: Tokens

    @Test func aTokenFileIsMadeForItsOwnerAlone() throws {
        let path = directory.path("token")
        let (token, isNew) = try AdminToken.readOrMake(path)
        #expect(isNew && token.utf8.count == 64)
        #expect(try !AdminToken.isReadableByOthers(path))
        let again = try AdminToken.readOrMake(path)
        #expect(again.token == token && !again.isNew)
        chmod(path, 0o644)
        #expect(try AdminToken.isReadableByOthers(path))
    }

    @Test func aLinkToATokenFileIsAsReadableAsTheFile() throws {
        let path = try write("a-token-that-is-long-enough", to: "token")
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        chmod(path, 0o600)
        #expect(try !AdminToken.isReadableByOthers(link))
        chmod(path, 0o644)
        #expect(try AdminToken.isReadableByOthers(link))
    }

    @Test(arguments: ["", "short", "two words that are long enough", "with\u{7}bell-and-long-enough"]) func whatIsNoTokenIsRefused(text: String)
        throws
    {
        let path = try write(text, to: "token")
        #expect(throws: ProxyCommandError.self) { try AdminToken.read(path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8), "it is left alone")
    }

    @Test func aTokenFileThatCannotBeMadeIsNamed() {
        #expect(throws: ProxyCommandError.self) { try AdminToken.readOrMake(directory.path("no/such/directory/token")) }
    }

    // MARK: Flags

    @Test func everySettingWithAFlagIsAnOptionOfTheCommand() async throws {
        let help = try await HoardProcess.run("proxy", "--help").text
        for setting in SettingNames.flags { #expect(help.contains("  --\(setting) <"), "--\(setting)") }
        for title in ["SERVING:", "CACHE:", "ROUTES:", "SHARING:", "UPSTREAMS:", "LIMITS:", "OPERATION:"] { #expect(help.contains(title)) }
    }
}
