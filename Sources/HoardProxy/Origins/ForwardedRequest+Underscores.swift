// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension ForwardedRequest {
    /// Takes out fields with an underscore in their names.
    ///
    /// Servers that hand fields on as CGI variables (RFC 3875 §4.1.18), such as those of WSGI, read `X_Forwarded_For` and `X-Forwarded-For` as one
    /// field. A client could use the one to state facts that it may not state in the other, and the answer would be
    /// stored for all clients.
    ///
    /// - Parameters:
    ///   - passesOthers: Whether only those are taken out that would be read as fields which proxies write, or which frame messages.
    ///   - ruled: Fields that rules set or take out: other spellings of their names are taken out.
    static func dropUnderscores(from request: inout HTTPRequest, passesOthers: Bool, ruled: [HTTPField.Name] = []) {
        func isDropped(_ field: HTTPField) -> Bool {
            let name = field.name.canonicalName
            if !ruled.isEmpty, !ruled.contains(field.name) {
                let hyphenated = name.replacing("_", with: "-")
                if ruled.contains(where: { $0.canonicalName.replacing("_", with: "-") == hyphenated }) { return true }
            }
            guard name.utf8.contains(UInt8(ascii: "_")) else { return false }
            return !passesOthers || isReserved(name.replacing("_", with: "-"))
        }
        guard request.headerFields.contains(where: isDropped) else { return }
        request.headerFields = HTTPFields(request.headerFields.filter { !isDropped($0) })
    }

    private static func isReserved(_ name: String) -> Bool {
        HTTPField.Name(name)?.isForwarding == true || name.hasPrefix("proxy-")
            || ["content-length", "transfer-encoding", "keep-alive", "x-real-ip", "content-encoding", "content-type", "content-range"].contains(name)
    }
}
