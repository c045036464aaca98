// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import HTTPTypes
    internal import HoardWire
    internal import NIOHTTP1

    extension HTTPClientRequest {
        /// The request as the client sends it, without its content.
        init(_ request: HTTPRequest, to origin: Destination) {
            self.init(url: origin.url)
            method = HTTPMethod(request.method)
            // Given here it is sent as it is; the client's own would leave out a default port.
            headers.add(name: "Host", value: origin.authority)
            for field in request.headerFields.fieldsToSend {
                headers.add(name: field.name.rawName, value: field.value)
            }
        }
    }
#endif
