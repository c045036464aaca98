// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A screen as it was decoded.
struct DecodedScreen: Sendable {
    /// The bytes that it was decoded from. They identify its state.
    let content: Data
    let component: any ServerDrivenComponent

    /// Bytes, roughly: a decoded number takes sixteen times the two bytes that it has in an array.
    var weight: Int { content.count * 16 + 256 }
}

/// A request for a screen, ready to be sent.
struct ViewPlan: Sendable {
    let head: HTTPRequest
    let target: TargetURI
    let body: Data?
    /// In its normal form.
    let url: String
    let key: ViewKey
    /// Whether the server is asked whatever is kept.
    let confirms: Bool
    /// Whether the request forbids keeping its answer: [RFC 9111 §5.2.1.5](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1.5).
    let forbidsStoring: Bool

    /// Whether its answer may serve other requests like it.
    var isRepeatable: Bool { head.method == .get && body == nil && !forbidsStoring }

    var content: HTTPBody { body.map { HTTPBody(ByteBuffer(bytes: $0)) } ?? .empty }
}

extension ViewClient {
    /// Calls the URL builder.
    ///
    /// - Throws: ``ViewError`` with the code `urlBuilder`.
    func plan(for request: ViewRequest) throws(ViewError) -> ViewPlan {
        guard let url = dependencies.urlBuilder.build(path: request.path), let target = TargetURI(URIReference(url.absoluteString)) else {
            throw ViewError(.urlBuilder, "The path gives no URL that may be asked for.")
        }
        let data = request.additionalData ?? HTTPAdditionalData()
        var head = HTTPRequest(method: data.method, scheme: nil, authority: nil, path: nil, headerFields: data.headers)
        head.setTarget(target)
        let body = data.body.flatMap { $0.isEmpty ? nil : $0 }
        let partition = partition(of: request).flatMap { $0.isEmpty ? nil : $0 }
        let address = target.description
        let key = ViewKey(
            address: data.headers.isEmpty ? address : "\(address) \(data.headers.digest)",
            partition: partition,
            isSensitive: request.isSensitive
        )
        let directives = CacheControl(request: data.headers)
        return ViewPlan(
            head: head,
            target: target,
            body: body,
            url: address,
            key: key,
            confirms: request.revalidates || directives.noCache != nil || directives.maxAge == 0,
            forbidsStoring: directives.noStore
        )
    }

    /// The partition that counts for a request. An empty name stands for none; `nil`: nobody has named one.
    package func partition(of request: ViewRequest) -> String? {
        request.partition ?? configuration.partition ?? dependencies.client?.cache.configuration.partition
    }
}
