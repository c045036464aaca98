// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Shows an image.
public struct ImageComponent: ServerDrivenComponent, Hashable {
    public static let typeName = "beagle:image"

    /// How an image fills its place.
    public struct Mode: RawRepresentable, Hashable, Codable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Fills the place, whatever becomes of the proportions.
        public static let fitXY = Self(rawValue: "FIT_XY")
        /// As large as fits, in the middle.
        public static let fitCenter = Self(rawValue: "FIT_CENTER")
        /// Fills the place, and is cut at the edges.
        public static let centerCrop = Self(rawValue: "CENTER_CROP")
        /// In its own size, in the middle.
        public static let center = Self(rawValue: "CENTER")
    }

    /// Where the image is.
    public var path: ImagePath
    /// How the image fills its place. `nil`: as the app has it.
    public var mode: Mode?
    /// A name by which the app finds the component.
    public var id: String?
    /// A style that the server describes.
    public var style: JSONValue?

    /// Creates an image.
    public init(_ path: ImagePath, mode: Mode? = nil, id: String? = nil, style: JSONValue? = nil) {
        self.path = path
        self.mode = mode
        self.id = id
        self.style = style
    }

    public var subcomponents: [any ServerDrivenComponent] { [] }
    public var actions: [ComponentAction] { [] }
}

/// Where an image comes from: a URL, or the name of an image of the app.
public struct ImagePath: Hashable, Sendable {
    /// The URL of an image that is fetched.
    public var url: String?
    /// The name of an image of the app. With a URL: the image that is shown until that has come.
    public var mobileId: String?

    /// An image that is fetched.
    public static func remote(_ url: String, placeholder: String? = nil) -> Self { Self(url: url, mobileId: placeholder) }
    /// An image of the app.
    public static func local(_ mobileId: String) -> Self { Self(mobileId: mobileId) }
}

extension ImagePath: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind = "_beagleImagePath_"
        case url, mobileId, placeholder
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .kind) {
        case "remote":
            let placeholder = try container.decodeIfPresent(ImagePath.self, forKey: .placeholder)
            self = .remote(try container.decode(String.self, forKey: .url), placeholder: placeholder?.mobileId)
        case "local":
            self = .local(try container.decode(String.self, forKey: .mobileId))
        default:
            throw DecodingError.dataCorruptedError(forKey: .kind, in: container, debugDescription: "It is neither remote nor local.")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let url {
            try container.encode("remote", forKey: .kind)
            try container.encode(url, forKey: .url)
            try container.encodeIfPresent(mobileId.map(ImagePath.local), forKey: .placeholder)
        } else {
            try container.encode("local", forKey: .kind)
            try container.encode(mobileId ?? "", forKey: .mobileId)
        }
    }
}
