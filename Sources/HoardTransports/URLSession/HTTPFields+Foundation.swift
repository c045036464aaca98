// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import HTTPTypes

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension Sequence<HTTPField> {
        /// One value for each name, in the order in which the names come first: [RFC 9110 §5.3](https://www.rfc-editor.org/rfc/rfc9110#section-5.3).
        var combined: [(name: HTTPField.Name, value: String)] {
            reduce(into: []) { values, field in
                if let index = values.firstIndex(where: { $0.name == field.name }) {
                    // A cookie is a list of its own kind: RFC 6265 §5.4.
                    values[index].value += (field.name == .cookie ? "; " : ", ") + field.value
                } else {
                    values.append((field.name, field.value))
                }
            }
        }
    }

    extension HTTPFields {
        /// The fields as Foundation has them.
        var dictionary: [String: String] {
            Dictionary(uniqueKeysWithValues: combined.map { ($0.name.rawName, $0.value) })
        }
    }

    extension HTTPURLResponse {
        /// The head of a response as a session shows it.
        convenience init?(_ head: HTTPResponse, url: URL) {
            self.init(url: url, statusCode: head.status.code, httpVersion: "HTTP/1.1", headerFields: head.headerFields.dictionary)
        }
    }
#endif
