// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    internal import HoardImages
    public import HoardViews
    public import SwiftUI

    /// Shows a component and everything in it.
    ///
    /// Containers, texts, images, buttons and lists are known; others are shown as ``ComponentViews`` says. Of an unknown component, the subcomponents are
    /// shown. The environment's ``ScreenNavigator`` carries out actions.
    public struct ComponentView: View {
        private let component: any ServerDrivenComponent
        @Environment(\.componentViews) private var views

        public init(_ component: any ServerDrivenComponent) { self.component = component }

        public var body: some View { views.style(component, views.view(of: component) ?? standardView) }

        private var standardView: AnyView {
            switch component {
            case let text as TextComponent: AnyView(TextView(component: text))
            case let image as ImageComponent: AnyView(ImageView(component: image))
            case let button as ButtonComponent: AnyView(ActionButton(component: button))
            case let list as ListViewComponent: AnyView(ListContent(component: list))
            case let container as ContainerComponent: AnyView(ContainerView(component: container))
            default: AnyView(VStack(alignment: .leading) { Parts(components: component.subcomponents) })
            }
        }
    }

    private struct Parts: View {
        let components: [any ServerDrivenComponent]

        var body: some View { ForEach(components.indices, id: \.self) { ComponentView(components[$0]) } }
    }

    private struct ContainerView: View {
        let component: ContainerComponent
        @Environment(\.screenNavigator) private var navigator
        @Environment(\.openURL) private var openURL
        /// A container appears again when a screen on top of it goes; its actions are for the first time.
        @State private var hasAppeared = false

        var body: some View {
            VStack(alignment: .leading) { Parts(components: component.subcomponents) }
                .onAppear {
                    if hasAppeared { return }
                    hasAppeared = true
                    navigator?.perform(component.actions) { openURL($0) }
                }
        }
    }

    private struct ActionButton: View {
        let component: ButtonComponent
        @Environment(\.screenNavigator) private var navigator
        @Environment(\.openURL) private var openURL

        var body: some View {
            Button(component.text) { navigator?.perform(component.actions) { openURL($0) } }.disabled(component.enabled == false)
        }
    }

    private struct ListContent: View {
        let component: ListViewComponent
        @Environment(\.isScrolled) private var isScrolled
        @Environment(\.screenNavigator) private var navigator
        @Environment(\.openURL) private var openURL

        var body: some View {
            if component.direction == .horizontal {
                ScrollView(.horizontal) { LazyHStack { rows } }.environment(\.isScrolled, false)
            } else if isScrolled {
                LazyVStack(alignment: .leading) { rows }
            } else {
                ScrollView(.vertical) { LazyVStack(alignment: .leading) { rows } }.environment(\.isScrolled, true)
            }
        }

        @ViewBuilder private var rows: some View {
            Parts(components: component.children?.map(\.component) ?? [])
            // Comes into sight with the end of the list.
            if !component.actions.isEmpty {
                Color.clear.frame(width: 1, height: 1).onAppear { navigator?.perform(component.actions) { openURL($0) } }
            }
        }
    }

    private struct TextView: View {
        let component: TextComponent

        var body: some View {
            Text(component.text)
                .multilineTextAlignment(alignment)
                .foregroundStyle(component.textColor.flatMap { ComponentColor($0) }.map { Color($0) } ?? .primary)
        }

        private var alignment: TextAlignment {
            switch component.alignment {
            case .center?: .center
            case .right?: .trailing
            default: .leading
            }
        }
    }

    private struct ImageView: View {
        /// The server says how large images are, and no place does: a view that scrolls offers none.
        private static let options = ImageOptions(maximumPixelSize: 2_048)
        let component: ImageComponent

        var body: some View {
            if let url = component.path.url {
                CachedImage(url, options: Self.options, sizing: .options) { phase in
                    if let image = phase.image { placed(image) } else { placeholder }
                }
            } else {
                placeholder
            }
        }

        @ViewBuilder private var placeholder: some View {
            if let name = component.path.mobileId { placed(Image(name)) } else { Color.clear }
        }

        @ViewBuilder private func placed(_ image: Image) -> some View {
            switch component.mode {
            case .fitXY?: image.resizable()
            case .centerCrop?: image.resizable().aspectRatio(contentMode: .fill).clipped()
            case .center?: image
            default: image.resizable().aspectRatio(contentMode: .fit)
            }
        }
    }

    private struct IsScrolledKey: EnvironmentKey {
        static let defaultValue = false
    }

    extension EnvironmentValues {
        /// Whether a view around this one scrolls up and down, so that a list in it need not.
        var isScrolled: Bool {
            get { self[IsScrolledKey.self] }
            set { self[IsScrolledKey.self] = newValue }
        }
    }

    extension Color {
        fileprivate init(_ color: ComponentColor) {
            self.init(.sRGB, red: color.red, green: color.green, blue: color.blue, opacity: color.opacity)
        }
    }
#endif
