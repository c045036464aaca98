// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Undoes a change that a signal would otherwise leave behind: a file that is not complete, or a terminal that does not show typed text.
///
/// The signal then ends the process as before. A signal that the process was started to ignore stays ignored, as with `nohup`. One change at a time can be undone.
enum SignalCleanup {
    // Unsafe because a signal handler may take no lock. Both are written only while no handler of this type is installed, and their memory is never released.
    nonisolated(unsafe) private static var path: UnsafeMutablePointer<CChar>?
    nonisolated(unsafe) private static var modes: UnsafeMutablePointer<termios>?

    /// From here until ``end()`` such a signal removes a file.
    static func begin(removing path: String) {
        self.path = strdup(path)
        install(handle)
    }

    /// From here until ``end()`` such a signal gives the terminal at standard input its modes back.
    static func begin(restoring modes: termios) {
        let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        copy.initialize(to: modes)
        self.modes = copy
        install(handle)
    }

    /// From here on these signals end the process as if nothing had begun.
    static func end() {
        install(nil)
        (path, modes) = (nil, nil)
    }

    /// - Parameter handler: `nil`: the signals end the process.
    private static func install(_ handler: (@convention(c) (Int32) -> Void)?) {
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            let before = signal(number, handler)
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
    }

    /// Calls only functions that POSIX allows in a handler.
    private static let handle: @convention(c) (Int32) -> Void = { number in
        if let path { unlink(path) }
        if let modes { tcsetattr(STDIN_FILENO, TCSANOW, modes) }
        signal(number, nil)
        // It is held back until this returns, and ends the process then.
        raise(number)
    }
}
