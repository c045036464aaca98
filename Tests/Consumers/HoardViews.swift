// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Views
// packages: swift-asn1 swift-atomics swift-collections swift-crypto swift-http-structured-headers swift-http-types swift-log swift-nio swift-system

import Foundation
import HoardViews

let dependencies = ViewClient.Dependencies(urlBuilder: URLBuilder(baseURL: URL(string: "http://example.com/")), client: nil)
let views = ViewClient(dependencies: dependencies)
do {
    _ = try await views.fetch("/home")
    preconditionFailure("There is no client.")
} catch {
    print(error)
}
