// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import HoardHTTP
internal import HoardProxy
internal import HoardTransports
internal import NIOCore

/// Asks the admin address of a proxy for its advice.
struct AdviceRequest {
    /// The reason why there is no advice.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let contentLimit = 4 << 20

    private let target: TargetURI

    /// - Returns: `nil` unless it is an http or https URL without a path.
    init?(_ url: String) {
        guard let target = TargetURI(URIReference(url)), target.path == "/", target.query == nil else { return nil }
        self.target = target
    }

    func document() async throws -> AdviceDocument {
        var configuration = NIOTransport.Configuration()
        configuration.responseTimeout = .seconds(60)
        let transport = try NIOTransport(configuration: configuration)
        let request = HTTPRequest(
            method: .get,
            scheme: target.scheme,
            authority: target.authority,
            path: "/api/advice",
            headerFields: [.userAgent: Version.userAgent]
        )
        do {
            let response = try await transport.send(request, body: .empty, onInterimResponse: nil)
            let content = try await response.body.collect(upTo: Self.contentLimit)
            await transport.shutdown()
            guard response.head.status == .ok else {
                throw Failure(description: "\(target) answers \(response.head.status.code); it should be the admin address of hoard proxy.")
            }
            let document = try JSONDecoder().decode(AdviceDocument.self, from: Data(content.readableBytesView))
            guard document.isPlausible else { throw otherAnswer }
            return document
        } catch let error as Failure {
            throw error
        } catch is DecodingError {
            throw otherAnswer
        } catch {
            await transport.shutdown()
            throw Failure(description: "\(target) cannot be asked: \((error as? TransportError)?.message ?? "\(error)")")
        }
    }

    private var otherAnswer: Failure {
        Failure(description: "\(target) answers with something else than advice; it should be the admin address of hoard proxy.")
    }
}
