// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// libFuzzer's entry for programs that have a `main` of their own.
///
/// [LibFuzzer: Using libFuzzer as a library](https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library)
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The check that is being fuzzed. Unsafe, because the compiler cannot see that it is written once, before
/// libFuzzer begins, which then reads it on one thread.
nonisolated(unsafe) private var running: (@Sendable ([UInt8]) throws -> Void)?

/// Fuzzes with the arguments of the program, and ends the program. An error of the check is a finding, and ends
/// the program with a trap, which libFuzzer reports.
package func run(_ check: @escaping @Sendable ([UInt8]) throws -> Void) -> Never {
    running = check
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(
        runDriver(&count, &arguments) { start, count in
            do {
                try running?(Array(UnsafeBufferPointer(start: start, count: count)))
            } catch {
                fatalError("\(error)")
            }
            return 0
        }
    )
}
