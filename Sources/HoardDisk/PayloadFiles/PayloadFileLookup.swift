// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The result of looking for a payload file. A refusal by the system is none of these, but a ``StoreError``.
enum PayloadFileLookup<Value: Sendable>: Sendable {
    case found(Value)
    /// There is no such file.
    case missing
    /// The file is not as it was written, or is not the one that the record's row means.
    case damaged
}

extension PayloadFileLookup {
    var value: Value? {
        guard case .found(let value) = self else { return nil }
        return value
    }

    /// Runs `body`, which reads a file.
    init(_ body: () throws(PayloadFileFault) -> Value) throws(StoreError) {
        do throws(PayloadFileFault) {
            self = .found(try body())
        } catch {
            switch error {
            case .missing: self = .missing
            case .damaged: self = .damaged
            case .system(let error): throw .system(error.number, "read a payload")
            }
        }
    }
}

/// The reason why a payload file could not be read.
enum PayloadFileFault: Error {
    case missing, damaged
    case system(SystemCallError)

    /// The fault if opening a file fails.
    init(opening error: SystemCallError) {
        self =
            switch error.number {
            case ENOENT, ENOTDIR: .missing
            // A symbolic link, and a socket.
            case ELOOP, ENXIO: .damaged
            default: .system(error)
            }
    }
}

extension StoreError {
    /// Runs `body` and turns its error into a sentence.
    ///
    /// - Parameter action: The action of `body`, as the end of a sentence: "write a payload".
    static func attempt<Result>(_ action: @autoclosure () -> String, _ body: () throws(SystemCallError) -> Result) throws(StoreError) -> Result {
        do throws(SystemCallError) {
            return try body()
        } catch {
            throw .system(error.number, action())
        }
    }
}
