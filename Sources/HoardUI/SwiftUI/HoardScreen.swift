// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    public import HoardViews
    public import SwiftUI

    /// Shows a screen that a server describes, and those that it leads to, in a navigation stack of its own.
    ///
    /// ```swift
    /// HoardScreen("/home").viewClient(client).imageCache(images)
    /// ```
    ///
    /// ``ScreenView`` is for a stack of the app's.
    public struct HoardScreen: View {
        private let request: ViewRequest
        private let given: ScreenNavigator?
        @State private var own = ScreenNavigator()

        /// - Parameter navigator: Carries out the actions of components that are touched. By default one that leaves
        ///   the app's own actions alone.
        public init(_ request: ViewRequest, navigator: ScreenNavigator? = nil) {
            self.request = request
            given = navigator
        }

        /// - Parameter path: Where the screen is, for the client's `URLBuilding`.
        public init(_ path: String, navigator: ScreenNavigator? = nil) { self.init(ViewRequest(path), navigator: navigator) }

        public var body: some View {
            let navigator = given ?? own
            NavigationStack(path: Bindable(navigator).path) {
                ScreenView(request).navigationDestination(for: ComponentRoute.self) { ScreenView(request.following($0)) }
            }
            .screenNavigator(navigator)
            // They were reached from another screen, perhaps by another user.
            .onChange(of: request) { navigator.path = [] }
        }
    }
#endif
