// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The context that a ``ComponentCoder`` gives to the components that it decodes and encodes.
struct ComponentCodingContext: Sendable {
    var registry = ComponentRegistry.standard
    var discriminator = "_beagleComponent_"
    var actionDiscriminator = "_beagleAction_"
    var unknownTypes = ComponentCoder.UnknownTypes.placeholder
    var maximumDepth = 96
    /// The document that is being decoded, if it is known.
    var document: JSONDocument?

    static var key: CodingUserInfoKey? { CodingUserInfoKey(rawValue: "hoard.components") }

    init() {}

    init(userInfo: [CodingUserInfoKey: Any]) {
        self = Self.key.flatMap { userInfo[$0] as? Self } ?? Self()
    }
}
