// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP

extension OriginGroup {
    /// Asks a server whether it is well.
    func check(_ index: Int, _ settings: CachingProxy.Configuration.Upstream.HealthCheck) async {
        let deadline = ticker.nanoseconds().addingSaturated(settings.timeout.saturatingNanoseconds)
        let result = await withTaskGroup(of: OriginHealth.CheckResult?.self) { group in
            group.addTask { [self] in await ask(links[index], settings) }
            group.addTask { [ticker] in
                do { try await ticker.sleep(until: deadline) } catch { return nil }
                return .unanswered
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        // A check that was cancelled says nothing.
        guard let result, !Task.isCancelled else { return }
        note(index) { $0.checked(index, result, at: ticker.nanoseconds()) }
    }

    private func ask(_ link: OriginLink, _ settings: CachingProxy.Configuration.Upstream.HealthCheck) async -> OriginHealth.CheckResult? {
        let request = HTTPRequest(
            method: .get,
            scheme: link.origin.scheme,
            authority: link.origin.authority,
            path: link.origin.basePath + settings.path,
            headerFields: [.userAgent: "hoard-health-check", .cacheControl: "no-store"]
        )
        do {
            let response = try await link.checkTransport.send(request)
            return (200...399).contains(response.head.status.code) ? .passed : .rejected
        } catch {
            return error.code == .cancelled ? nil : .unanswered
        }
    }
}
