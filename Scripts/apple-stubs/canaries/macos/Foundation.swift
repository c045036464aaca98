// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

final class Delegate: NSObject, URLSessionDataDelegate, Sendable {  // refused: does not conform to protocol 'URLSession
    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: String) {}
}

enum Shared {
    static let name = NSObject()  // refused: not concurrency-safe
}

func refused(_ configuration: URLSessionConfiguration) {
    configuration.tlsMinimumSupportedProtocolVersion = .tls12  // refused: has no member 'tls12'
    configuration.waitsForConnectivity = nil  // refused: 'nil' cannot be assigned
    let code: String = "e\u{301}".precomposedStringWithCanonicalMapping ?? ""  // refused: left side of nil coalescing operator
    _ = CLOCK_MONOTONIC_COARSE  // refused: cannot find 'CLOCK_MONOTONIC_COARSE'
}

func refusedFiles(_ url: URL) throws {
    var values = URLResourceValues()
    values.isExcludedFromBackup = "yes"  // refused: cannot assign value of type 'String'
    try url.setResourceValues(values)  // refused: cannot use mutating member on immutable value
}

final class Loader: URLProtocol {
    override class func canInit(with request: URL) -> Bool { true }  // refused: does not override
}

func refusedLoads(_ loader: Loader, _ client: any URLProtocolClient) {
    client.urlProtocol(loader, didLoad: "text")  // refused: cannot convert value of type 'String'
    loader.client = client  // refused: get-only property
    ProcessInfo.processInfo.performExpiringActivity(withReason: "") { _ in }  // refused: has no member 'performExpiringActivity'
}
