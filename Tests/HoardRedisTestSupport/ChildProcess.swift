// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Another program, with pipes to its standard input and from its standard output.
///
/// The pipe to its input ends with this process, however it ends: a child that reads it knows when it is of no more use.
package struct ChildProcess: Sendable {
    package enum Ending: Equatable, Sendable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)

        package var description: String {
            switch self {
            case .exited(let code): "exited with code \(code)"
            case .signalled(let number): "was ended by signal \(number)"
            }
        }
    }

    package let identifier: Int32
    /// Where its standard input is written.
    package let input: CInt
    /// Where its standard output is read.
    package let output: CInt

    /// - Parameter program: The path of an executable.
    package init(_ program: String, _ arguments: [String]) throws(SystemFailure) {
        self = try Self.starting.withLock { _ throws(SystemFailure) in try Self.start(program, arguments) }
    }

    private init(identifier: Int32, input: CInt, output: CInt) {
        self.identifier = identifier
        self.input = input
        self.output = output
    }

    /// One child is started at a time: a second one would inherit a pipe between its creation and its mark.
    private static let starting = Mutex(())

    private static func start(_ program: String, _ arguments: [String]) throws(SystemFailure) -> ChildProcess {
        let toChild = try makePipe()
        let fromChild: (reading: CInt, writing: CInt)
        do throws(SystemFailure) {
            fromChild = try makePipe()
        } catch {
            for end in [toChild.reading, toChild.writing] { close(end) }
            throw error
        }
        let result = SystemCalls.spawn(program, arguments, input: toChild.reading, output: fromChild.writing)
        for end in [toChild.reading, fromChild.writing] { close(end) }
        guard result.number == 0 else {
            for end in [toChild.writing, fromChild.reading] { close(end) }
            throw SystemFailure("start \(program)", number: result.number)
        }
        return ChildProcess(identifier: result.identifier, input: toChild.writing, output: fromChild.reading)
    }

    /// Neither end is inherited by other children, or the end of this process would not be seen.
    private static func makePipe() throws(SystemFailure) -> (reading: CInt, writing: CInt) {
        guard let pipe = SystemCalls.makePipe() else { throw SystemFailure("create a pipe", number: errno) }
        return pipe
    }

    /// Sends a signal. Only before ``wait()``: later the number may belong to somebody else.
    package func signal(_ number: CInt) {
        _ = kill(identifier, number)
    }

    /// Whether the process has not ended yet. Does not wait for it. Only before ``wait()``.
    package var isRunning: Bool {
        var information = siginfo_t()
        // With `WNOWAIT` it stays to be waited for.
        guard waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
        return information.si_signo == 0
    }

    /// Waits for the end of the process, and gives back both pipes. To be called once.
    @discardableResult
    package func wait() -> Ending {
        close(input)
        var status: CInt = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        close(output)
        return status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .signalled(status & 0x7f)
    }
}
