// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// Where the process begins.
@main
enum Program {
    static func main() async {
        openStandardDescriptors()
        await RootCommand.main()
    }

    /// Opens the standard descriptors that the parent has closed, so that no file of the cache gets one of their
    /// numbers, and messages are not written into it.
    private static func openStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }
}
