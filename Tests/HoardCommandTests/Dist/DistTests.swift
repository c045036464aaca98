// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardCommand

/// The files in `dist`: they are current, and the programs that read them can read them. `HOARD_UPDATE_DOCS=1`
/// writes anew the files that are made from the command.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DistTests {
    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized
    private static let dist = root.appendingPathComponent("dist")

    private static func has(_ tool: String) -> Bool { FileManager.default.isExecutableFile(atPath: tool) }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.dist.appendingPathComponent(path), encoding: .utf8)
    }

    private func compare(_ made: String, with path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        if ProcessInfo.processInfo.environment["HOARD_UPDATE_DOCS"] == "1" {
            try made.write(to: Self.dist.appendingPathComponent(path), atomically: true, encoding: .utf8)
        } else {
            let isCurrent = try text(path) == made
            #expect(isCurrent, "dist/\(path) is not what Scripts/dist makes.", sourceLocation: sourceLocation)
        }
    }

    private func hoard(_ arguments: [String], environment: [String: String] = [:]) async throws -> HoardProcess.Result {
        try await HoardProcess(arguments, environment: environment).result()
    }

    /// Runs a tool of the system.
    private func run(_ tool: String, _ arguments: [String], _ environment: [String: String] = [:]) async throws -> (output: String, status: Int32) {
        let environment = ["PATH": "/usr/sbin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"].merging(environment) { $1 }
        let result = try await HoardProcess(command: [tool] + arguments, environment: environment).result()
        return (result.text + result.errors, result.status)
    }

    // MARK: Manual pages

    private func pages() async throws -> [ManualPage] {
        let help = try CommandHelp.decode(try await hoard(["--experimental-dump-help"]).output)
        return ManualPage.pages(of: help, version: Version.current)
    }

    @Test
    func manualPagesAreCurrent() async throws {
        let pages = try await pages()
        #expect(pages.map(\.fileName).contains("hoard-proxy.1"))
        for page in pages { try compare(page.text, with: "man/\(page.fileName)") }
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.dist.appendingPathComponent("man").path)
        #expect(Set(files) == Set(pages.map(\.fileName)))
    }

    @Test
    func manualPagesNameEveryCommandAndOption() async throws {
        let help = try CommandHelp.decode(try await hoard(["--experimental-dump-help"]).output)
        for command in help.commands {
            let page = try text("man/hoard-\(command.commandName).1")
            for option in (command.options + command.commands.flatMap(\.options)) {
                for name in option.names ?? [] { #expect(page.contains("\\fB\(Roff.text(name.text))\\fR"), "\(command.commandName) \(name.text)") }
            }
            #expect(try text("man/hoard.1").contains("hoard\\-\(Roff.text(command.commandName))"))
        }
    }

    @Test(.enabled(if: DistTests.has("/usr/bin/man")))
    func manualPagesCanBeRead() async throws {
        for page in try await pages() {
            let path = Self.dist.appendingPathComponent("man/\(page.fileName)").path
            let (output, status) = try await run(
                "/usr/bin/man",
                ["--warnings=w", "-E", "UTF-8", "-l", path],
                ["MANWIDTH": "100", "MAN_KEEP_STDERR": "1", "PAGER": "cat"]
            )
            #expect(status == 0, "\(page.fileName)")
            #expect(!output.contains("warning:") && !output.contains("error:"), "\(page.fileName): \(output.prefix(500))")
            #expect(output.contains("NAME") && output.contains("SYNOPSIS"))
        }
    }

    @Test
    func textOfManualPagesIsNoMarkup() {
        #expect(Roff.line(".SH x") == "\\&.SH x" && Roff.line("'x") == "\\&'x" && Roff.text("a\\b --c") == "a\\eb \\-\\-c")
        #expect(Roff.argument("a \"b\"") == "\"a \\(dqb\\(dq\"")
        #expect(Roff.paragraphs("a\n\n  b\n  .c\nd") == ["a", ".PP", ".nf", "  b", "  .c", ".fi", "d"])
        #expect(Roff.paragraphs("  b") == [".nf", "  b", ".fi"])
    }

    // MARK: Completions

    @Test(arguments: [("bash", "hoard.bash"), ("zsh", "_hoard"), ("fish", "hoard.fish")])
    func completionsAreCurrent(shell: String, file: String) async throws {
        let script = try await hoard(["--generate-completion-script", shell]).text
        #expect(script.contains("proxy"))
        try compare(script, with: "completions/\(file)")
    }

    @Test(arguments: [("/bin/bash", "hoard.bash"), ("/usr/bin/zsh", "_hoard"), ("/usr/bin/fish", "hoard.fish")])
    func shellsCanReadCompletions(shell: String, file: String) async throws {
        guard Self.has(shell) else { return }
        let (output, status) = try await run(shell, ["-n", Self.dist.appendingPathComponent("completions/\(file)").path])
        #expect(status == 0 && output.isEmpty, "\(output.prefix(500))")
    }

    // MARK: Settings

    @Test
    func exampleSettingsMakeSense() async throws {
        let example = Self.dist.appendingPathComponent("config/proxy.yaml").path
        let result = try await hoard(["proxy", "--config", example, "--check-config"])
        #expect(result.status == 0, "\(result.errors)")
        let image = Self.dist.appendingPathComponent("docker/proxy.yaml").path
        let named = try await hoard(["proxy", "--config", image, "--check-config"], environment: ["HOARD_PROXY_ORIGIN": "http://app:3000"])
        #expect(named.status == 0, "\(named.errors)")
        #expect(try await hoard(["proxy", "--config", image, "--check-config"]).status != 0)
    }

    @Test
    func filesNameTheSameDirectoriesAsTheSettings() throws {
        let settings = try text("config/proxy.yaml")
        let unit = try text("systemd/hoard-proxy.service")
        for (path, directive) in [
            ("/var/cache/hoard", "CacheDirectory=hoard"), ("/var/lib/hoard", "StateDirectory=hoard"), ("/var/log/hoard", "LogsDirectory=hoard"),
        ] {
            #expect(settings.contains(path) && unit.contains(directive))
            #expect(try text("systemd/hoard.tmpfiles.conf").contains("d \(path) "))
        }
        #expect(try text("logrotate/hoard").contains("/var/log/hoard/*.log") && settings.contains("/var/log/hoard/access.log"))
        #expect(try text("logrotate/hoard").contains("hoard-proxy.service"))
    }

    // MARK: systemd

    /// The unit, with a command that is there in place of the one that is not installed.
    private func unit(in directory: TemporaryDirectory) throws -> String {
        let path = directory.path + "/hoard-proxy.service"
        try text("systemd/hoard-proxy.service").replacing("/usr/bin/hoard", with: "/bin/true").write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test(.enabled(if: DistTests.has("/usr/bin/systemd-analyze")))
    func unitIsValidAndHardened() async throws {
        let directory = try TemporaryDirectory()
        let path = try unit(in: directory)
        let (output, status) = try await run("/usr/bin/systemd-analyze", ["verify", "--man=no", path])
        #expect(status == 0 && output.isEmpty, "\(output.prefix(500))")
        // In tenths: 1.7 when it was written.
        let (report, verdict) = try await run("/usr/bin/systemd-analyze", ["security", "--offline=true", "--no-pager", "--threshold=20", path])
        #expect(verdict == 0, "\(report.suffix(200))")
    }

    @Test(.enabled(if: DistTests.has("/usr/bin/systemd-sysusers")))
    func userOfTheUnitIsMade() async throws {
        let directory = try TemporaryDirectory()
        let file = Self.dist.appendingPathComponent("systemd/hoard.sysusers.conf").path
        let (output, status) = try await run("/usr/bin/systemd-sysusers", ["--dry-run", "--root=\(directory.path)", file])
        #expect(status == 0 && output.contains("Creating user 'hoard'"), "\(output.prefix(500))")
        #expect(try text("systemd/hoard-proxy.service").contains("\nUser=hoard\n"))
    }

    // MARK: Docker

    @Test
    func imageIsBuiltAsItShouldBe() throws {
        let instructions = try text("docker/Dockerfile").replacing("\\\n", with: " ").split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ").map(String.init) }
        func all(_ name: String) -> [[String]] { instructions.filter { $0.first == name }.map { Array($0.dropFirst()) } }

        let known: Set<String> = [
            "FROM", "RUN", "WORKDIR", "COPY", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD",
        ]
        #expect(instructions.allSatisfy { known.contains($0.first ?? "") })
        #expect(all("FROM").count == 2)
        // Every image names a version, and none names `latest`, which moves.
        for image in all("FROM").compactMap(\.first) { #expect(image.contains(":") && !image.hasSuffix(":latest"), "\(image)") }
        for run in all("RUN").map({ $0.joined(separator: " ") }) where run.contains("apt-get install") {
            #expect(run.contains("apt-get update") && run.contains("--no-install-recommends") && run.contains("rm -rf /var/lib/apt/lists"))
        }
        for copy in all("COPY") where copy.first?.hasPrefix("--from") != true {
            #expect(FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(copy[0]).path), "\(copy[0])")
        }
        #expect(all("USER").last == ["10001:10001"])
        #expect(all("HEALTHCHECK").count == 1)
        for name in ["ENTRYPOINT", "CMD"] { #expect(all(name).count == 1 && all(name)[0].first?.hasPrefix("[") == true) }
        let settings = try text("docker/proxy.yaml")
        #expect(all("EXPOSE") == [["8080"]] && settings.contains("listen: 0.0.0.0:8080"))
        #expect(all("HEALTHCHECK")[0].last?.contains("http://127.0.0.1:9090/healthz") == true && settings.contains("address: 127.0.0.1:9090"))
    }
}
