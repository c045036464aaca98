// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

extension ChildProcess {
    /// Runs an executable of this package to its end.
    ///
    /// - Parameter name: A file beside the test bundle.
    /// - Returns: How it ended, and what it wrote, errors included.
    package static func run(tool name: String, _ arguments: [String]) async throws -> (ending: Ending, output: String) {
        let executable = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appendingPathComponent(name)
        let process = try ChildProcess(executable.path, arguments, errors: .joined)
        return await withCheckedContinuation { continuation in
            // A thread of its own, as it waits for the process.
            DispatchQueue(label: "Hoard.ChildProcess").async {
                let output = FileHandle(fileDescriptor: process.output, closeOnDealloc: false).readDataToEndOfFile()
                continuation.resume(returning: (process.wait(), String(decoding: output, as: UTF8.self)))
            }
        }
    }
}
