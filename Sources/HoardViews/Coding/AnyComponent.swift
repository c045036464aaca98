// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A component of any type, as a member of another one.
///
/// ```swift
/// struct Card: ServerDrivenComponent {
///     static let typeName = "shop:card"
///     var header: AnyComponent?
///     var children: [AnyComponent]
/// }
/// ```
///
/// Its type is named by the discriminator in JSON and looked up in the registry of the ``ComponentCoder`` that is at work. Other decoders and encoders can be used as well; they
/// get the defaults of ``ComponentCoder/init(registry:discriminator:actionDiscriminator:unknownTypes:maximumDepth:)``.
public struct AnyComponent: Sendable {
    /// The component itself.
    public var component: any ServerDrivenComponent

    /// Wraps a component.
    public init(_ component: any ServerDrivenComponent) {
        self.component = component
    }
}

extension AnyComponent: Codable {
    public init(from decoder: any Decoder) throws {
        let coding = ComponentCodingContext(userInfo: decoder.userInfo)
        let path = decoder.codingPath
        guard path.count < coding.maximumDepth else { throw ComponentCodingError.tooDeep(path: path, limit: coding.maximumDepth) }
        do {
            let container = try decoder.container(keyedBy: MemberName.self)
            guard let name = try container.decodeIfPresent(String.self, forKey: MemberName(coding.discriminator)) else {
                throw ComponentCodingError(
                    .typeMissing,
                    path: jsonPath(path),
                    "The object at \(jsonPath(path)) has no member \(coding.discriminator) that names the type of a component."
                )
            }
            if let type = coding.registry.type(named: name) {
                self.component = try type.init(from: decoder)
            } else if coding.unknownTypes == .placeholder {
                self.component = try UnknownComponent(name: name, from: decoder)
            } else {
                throw ComponentCodingError(
                    .unknownType,
                    path: jsonPath(path),
                    "No component is registered as \(visible(name, limit: 80)), which the object at \(jsonPath(path)) wants to be."
                )
            }
        } catch let error as ComponentCodingError {
            throw error
        } catch {
            throw ComponentCodingError(decoding: error, at: path)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        let coding = ComponentCodingContext(userInfo: encoder.userInfo)
        let path = encoder.codingPath
        guard path.count < coding.maximumDepth else { throw ComponentCodingError.tooDeep(path: path, limit: coding.maximumDepth) }
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(component.encodedTypeName, forKey: MemberName(coding.discriminator))
        try component.encode(to: encoder)
    }
}

extension ServerDrivenComponent {
    /// The name that goes into JSON: a placeholder's is the one that it stands for.
    var encodedTypeName: String { (self as? UnknownComponent)?.name ?? Self.typeName }
}
