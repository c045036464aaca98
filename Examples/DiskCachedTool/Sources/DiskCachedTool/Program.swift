// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

@main
enum Program {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            guard let argument = arguments.first, arguments.count == 1 else { throw FactorTool.UsageError() }
            let caches = try FileManager.default.url(for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            print(try await FactorTool(directory: caches.appendingPathComponent("hoard-factors").path, warn: complain).run(argument))
        } catch {
            complain("\(error)")
            exit(error is FactorTool.UsageError ? 64 : 1)
        }
    }

    /// The answer alone belongs on the standard output.
    @Sendable private static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
