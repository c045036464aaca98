// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

/// The reason why there is no image.
///
/// ```swift
/// do {
///     let photo = try await images.image(for: url, options: .init(maximumPixelSize: 200))
/// } catch {
///     if error.code == .network { show(placeholder) }
/// }
/// ```
public struct ImageError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The bytes are no image of a kind that is known.
        public static var notAnImage: Self { Self(description: #function) }
        /// The bytes are an image, but of a kind that cannot be decoded here.
        public static var unsupported: Self { Self(description: #function) }
        /// The image is beyond one of the ``ImageLimits``.
        public static var tooLarge: Self { Self(description: #function) }
        /// The image ends early or contradicts itself.
        public static var damaged: Self { Self(description: #function) }
        /// Hoard was built without its decoder: the package trait `Images` is off.
        public static var decoderNotAvailable: Self { Self(description: #function) }
        /// A URL was asked for, and the cache has no client.
        public static var clientNotConfigured: Self { Self(description: #function) }
        /// The original could not be had: ``ImageError/clientError`` says why, or its transfer broke off.
        public static var network: Self { Self(description: #function) }
        /// The server answered with something else than an image: ``ImageError/status``.
        public static var unacceptableStatus: Self { Self(description: #function) }
        /// The key, with the name of its partition, is longer than stores accept.
        public static var keyTooLong: Self { Self(description: #function) }
        /// The caller's task was cancelled.
        public static var cancelled: Self { Self(description: #function) }
        /// Anything no other code names, such as a lack of memory.
        public static var failed: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on. Holds no key, no path and nothing of the image.
    public let message: String
    /// The reason why the client could not get the original, if it said so.
    public let clientError: ClientError?
    /// The status of the response, if that was the reason.
    public let status: Int?
    /// The error that the layer below reported, if it is neither of these.
    public let underlyingError: (any Error)?

    package init(_ code: Code, _ message: String, clientError: ClientError? = nil, status: Int? = nil, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.clientError = clientError
        self.status = status
        self.underlyingError = underlyingError
    }

    public var description: String { message }
}

extension ImageError {
    static let notAnImage = ImageError(.notAnImage, "The bytes are not an image of a kind that is known.")
    static let damaged = ImageError(.damaged, "The image ends early or contradicts itself.")
    static let cancelled = ImageError(.cancelled, "The task that asked for the image was cancelled.")

    static func tooManyBytes(limit: Int) -> ImageError {
        ImageError(.tooLarge, "The image has more than the \(limit) bytes allowed.")
    }

    static func tooManyPixels(limit: Int) -> ImageError {
        ImageError(.tooLarge, "The image has more than the \(limit) pixels allowed.")
    }

    static func tooManyFrames(limit: Int) -> ImageError {
        ImageError(.tooLarge, "The animation has more than the \(limit) frames allowed.")
    }

    static func tooMuchMemory(limit: Int) -> ImageError {
        ImageError(.tooLarge, "Decoding the image would take more than the \(limit) bytes allowed; ask for it with a smaller maximumPixelSize.")
    }
}
