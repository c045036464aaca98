// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    internal import HoardImages
    public import HoardViews
    public import SwiftUI

    /// Shows one screen that a server describes: the kept screen at once, and then the server's present one. Pulling
    /// down asks the server, and so does a button when there is no screen.
    ///
    /// The environment has the client that fetches the screen (`viewClient`), and the navigator that carries out its
    /// actions (`screenNavigator`).
    ///
    /// Images belong to the partition of the screen, and those of a sensitive screen are kept in memory only. So an
    /// `ImageCache` forgets them with `removePartition(_:)`.
    public struct ScreenView: View {
        private struct ID: Equatable {
            var hasClient: Bool
            var client: ObjectIdentifier?
            var request: ViewRequest
        }

        private let request: ViewRequest
        @Environment(\.viewClient) private var client
        @Environment(\.componentViews) private var views
        @Environment(\.screenNavigator) private var navigator
        @Environment(\.openURL) private var openURL
        @State private var holder = ModelHolder<ID, ObservedScreen>()

        public init(_ request: ViewRequest) { self.request = request }

        public var body: some View {
            let id = ID(hasClient: client != nil, client: client.flatMap(Self.identity), request: request)
            let model = client.map { client in holder.model(for: id) { ObservedScreen(client, request) } }
            let screen = model?.view?.component as? ScreenComponent
            // One view whatever is in it, so that the task and the refresh go on when that changes.
            ZStack { if let model { content(model) } }
                .navigationTitle(screen?.navigationBar?.title ?? "")
                .navigationBarBackButtonHidden(screen?.navigationBar?.showBackButton == false)
                .toolbar { toolbar(screen?.navigationBar?.navigationBarItems ?? []) }
                .refreshable { await model?.refresh() }
                .task(id: id) { await model?.run() }
                .environment(\.screenImageOptions, client.map { ImageOptions(ofScreen: request, from: $0) } ?? ImageOptions())
        }

        /// A client that is no object is taken for the same as long as there is one.
        private static func identity(_ client: any ViewClientProtocol) -> ObjectIdentifier? {
            type(of: client) is AnyClass ? ObjectIdentifier(client as AnyObject) : nil
        }

        @ViewBuilder private func content(_ model: ObservedScreen) -> some View {
            if let component = model.view?.component {
                let root = views.root(of: component)
                if views.scrolls(root) {
                    ComponentView(root)
                } else {
                    ScrollView(.vertical) { ComponentView(root) }.environment(\.isScrolled, true)
                }
            } else if let error = model.error {
                ScrollView(.vertical) {
                    VStack {
                        Text(error.message).multilineTextAlignment(.center)
                        Button {
                            Task { await model.refresh() }
                        } label: {
                            Image(systemName: "arrow.clockwise")
                        }
                    }
                }
            } else if model.isLoading {
                ProgressView()
            }
        }

        @ToolbarContentBuilder private func toolbar(_ items: [NavigationBarItem]) -> some ToolbarContent {
            ToolbarItemGroup(placement: .primaryAction) {
                ForEach(items.indices, id: \.self) { index in
                    Button {
                        navigator?.perform([items[index].action]) { openURL($0) }
                    } label: {
                        if let name = items[index].image?.mobileId { Image(name) } else { Text(items[index].text) }
                    }
                    .accessibilityLabel(items[index].text)
                }
            }
        }
    }
#endif
