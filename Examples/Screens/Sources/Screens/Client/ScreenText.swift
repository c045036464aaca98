// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardViews

/// A screen as a terminal shows it, and where its numbered buttons lead.
///
///     The tea shop
///     [1] Profile
///     Tea, and what one needs for it.
///     [2] All we have
struct ScreenText: Sendable {
    private(set) var lines: [String] = []
    /// The paths to which button 1, 2 and so on lead.
    private(set) var links: [String] = []

    init(_ component: any ServerDrivenComponent) {
        append(component)
    }

    private mutating func append(_ component: any ServerDrivenComponent) {
        switch component {
        case let screen as ScreenComponent:
            if let bar = screen.navigationBar {
                append(bar.title)
                for item in bar.navigationBarItems ?? [] { append(item.text, [item.action]) }
            }
            append(screen.child.component)
        case let text as TextComponent: append(text.text)
        case let button as ButtonComponent: append(button.text, button.onPress ?? [])
        case let price as PriceComponent: append(price.text)
        case let unknown as UnknownComponent: append("(\(unknown.name): this version of the app cannot show it)")
        default: for part in component.subcomponents { append(part) }
        }
    }

    private mutating func append(_ text: String, _ actions: [ComponentAction]) {
        guard let route = actions.lazy.compactMap(\.route).first else { return append(text) }
        links.append(route.url)
        append("[\(links.count)] \(text)")
    }

    /// The server's text must not drive the terminal.
    private mutating func append(_ text: String) {
        lines.append(text.withoutControls)
    }
}

extension String {
    /// The text with a space for each character that could drive a terminal.
    var withoutControls: String {
        String(unicodeScalars.map { [.control, .format].contains($0.properties.generalCategory) ? " " : Character($0) })
    }
}
