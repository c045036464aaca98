// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardCommand

@Suite(.timeLimit(.minutes(5)))
struct StandardOutputTests {
    /// Another program may have set the pipe that it shares with the command not to block.
    @Test func aFullPipeThatDoesNotBlockIsWaitedFor() async throws {
        let pipe = Pipe()
        let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        let descriptor = writing.fileDescriptor
        #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
        let bytes = [UInt8](repeating: 7, count: 4 << 20)
        async let count = withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: reading.readDataToEndOfFile().count) }
        }
        let problem: String? = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var problem: String?
                do {
                    try bytes.withUnsafeBytes { bytes in try FileOutput.writeAll(bytes, to: descriptor, name: "the pipe") }
                } catch {
                    problem = "\(error)"
                }
                try? writing.close()
                continuation.resume(returning: problem)
            }
        }
        #expect(problem == nil)
        #expect(await count == bytes.count)
    }
}
