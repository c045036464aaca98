// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import HTTPTypes
    internal import HoardHTTP

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension URLRequest {
        /// The request as the session gets it, without its content.
        ///
        /// - Throws: ``TransportError`` if the session would send something else.
        init(_ request: HTTPRequest, to origin: Destination) throws(TransportError) {
            guard !origin.hasDotSegments, let url = URL(string: origin.encodedURL, encodingInvalidCharacters: false),
                url.absoluteString == origin.encodedURL
            else {
                throw TransportError(.invalidURL, "The path of the request to \(origin.name) cannot be sent as it is by URLSession.")
            }
            self.init(url: url)
            httpMethod = request.method.rawValue
            // Methods are case-sensitive (RFC 9110 §9.1), and Foundation writes some in capitals.
            guard httpMethod == request.method.rawValue else {
                throw TransportError(.invalidURL, "The method of the request to \(origin.name) cannot be sent as it is by URLSession.")
            }
            for (name, value) in request.headerFields.fieldsToSend.combined where name != .acceptEncoding {
                setValue(value, forHTTPHeaderField: name.rawName)
            }
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
    }

    extension Destination {
        /// The URL with those characters percent-encoded that people send and URLs have not: [RFC 3986 §2](https://www.rfc-editor.org/rfc/rfc3986#section-2).
        fileprivate var encodedURL: String {
            var encoded = "\(scheme)://\(authority)"
            for byte in target.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"),
                    UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"):
                    encoded += "%" + String(byte, radix: 16, uppercase: true)
                default: encoded.unicodeScalars.append(Unicode.Scalar(byte))
                }
            }
            return encoded
        }

        fileprivate var hasDotSegments: Bool {
            let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
            return path.split(separator: UInt8(ascii: "/")).contains { segment in
                let text = String(Substring(segment)).lowercased().replacing("%2e", with: ".")
                return text == "." || text == ".."
            }
        }
    }
#endif
