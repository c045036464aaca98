// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardViews
import Synchronization

enum Samples {
    /// A screen with every component that Hoard has.
    static var screen: ScreenComponent {
        ScreenComponent(
            navigationBar: NavigationBar(
                "Shop",
                styleId: "bar",
                showBackButton: true,
                items: [NavigationBarItem("Cart", image: .local("cart"), action: .pushView(.init("/cart")), id: "toCart")]
            ),
            child: ContainerComponent(
                [
                    TextComponent("Welcome", styleId: "title", alignment: .center),
                    ImageComponent(.remote("/logo.png", placeholder: "logo"), mode: .fitCenter),
                    ListViewComponent(
                        [
                            ButtonComponent("First", onPress: [.pushView(.init("/products/1", shouldPrefetch: true))]),
                            ButtonComponent(
                                "Second",
                                onPress: [.pushView(.init("/products/2")), .openExternalURL("https://example.com/")],
                                enabled: false
                            ),
                        ],
                        direction: .vertical,
                        onScrollEnd: [ComponentAction(name: "shop:more", members: ["page": .integer(2)])]
                    ),
                ],
                id: "main",
                style: .object(["padding": .decimal(1.5)]),
                onInit: [.pushView(.init("/offers"))]
            ),
            id: "home"
        )
    }
}

struct Rating: ServerDrivenComponent {
    static let typeName = "shop:rating"
    var stars: Int
}

/// Holds other components in the ways that the default of `subcomponents` knows.
struct Card: ServerDrivenComponent {
    static let typeName = "shop:card"
    var header: AnyComponent?
    var children: [AnyComponent]
    var onTap: ComponentAction?
    var onHold: [ComponentAction]?

    init(header: AnyComponent? = nil, children: [AnyComponent] = [], onTap: ComponentAction? = nil, onHold: [ComponentAction]? = nil) {
        self.header = header
        self.children = children
        self.onTap = onTap
        self.onHold = onHold
    }
}

struct Dated: ServerDrivenComponent {
    static let typeName = "test:dated"
    var date: Date
}

struct Weighed: ServerDrivenComponent {
    static let typeName = "test:weighed"
    var weight: Double
}

/// Counts how often components of a group are decoded.
struct Counted: ServerDrivenComponent {
    static let typeName = "test:counted"
    static let decoded = Mutex<[String: Int]>([:])

    var group: String
    var children: [AnyComponent]

    private enum CodingKeys: String, CodingKey { case group, children }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        group = try container.decode(String.self, forKey: .group)
        children = try container.decode([AnyComponent].self, forKey: .children)
        let group = group
        Self.decoded.withLock { $0[group, default: 0] += 1 }
    }
}

/// Refuses to be decoded, in its own words.
struct Refusing: ServerDrivenComponent {
    static let typeName = "test:refusing"
    struct Refusal: Error {}

    init(from decoder: any Decoder) throws { throw Refusal() }
    func encode(to encoder: any Encoder) throws { throw Refusal() }
}
