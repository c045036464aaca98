// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Testing

    @testable import HoardCommand

    /// `Scripts/release` and `Scripts/sbom`, with the built command and packages made for the test.
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct ReleaseTests {
        private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized
        private static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        private static let hasPython = path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }

        private func script(_ arguments: String..., environment: [String: String] = [:]) async throws -> HoardProcess.Result {
            let command = [Self.root.appendingPathComponent("Scripts/\(arguments[0])").path] + arguments.dropFirst()
            return try await HoardProcess(command: command, environment: ["PATH": Self.path].merging(environment) { $1 }).result()
        }

        // MARK: Version and notes

        @Test func theNotesAreTheSectionOfTheVersion() async throws {
            let result = try await script("release", "notes")
            #expect(result.status == 0)
            #expect(!result.text.contains("\n## "))
            let changelog = try String(contentsOf: Self.root.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
            #expect(result.text.count > 1_000)
            #expect(changelog.contains(result.text.trimmingCharacters(in: .newlines)))
        }

        @Test func aTagOfAnotherVersionIsRefused() async throws {
            let result = try await script("release", "check", "9.9.9")
            #expect(result.status == 1)
            #expect(result.errors.contains("the tag is “9.9.9”, but Sources/HoardCommand/Version.swift says \(Version.current)."))
        }

        @Test func anUnknownStepIsAUsageError() async throws {
            let result = try await script("release", "everything")
            #expect(result.status == 64)
            #expect(result.errors.contains("Scripts/release archive"))
        }

        // MARK: The list of parts

        /// The output of `swift package show-dependencies` for two packages, of which one uses the other, with checkouts in a directory.
        private func dependencies(in directory: TemporaryDirectory, licence: String) throws -> String {
            func package(_ name: String, _ url: String, _ dependencies: [[String: Any]]) -> [String: Any] {
                ["identity": name, "name": name, "url": url, "version": "1.2.3", "path": directory.path(name), "dependencies": dependencies]
            }
            let inner = package("yams", "https://example.com/inner/yams.git", [])
            let outer = package("outer", "https://example.com/outer", [inner])
            let texts = [
                ("outer", "Apache License\nVersion 2.0, January 2004\n\n## Runtime Library Exception to the Apache 2.0 License: ##"),
                ("yams", licence),
            ]
            for (name, text) in texts {
                try FileManager.default.createDirectory(atPath: directory.path(name) + "/Sources/CYaml", withIntermediateDirectories: true)
                try text.write(toFile: directory.path(name) + "/LICENSE.txt", atomically: true, encoding: .utf8)
            }
            let file = directory.path("dependencies.json")
            let tree: [String: Any] = ["identity": "hoard", "dependencies": [outer]]
            try JSONSerialization.data(withJSONObject: tree).write(to: URL(fileURLWithPath: file))
            return file
        }

        private static let mit =
            "Permission is hereby granted, free of charge, to any person … in all copies or substantial portions of the Software."

        private func object(_ data: Data) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }

        @Test(.enabled(if: hasPython, "there is no python3"))
        func theListNamesEveryPackageWithVersionAndLicence() async throws {
            let directory = try TemporaryDirectory()
            let environment = [
                "HOARD_DEPENDENCIES": try dependencies(in: directory, licence: Self.mit), "SOURCE_DATE_EPOCH": "1767225600",
            ]
            let result = try await script("sbom", HoardProcess.executable.path, "7.8.9", environment: environment)
            #expect(result.status == 0, "\(result.errors)")
            let bill = try object(result.output)
            #expect(bill["bomFormat"] as? String == "CycloneDX")
            #expect(bill["specVersion"] as? String == "1.6")
            let metadata = try #require(bill["metadata"] as? [String: Any])
            #expect(metadata["timestamp"] as? String == "2026-01-01T00:00:00Z")
            #expect((metadata["component"] as? [String: Any])?["version"] as? String == "7.8.9")

            let components = try #require(bill["components"] as? [[String: Any]])
            let references = Set(components.compactMap { $0["bom-ref"] as? String })
            #expect(references.count == components.count, "Each part has a reference of its own.")
            func licence(_ reference: String) -> String? {
                let list = components.first { $0["bom-ref"] as? String == reference }?["licenses"] as? [[String: Any]]
                return list?.first?["expression"] as? String ?? (list?.first?["license"] as? [String: String])?["id"]
            }
            #expect(licence("pkg:swift/example.com/outer@1.2.3") == "Apache-2.0 WITH Swift-exception")
            #expect(licence("pkg:swift/example.com/inner/yams@1.2.3") == "MIT")
            // A library that a package carries in its sources, and the runtime.
            #expect(licence("pkg:swift/example.com/inner/yams@1.2.3#libyaml") == "MIT")
            #expect(references.contains { $0.hasPrefix("pkg:swift/github.com/swiftlang/swift@") })
            if FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg-query") {
                for library in ["libsqlite3-0", "zlib1g", "libzstd1", "libbrotli1", "libc6"] {
                    #expect(references.contains { $0.hasPrefix("pkg:deb/") && $0.contains("/\(library)@") }, "\(library)")
                }
            }

            let uses = try #require(bill["dependencies"] as? [[String: Any]])
            func used(by reference: String) -> [String] { uses.first { $0["ref"] as? String == reference }?["dependsOn"] as? [String] ?? [] }
            #expect(used(by: "pkg:generic/hoard@7.8.9").contains("pkg:swift/example.com/outer@1.2.3"))
            #expect(!used(by: "pkg:generic/hoard@7.8.9").contains("pkg:swift/example.com/inner/yams@1.2.3"))
            #expect(used(by: "pkg:swift/example.com/outer@1.2.3") == ["pkg:swift/example.com/inner/yams@1.2.3"])
            #expect(Set(uses.compactMap { $0["ref"] as? String }) == references.union(["pkg:generic/hoard@7.8.9"]))

            let again = try await script("sbom", HoardProcess.executable.path, "7.8.9", environment: environment)
            #expect(again.output == result.output)
        }

        @Test(.enabled(if: hasPython, "there is no python3"))
        func aLicenceThatIsNotKnownIsAnError() async throws {
            let directory = try TemporaryDirectory()
            let file = try dependencies(in: directory, licence: "All rights reserved.")
            let result = try await script("sbom", HoardProcess.executable.path, "7.8.9", environment: ["HOARD_DEPENDENCIES": file])
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("yams has a licence that Scripts/sbom does not know"))
        }

        // MARK: Archives

        @Test(.enabled(if: hasPython, "there is no python3"))
        func anArchiveIsPackedUnpackedAndRun() async throws {
            let directory = try TemporaryDirectory()
            let environment = [
                "HOARD_DEPENDENCIES": try dependencies(in: directory, licence: Self.mit), "HOARD_BINARY": HoardProcess.executable.path,
                "HOARD_ARCHIVES": directory.path("archives"), "SOURCE_DATE_EPOCH": "1767225600",
            ]
            let made = try await script("release", "archive", environment: environment)
            #expect(made.status == 0, "\(made.errors)")
            let files = try directory.contents(of: "archives")
            #expect(files.map { ($0 as NSString).pathExtension } == ["json", "sha256", "gz"])
            let verified = try await script("release", "verify", environment: environment)
            #expect(verified.status == 0, "\(verified.errors)")
            #expect(verified.text.contains("runs, and is hoard \(Version.current)."))

            let archive = try #require(files.last)
            let unpacking = ["/bin/tar", "--extract", "--gzip", "--file", directory.path("archives/\(archive)"), "--directory", directory.path]
            #expect(try await HoardProcess(command: unpacking).result().status == 0)
            let folder = archive.replacing(".tar.gz", with: "")
            #expect(try directory.contents(of: "\(folder)/licenses") == ["outer", "swift", "yams"])
            #expect(try directory.contents(of: folder).contains("README.md"))

            let list = try #require(files.first { $0.hasSuffix(".cdx.json") })
            try "changed".write(toFile: directory.path("archives/\(list)"), atomically: true, encoding: .utf8)
            let refused = try await script("release", "verify", environment: environment)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("the archives and their checksums do not agree"))
        }

        @Test func aDraftHasTheArchivesOfItsVersionAlone() async throws {
            let directory = try TemporaryDirectory()
            let archives = directory.path("archives of all versions")
            try FileManager.default.createDirectory(atPath: archives, withIntermediateDirectories: true)
            for version in [Version.current, "0.0.0"] {
                let names = ["tar.gz", "sha256"].map { "hoard-\(version)-linux-any.\($0)" }
                try version.write(toFile: "\(archives)/\(names[0])", atomically: true, encoding: .utf8)
                let sums = ["/bin/sh", "-c", #"cd "$0" && sha256sum "$1" >"$2""#, archives] + names
                #expect(try await HoardProcess(command: sums).result().status == 0)
            }
            // Prints its arguments, and asks nobody.
            let program = directory.path("gh")
            try "#!/bin/sh\ncat >/dev/null\nprintf '%s\\n' \"$@\"\n".write(toFile: program, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            let environment = ["PATH": "\(directory.path):\(Self.path)", "HOARD_ARCHIVES": archives]
            let result = try await script("release", "publish", environment: environment)
            #expect(result.status == 0, "\(result.errors)")
            let files = result.text.split(separator: "\n").filter { $0.hasPrefix(archives) }.map { $0.dropFirst(archives.count + 1) }
            #expect(files.sorted() == ["sha256", "tar.gz"].map { "hoard-\(Version.current)-linux-any.\($0)" })
        }
    }
#endif
