// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import HoardViews

/// A client of an app's own, whose answers a test gives.
final class FakeScreens: ViewClientProtocol {
    struct State: Sendable {
        var screens: [String: FetchedView] = [:]
        var fetched: [ViewRequest] = []
        var prefetched: [ViewRequest] = []
        var gates: [Gate] = []
    }

    let state = Shared(State())

    func serve(_ text: String, at path: String, leadingTo routes: [ComponentRoute] = [], hash: String? = nil) {
        let button = ButtonComponent(text, onPress: routes.map { .pushView($0) })
        state.update { $0.screens[path] = FetchedView(component: button, source: .network, hash: hash ?? text, url: path) }
    }

    /// The next fetch waits at a gate, when it has its answer.
    func holdNext() -> Gate {
        let gate = Gate()
        state.update { $0.gates.append(gate) }
        return gate
    }

    func fetch(_ request: ViewRequest) async throws(ViewError) -> FetchedView {
        let (screen, gate) = state.update { state in
            state.fetched.append(request)
            return (state.screens[request.path], state.gates.isEmpty ? nil : state.gates.removeFirst())
        }
        await gate?.pass()
        guard let screen else { throw ViewError(.network, "The server is away.") }
        return screen
    }

    func prefetch(_ request: ViewRequest, options: PrefetchOptions) async throws(ViewError) -> Prefetch {
        state.update { $0.prefetched.append(request) }
        return Prefetch(url: request.path, outcome: .fetched)
    }
}

extension FetchedView {
    var text: String? { (component as? ButtonComponent)?.text }
}
