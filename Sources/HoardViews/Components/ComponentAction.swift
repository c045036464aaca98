// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An action that follows a touch: another screen opens, or a page outside the app.
///
/// In JSON an action is an object whose discriminator (`_beagleAction_`) names its type. Actions that Hoard does not know keep their members.
///
/// ```swift
/// ButtonComponent("To the cart", onPress: [.pushView(.init("/cart", shouldPrefetch: true))])
/// ```
public struct ComponentAction: Hashable, Sendable {
    /// The name of its type, such as `beagle:pushView`.
    public let name: String
    /// All other members.
    public let members: [String: JSONValue]

    /// Creates an action of a name, with its members as JSON.
    public init(name: String, members: [String: JSONValue] = [:]) {
        self.name = name
        self.members = members
    }

    /// Opens another screen on top of this one.
    public static func pushView(_ route: ComponentRoute) -> Self {
        let members: [String: JSONValue] = ["url": .string(route.url), "shouldPrefetch": .bool(route.shouldPrefetch)]
        return Self(name: "beagle:pushView", members: ["route": .object(members)])
    }

    /// Goes back to the screen before.
    public static var popView: Self { Self(name: "beagle:popView") }

    /// Opens a page outside the app.
    public static func openExternalURL(_ url: String) -> Self {
        Self(name: "beagle:openExternalURL", members: ["url": .string(url)])
    }

    /// The screen that the action opens; `nil` if it opens none, or one that the server has not made a URL for.
    public var route: ComponentRoute? {
        guard let route = members["route"], let url = route["url"]?.string else { return nil }
        return ComponentRoute(url, shouldPrefetch: route["shouldPrefetch"] == .bool(true))
    }

    /// The page outside the app that the action opens.
    public var externalURL: String? {
        name.lowercased() == "beagle:openexternalurl" ? members["url"]?.string : nil
    }
}

extension ComponentAction: Codable {
    /// An object that has the discriminator; `nil` for others.
    init?(_ members: [String: JSONValue], discriminator: String) {
        guard let name = members[discriminator]?.string else { return nil }
        var members = members
        members[discriminator] = nil
        self.init(name: name, members: members)
    }

    public init(from decoder: any Decoder) throws {
        let coding = ComponentCodingContext(userInfo: decoder.userInfo)
        let path = jsonPath(decoder.codingPath)
        let members = try JSONValue.members(of: decoder)
        guard let action = ComponentAction(members, discriminator: coding.actionDiscriminator) else {
            let message = "The object at \(path) has no member \(coding.actionDiscriminator) that names the type of an action."
            throw ComponentCodingError(.typeMissing, path: path, message)
        }
        if let url = members["route"]?["url"], url.string == nil {
            throw ComponentCodingError(.invalidValue, path: path + ".route.url", "\(path).route.url has the wrong type; String is needed.")
        }
        self = action
    }

    public func encode(to encoder: any Encoder) throws {
        try JSONValue.encode(members, to: encoder)
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(name, forKey: MemberName(ComponentCodingContext(userInfo: encoder.userInfo).actionDiscriminator))
    }
}
