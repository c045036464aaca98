// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardViews
public import Observation

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Carries out the actions of screens: opens screens, goes back, opens pages outside the app. All others are the app's own.
@MainActor @Observable public final class ScreenNavigator {
    /// The screens on top of the first one, the lowest first.
    public var path: [ComponentRoute] = []

    /// The schemes of pages outside the app that a server may open. Default: `https`, `http`, `mailto`, `tel`.
    @ObservationIgnored public var externalSchemes: Set<String> = ["https", "http", "mailto", "tel"]

    /// Gets the actions that the navigator cannot carry out: those of the app, going back from the first screen, pages with other schemes.
    @ObservationIgnored public var onAction: @MainActor (ComponentAction) -> Void

    /// Creates a navigator.
    public init(onAction: @escaping @MainActor (ComponentAction) -> Void = { _ in }) { self.onAction = onAction }

    /// Carries out actions, in this order.
    ///
    /// - Parameter open: Opens a page outside the app; in SwiftUI that is `openURL` of the environment. `nil`: such pages are the app's own.
    public func perform(_ actions: [ComponentAction], opening open: (@MainActor (URL) -> Void)? = nil) {
        for action in actions where !carriesOut(action, open) { onAction(action) }
    }

    private func carriesOut(_ action: ComponentAction, _ open: (@MainActor (URL) -> Void)?) -> Bool {
        switch action.name.lowercased() {
        case "beagle:pushview":
            guard let route = action.route else { return false }
            path.append(route)
        case "beagle:popview":
            if path.isEmpty { return false }
            path.removeLast()
        case "beagle:openexternalurl":
            guard let open, let url = action.externalURL.flatMap({ URL(string: $0) }), externalSchemes.contains(url.scheme?.lowercased() ?? "")
            else {
                return false
            }
            open(url)
        default: return false
        }
        return true
    }
}
