// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The five programs, as processes.
@Suite(.timeLimit(.minutes(5))) struct SeedProgramTests {
    @Test(arguments: SeedProgram.all) func programPrintsWhatTheReadmeShows(program: SeedProgram) async throws {
        let directory = try TemporaryDirectory()
        let result = try await program.run(in: directory)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(result.output == (try Repository().transcript(of: program.name)))
    }

    @Test(arguments: SeedProgram.all) func programLeavesNoFilesBehind(program: SeedProgram) async throws {
        let directory = try TemporaryDirectory()
        let result = try await program.run(in: directory)
        #expect(result.status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() == ["errors", "output", "tmp"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path + "/tmp").isEmpty)
    }

    @Test func readmeHasNoOtherTranscripts() throws {
        let blocks = try Repository().text(of: "Examples/Seeds/README.md").components(separatedBy: "\n```text\n").count - 1
        #expect(blocks == SeedProgram.all.count)
    }
}
