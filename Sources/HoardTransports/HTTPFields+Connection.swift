// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP

extension HTTPFields {
    /// The fields of a request that are sent as they were given.
    ///
    /// The others are those of a connection, for the connections are the transport's own
    /// ([RFC 9110 §7.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1)), and those that it decides on for each request.
    var fieldsToSend: some Sequence<HTTPField> {
        removingHopByHopFields().lazy.filter { field in
            switch field.name.canonicalName {
            case "host", "content-length", "expect": false
            default: true
            }
        }
    }
}
