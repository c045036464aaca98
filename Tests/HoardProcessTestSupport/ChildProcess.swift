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
/// The pipe to its input ends when this process ends, in any way. A child that reads the pipe
/// then knows that it is of no more use.
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

    /// The destination of a child's standard error.
    package enum ErrorOutput: Sendable {
        /// The same destination as that of this process.
        case inherited
        /// The pipe of ``ChildProcess/output``.
        case joined
        /// The pipe of ``ChildProcess/errors``.
        case separate
    }

    package let identifier: Int32
    /// The descriptor to which this process writes the child's standard input.
    package let input: CInt
    /// The descriptor from which this process reads the child's standard output.
    package let output: CInt
    /// The descriptor from which this process reads the child's standard error, if it is ``ErrorOutput/separate``.
    package let errors: CInt?

    /// - Parameters:
    ///   - program: The path of an executable.
    ///   - environment: The environment, or `nil` for that of this process.
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

    /// Only one child starts at a time. A second one could inherit a pipe after its creation and before its mark.
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

    /// Creates a pipe. Other children must inherit neither end, or the child would not see the end of this process.
    private static func makePipe() throws(SystemFailure) -> (reading: CInt, writing: CInt) {
        guard let pipe = SystemCalls.makePipe() else { throw SystemFailure("create a pipe", number: errno) }
        return pipe
    }

    /// Sends a signal. A caller may use this only before ``wait()``: later the number may belong to another process.
    package func signal(_ number: CInt) {
        _ = kill(identifier, number)
    }

    /// Whether the process has not ended yet. Does not wait for the process. A caller may use
    /// this only before ``wait()``.
    package var isRunning: Bool {
        var information = siginfo_t()
        // With `WNOWAIT` the process stays, so that a later call can wait for it.
        guard waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
        return information.si_signo == 0
    }

    /// Waits for the end of the process, and gives back the pipes. A caller may use this only once.
    @discardableResult
    package func wait() -> Ending {
        close(input)
        var status: CInt = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        for end in [output, errors] { if let end { close(end) } }
        return status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .signalled(status & 0x7f)
    }
}
