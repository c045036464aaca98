// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Screens

/// Runs `body` with a server on a port of its own, which is stopped afterwards in any case.
func withServer<Result>(
    _ server: ShopServer = ShopServer(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ShopServer, _ url: String) async throws -> Result
) async throws -> Result {
    let url = try await server.start()
    do {
        let result = try await body(server, url)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}
