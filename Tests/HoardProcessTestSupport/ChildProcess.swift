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

    /// Where a child's standard error goes.
    package enum ErrorOutput: Sendable {
        /// Where that of this process goes.
        case inherited
        /// Into ``ChildProcess/output``.
        case joined
        /// Into ``ChildProcess/errors``.
        case separate
    }

    package let identifier: Int32
    /// Where its standard input is written.
    package let input: CInt
    /// Where its standard output is read.
    package let output: CInt
    /// Where its standard error is read, if it is ``ErrorOutput/separate``.
    package let errors: CInt?

    /// - Parameters:
    ///   - program: The path of an executable.
    ///   - environment: `nil`: that of this process.
    package init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String]? = nil,
        errors: ErrorOutput = .inherited
    ) throws(SystemFailure) {
        self = try Self.starting.withLock { _ throws(SystemFailure) in
            try Self.start(program, arguments, environment, errorOutput: errors)
        }
    }

    private init(identifier: Int32, input: CInt, output: CInt, errors: CInt?) {
        self.identifier = identifier
        self.input = input
        self.output = output
        self.errors = errors
    }

    /// One child is started at a time: a second one would inherit a pipe between its creation and its mark.
    private static let starting = Mutex(())

    private static func start(
        _ program: String,
        _ arguments: [String],
        _ environment: [String: String]?,
        errorOutput: ErrorOutput
    ) throws(SystemFailure) -> ChildProcess {
        var pipes: [(reading: CInt, writing: CInt)] = []
        do throws(SystemFailure) {
            for _ in 0..<(errorOutput == .separate ? 3 : 2) { pipes.append(try makePipe()) }
        } catch {
            for pipe in pipes { for end in [pipe.reading, pipe.writing] { close(end) } }
            throw error
        }
        let (toChild, fromChild, errors) = (pipes[0], pipes[1], errorOutput == .separate ? pipes[2] : nil)
        let result = SystemCalls.spawn(
            program,
            arguments,
            environment: environment,
            input: toChild.reading,
            output: fromChild.writing,
            errors: errorOutput == .joined ? fromChild.writing : errors?.writing
        )
        for end in [toChild.reading, fromChild.writing, errors?.writing] { if let end { close(end) } }
        guard result.number == 0 else {
            for end in [toChild.writing, fromChild.reading, errors?.reading] { if let end { close(end) } }
            throw SystemFailure("start \(program)", number: result.number)
        }
        return ChildProcess(identifier: result.identifier, input: toChild.writing, output: fromChild.reading, errors: errors?.reading)
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

    /// Waits for the end of the process, and gives back the pipes. To be called once.
    @discardableResult
    package func wait() -> Ending {
        close(input)
        var status: CInt = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        for end in [output, errors] { if let end { close(end) } }
        return status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .signalled(status & 0x7f)
    }
}
