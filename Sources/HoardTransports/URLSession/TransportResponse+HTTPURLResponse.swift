// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import HTTPTypes
    internal import HoardHTTP

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension TransportResponse {
        /// The session's response in this package's types.
        init(_ response: HTTPURLResponse, to request: HTTPRequest, origin: Destination, exchange: SessionExchange) throws(TransportError) {
            guard (200...599).contains(response.statusCode), var fields = HTTPFields(response.allHeaderFields) else {
                exchange.abandon()
                throw TransportError(.invalidResponse, at: origin)
            }
            if fields.haveDecodedContent {
                guard response.statusCode != 206 else {
                    exchange.abandon()
                    throw TransportError(.invalidResponse, "\(origin.name) sent a part of encoded content, which URLSession decodes.")
                }
                fields.describeDecodedContent()
            }
            let head = HTTPResponse(status: .init(code: response.statusCode), headerFields: fields)
            let length = fields.contentLength
            guard request.method != .head, head.status.code != 304, head.status.code != 204, length != 0 else {
                self.init(head: head, body: .empty)
                return
            }
            let breakOff = TransportError(.connectionClosed, at: origin)
            self.init(head: head, body: HTTPBody(SessionBody(exchange, length: length, breakOff: breakOff), length: length))
        }
    }

    extension HTTPFields {
        /// The fields of a response, in the order of their names, since the session has forgotten the origin's. `nil` if a name is not one of HTTP's.
        fileprivate init?(_ fields: [AnyHashable: Any]) {
            var named: [HTTPField] = []
            for (name, value) in fields {
                guard let text = name as? String, let name = HTTPField.Name(text), let value = value as? String else { return nil }
                let values = name == .setCookie ? SetCookieList.members(of: value) : [value]
                for value in values {
                    guard HTTPField.isValidValue(value) else { return nil }
                    named.append(HTTPField(name: name, value: value))
                }
            }
            self.init(
                named.enumerated().sorted { ($0.element.name.canonicalName, $0.offset) < ($1.element.name.canonicalName, $1.offset) }.map(\.element)
            )
        }

        /// Whether the session has decoded the content, or would have if there were any.
        fileprivate var haveDecodedContent: Bool {
            let codings = self[values: .contentEncoding].flatMap { $0.split(separator: ",") }
                .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }.filter { $0 != "identity" }
            return !codings.isEmpty && codings.allSatisfy { Self.decodedCodings.contains($0) }
        }

        private static var decodedCodings: Set<String> {
            #if canImport(FoundationNetworking)
                ["gzip", "x-gzip", "deflate", "br", "zstd"]
            #else
                ["gzip", "x-gzip", "deflate", "br"]
            #endif
        }

        /// Drops the fields that describe the bytes that were sent:
        /// [RFC 9110 §8](https://www.rfc-editor.org/rfc/rfc9110#section-8),
        /// [RFC 9530 §2](https://www.rfc-editor.org/rfc/rfc9530#section-2).
        fileprivate mutating func describeDecodedContent() {
            self = removingFieldsOfCodedContent()
        }
    }

    /// Several `Set-Cookie` fields that the session has put into one: [RFC 9110 §5.3](https://www.rfc-editor.org/rfc/rfc9110#section-5.3) says why that
    /// is no list.
    enum SetCookieList {
        /// The cookies. A comma is between two of them if a name and an equals sign come next; the comma of a date has a day behind it.
        static func members(of value: String) -> [String] {
            var members: [String] = []
            var current: [Substring] = []
            for piece in value.split(separator: ",", omittingEmptySubsequences: false) {
                if !current.isEmpty, !beginsCookie(piece) {
                    current.append(piece)
                } else {
                    if !current.isEmpty { members.append(current.joined(separator: ",").trimmingCharacters(in: .whitespaces)) }
                    current = [piece]
                }
            }
            members.append(current.joined(separator: ",").trimmingCharacters(in: .whitespaces))
            return members
        }

        private static func beginsCookie(_ piece: Substring) -> Bool {
            let text = piece.trimmingCharacters(in: .whitespaces)
            guard let equals = text.firstIndex(of: "=") else { return false }
            return HTTPField.Name(String(text[..<equals])) != nil
        }
    }
#endif
