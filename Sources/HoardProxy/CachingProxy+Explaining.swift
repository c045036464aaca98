// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import NIOPosix

extension CachingProxy {
    /// Explains the way of a GET for a URL through a proxy, a line for each step, in their order. Asks neither a cache nor servers; reads files, so it blocks.
    ///
    /// - Parameter url: As clients know it, or a path alone.
    /// - Throws: ``ProxyError`` if the configuration cannot be used, or if that is no URL.
    public static func explain(
        _ url: String,
        configuration: Configuration
    ) async throws(ProxyError) -> [String] {
        let logger = Logger(label: "hoard.explain") { _ in SwiftLogNoOpLogHandler() }
        let upstreams = try Upstreams(configuration.upstreams, threads: MultiThreadedEventLoopGroup.singleton, logger: logger)
        let table: RouteTable
        do {
            table = try upstreams.table(of: configuration)
        } catch {
            await upstreams.shutdown()
            throw error
        }
        await upstreams.shutdown()
        guard let lines = table.explanation(of: url) else {
            throw ProxyError(.invalidConfiguration, "“\(url)” is no URL; write a path, or a whole URL with http:// or https://.")
        }
        return lines
    }
}
