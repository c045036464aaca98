// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

extension ChildProcess {
    /// The path of an executable of this package. It is beside the test bundle.
    package static func path(ofTool name: String) -> String {
        URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// Runs an executable of this package to its end. Returns its ending, and its output with the errors.
    package static func run(tool name: String, _ arguments: [String]) async throws -> (ending: Ending, output: String) {
        try await run(path(ofTool: name), arguments)
    }

    /// Runs any executable to its end. Returns its ending, and its output with the errors.
    package static func run(_ program: String, _ arguments: [String]) async throws -> (ending: Ending, output: String) {
        let process = try ChildProcess(program, arguments, errors: .joined)
        return await withCheckedContinuation { continuation in
            // This needs its own thread, because it waits for the process.
            DispatchQueue(label: "Hoard.ChildProcess").async {
                let output = FileHandle(fileDescriptor: process.output, closeOnDealloc: false).readDataToEndOfFile()
                continuation.resume(returning: (process.wait(), String(decoding: output, as: UTF8.self)))
            }
        }
    }
}
