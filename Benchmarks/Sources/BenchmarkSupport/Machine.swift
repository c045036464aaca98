// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The machine on which the figures depend.
public struct Machine: Sendable {
    public let processor: String
    public let cores = ProcessInfo.processInfo.activeProcessorCount
    public let system = ProcessInfo.processInfo.operatingSystemVersionString

    public init() {
        processor = Self.processorName() ?? "unknown processor"
    }

    /// The version of the compiler that built this, if a program can know it.
    public var compiler: String {
        #if compiler(>=6.4)
            "Swift 6.4 or later"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #else
            "Swift 6.2"
        #endif
    }

    public var description: String {
        "\(processor), \(cores) cores, \(system), \(compiler)"
    }

    private static func processorName() -> String? {
        #if os(macOS)
            var size = 0
            guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0, size > 0 else { return nil }
            var name = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("machdep.cpu.brand_string", &name, &size, nil, 0) == 0 else { return nil }
            return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        #else
            let facts = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
            let line = facts?.split(separator: "\n").first { $0.hasPrefix("model name") }
            return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        #endif
    }
}

/// Whether this was compiled without optimisation. Such figures mean nothing.
public var isDebugBuild: Bool {
    #if DEBUG
        true
    #else
        false
    #endif
}
