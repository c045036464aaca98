// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The reason why content could not be decoded or encoded.
///
/// Compare ``code``; its set can grow without breaking code that matches on it. The description is
/// one sentence for a person.
package struct CodingError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// The coding is unknown, or this build does not have it.
        package static var unsupportedCoding: Self { Self(description: #function) }
        /// The content has more codings, one inside the other, than a decoder undoes.
        package static var tooManyCodings: Self { Self(description: #function) }
        /// The coding, or this build of it, has no dictionaries.
        package static var unsupportedDictionary: Self { Self(description: #function) }
        /// The data is damaged, or was never in this coding.
        package static var corrupt: Self { Self(description: #function) }
        /// The data ends before its end mark.
        package static var truncated: Self { Self(description: #function) }
        /// Something follows the end of the data.
        package static var trailingData: Self { Self(description: #function) }
        /// There is more decoded content than the limit allows.
        package static var tooLong: Self { Self(description: #function) }
        /// The content grows more by decoding than the limit allows.
        package static var tooDense: Self { Self(description: #function) }
        /// Decoding needs a window of more memory than is given to it.
        package static var windowTooLarge: Self { Self(description: #function) }
        /// There is no memory.
        package static var outOfMemory: Self { Self(description: #function) }
        /// The content has been finished already.
        package static var alreadyFinished: Self { Self(description: #function) }
        /// The receiver of the output wants no more of it.
        package static var receiverStopped: Self { Self(description: #function) }
    }

    package let code: Code
    /// One sentence a person can act on.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

extension CodingError {
    static func corrupt(_ format: String) -> Self {
        Self(.corrupt, "The \(format) data is damaged, or is not \(format) at all: fetch it again, or without a content coding.")
    }

    static func truncated(_ format: String) -> Self {
        Self(.truncated, "The \(format) data breaks off before its end: fetch it again.")
    }

    static func trailingData(_ format: String) -> Self {
        Self(.trailingData, "Something follows the end of the \(format) data: the sender's content coding is broken, fetch it without one.")
    }

    static func outOfMemory(_ format: String) -> Self {
        Self(.outOfMemory, "There is no memory for \(format): handle fewer messages at a time.")
    }

    static func unsupported(_ coding: ContentCoding, trait: String) -> Self {
        Self(.unsupportedCoding, "This build does not have the content coding \(coding): build it on Linux with the trait \(trait).")
    }
}
