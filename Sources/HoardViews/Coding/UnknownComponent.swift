// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Stands for a component whose type is not registered. It keeps everything that the server sent of it, and encodes it again.
///
/// Its content is not decoded: ``subcomponents`` are placeholders too, also for types that are registered, and ``actions`` are found wherever an object
/// has their discriminator.
public struct UnknownComponent: ServerDrivenComponent {
    /// The name of the placeholder itself. Nothing is encoded under it.
    public static let typeName = "hoard:unknown"

    /// The name of the type that is not registered, as the server writes it.
    public let name: String
    /// All other members.
    public let members: [String: JSONValue]
    private let discriminator: String
    private let actionDiscriminator: String

    private init(name: String, members: [String: JSONValue], discriminator: String, actionDiscriminator: String) {
        self.name = name
        self.members = members
        self.discriminator = discriminator
        self.actionDiscriminator = actionDiscriminator
    }

    init(name: String, from decoder: any Decoder) throws {
        let coding = ComponentCodingContext(userInfo: decoder.userInfo)
        var members = try JSONValue.members(of: decoder)
        members[coding.discriminator] = nil
        self.init(name: name, members: members, discriminator: coding.discriminator, actionDiscriminator: coding.actionDiscriminator)
    }

    public init(from decoder: any Decoder) throws {
        let discriminator = ComponentCodingContext(userInfo: decoder.userInfo).discriminator
        let name = try decoder.container(keyedBy: MemberName.self).decode(String.self, forKey: MemberName(discriminator))
        try self.init(name: name, from: decoder)
    }

    /// Writes the members; the encoder of the component writes the name.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.encode(members, to: encoder)
    }

    public var subcomponents: [any ServerDrivenComponent] {
        found { value -> Finding<any ServerDrivenComponent> in
            guard case .object(var members) = value else { return .lookInside }
            if let name = members.removeValue(forKey: discriminator)?.string {
                let component = UnknownComponent(
                    name: name,
                    members: members,
                    discriminator: discriminator,
                    actionDiscriminator: actionDiscriminator
                )
                return .this(component)
            }
            return members[actionDiscriminator]?.string == nil ? .lookInside : .passBy
        }
    }

    public var actions: [ComponentAction] {
        found { value -> Finding<ComponentAction> in
            guard case .object(let members) = value else { return .lookInside }
            if members[discriminator]?.string != nil { return .passBy }
            return ComponentAction(members, discriminator: actionDiscriminator).map { .this($0) } ?? .lookInside
        }
    }
}

extension UnknownComponent {
    /// The members that neither are components and actions nor arrays of them.
    var plainMembers: [(name: String, value: JSONValue)] {
        func isPlain(_ value: JSONValue) -> Bool {
            if case .array(let elements) = value { return elements.isEmpty || !elements.allSatisfy { !isPlain($0) } }
            return value[discriminator]?.string == nil && value[actionDiscriminator]?.string == nil
        }
        return members.filter { isPlain($0.value) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private enum Finding<Sought> {
        case this(Sought), lookInside, passBy
    }

    /// Returns the values sought in the members, in the order of their names. Does not look into a value that it has found. O(JSON values).
    private func found<Sought>(_ look: (JSONValue) -> Finding<Sought>) -> [Sought] {
        var all: [Sought] = []
        func visit(_ value: JSONValue) {
            switch look(value) {
            case .this(let sought): all.append(sought)
            case .passBy: break
            case .lookInside:
                if case .array(let elements) = value { elements.forEach(visit) }
                if case .object(let members) = value { members.sorted { $0.key < $1.key }.forEach { visit($0.value) } }
            }
        }
        for (_, value) in members.sorted(by: { $0.key < $1.key }) { visit(value) }
        return all
    }
}
