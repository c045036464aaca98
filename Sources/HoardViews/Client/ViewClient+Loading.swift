// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import Logging

/// The load of a flight: it looks for a kept screen, asks the server if that is not enough, and keeps the answer.
extension ViewClient {
    /// The screen as it is now.
    func load(_ plan: ViewPlan, _ flight: FlightID) async -> Result<FetchedView, ViewError> {
        do throws(ViewError) {
            return .success(try await answer(plan, flight))
        } catch {
            return .failure(error)
        }
    }

    private func answer(_ plan: ViewPlan, _ flight: FlightID) async throws(ViewError) -> FetchedView {
        // A copy that was kept before the screen was called sensitive may lie on a disk.
        if plan.key.isSensitive { await removeOpenCopy(of: plan.key) }
        guard let kept = await keptReference(plan) else {
            do throws(ViewError) {
                return plan.confirms ? try await confirmByHTTP(plan, flight) : try await askAnew(plan, flight, hasKept: false)
            } catch {
                guard error.meansServerIsAway, error.statusCode == nil, let view = await standInOfHTTP(for: error, plan, flight) else { throw error }
                return view
            }
        }
        if !plan.confirms, dependencies.cache?.isValid(reference: kept) == true {
            do throws(ViewError) {
                let (component, wasDecoded) = try await component(of: kept.data, plan, flight)
                return view(of: kept, component, wasDecoded ? .memory : .cache, plan)
            } catch {
                // It was decoded once: by another version of the app, perhaps. The server's answer replaces it.
                log("A kept screen cannot be decoded any more.", error)
                return try await askAnew(plan, flight, hasKept: true)
            }
        }
        do throws(ViewError) {
            return try await askAbout(kept, plan, flight)
        } catch {
            guard error.meansServerIsAway, let view = try? await standIn(for: error, kept, plan, flight) else { throw error }
            return view
        }
    }

    /// Removes the copies of a sensitive screen from the time when it was not sensitive. A disk that has none is told
    /// nothing: removals are written down with their names.
    private func removeOpenCopy(of key: ViewKey) async {
        let open = key.sensitive(false)
        let hasCopy = await dependencies.cache?.getReference(identifiedBy: open.identifier) != nil
        if hasCopy || decoded.contains(open) { await removeKept(open) }
    }

    func log(_ message: String, _ error: ViewError) {
        dependencies.logger.info("\(message)", metadata: ["code": "\(error.code)"])
    }
}
