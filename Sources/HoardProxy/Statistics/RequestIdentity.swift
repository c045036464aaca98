// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardNIO
internal import NIOCore

/// The URL of a request, as a hash, found without making a string.
struct RequestIdentity: Sendable, Hashable {
    let hash: UInt64
    /// `HEAD` if not, `GET` if so.
    let isGet: Bool

    /// - Parameter distinguishesHosts: Whether the same target on two hosts is two URLs.
    /// - Returns: `nil` for methods that no cache answers, and where there was no valid request.
    init?(_ request: ExchangeReport.Request, hasher: TargetHasher, distinguishesHosts: Bool) {
        switch request {
        case .bytes(let buffer):
            let identity = buffer.withUnsafeReadableBytes { Self(bytes: $0, hasher: hasher, distinguishesHosts: distinguishesHosts) }
            guard let identity else { return nil }
            self = identity
        case .head(let head):
            let isGet = head.method == .get
            guard isGet || head.method == .head, let path = head.path else { return nil }
            let host = distinguishesHosts ? head.authority ?? "" : nil
            self.init(hash: path.withBytes { path in host?.withBytes { hasher(target: path, host: $0) } ?? hasher(target: path) }, isGet: isGet)
        case .invalid:
            return nil
        }
    }

    private init(hash: UInt64, isGet: Bool) {
        self.hash = hash
        self.isGet = isGet
    }

    private init?(bytes: UnsafeRawBufferPointer, hasher: TargetHasher, distinguishesHosts: Bool) {
        guard let scan = RequestHeadScan(bytes) else { return nil }
        let isGet = scan[scan.method].elementsEqual("GET".utf8)
        guard isGet || scan[scan.method].elementsEqual("HEAD".utf8) else { return nil }
        let (host, target) = Self.parts(of: scan, withHost: distinguishesHosts)
        self.init(hash: host.map { hasher(target: target, host: $0) } ?? hasher(target: target), isGet: isGet)
    }

    /// Host and path of the target: [RFC 9112 §3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2). An absolute target's host counts, and not the field.
    private static func parts(of scan: RequestHeadScan, withHost: Bool) -> (host: UnsafeRawBufferPointer?, target: UnsafeRawBufferPointer) {
        let target = scan[scan.target]
        if target.first != UInt8(ascii: "/"), let colon = target.firstIndex(of: UInt8(ascii: ":")),
            target[colon...].prefix(3).elementsEqual("://".utf8)
        {
            let hostStart = colon + 3
            let pathStart = target[hostStart...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? target.endIndex
            return (
                withHost ? UnsafeRawBufferPointer(rebasing: target[hostStart..<pathStart]) : nil,
                UnsafeRawBufferPointer(rebasing: target[pathStart...])
            )
        }
        return (withHost ? scan.host.map { scan[$0] } ?? UnsafeRawBufferPointer(start: nil, count: 0) : nil, target)
    }

    // MARK: Strings, for the few that are shown

    /// Longer targets are cut.
    static let maximumTargetByteCount = 2_048

    /// How to write the URL of a request: `http://host/path`, or the target alone if hosts do not matter or none is known.
    static func uri(of report: ExchangeReport, distinguishesHosts: Bool) -> String {
        switch report.request {
        case .bytes(let buffer):
            buffer.withUnsafeReadableBytes { bytes in
                guard let scan = RequestHeadScan(bytes) else { return "" }
                let (host, target) = parts(of: scan, withHost: distinguishesHosts)
                return uri(host: host, target: target, isSecure: report.isSecure)
            }
        case .head(let head):
            (head.path ?? "").withBytes { path in
                (head.authority ?? "").withBytes { uri(host: distinguishesHosts ? $0 : nil, target: path, isSecure: report.isSecure) }
            }
        case .invalid:
            ""
        }
    }

    private static func uri(host: UnsafeRawBufferPointer?, target: UnsafeRawBufferPointer, isSecure: Bool) -> String {
        var uri = ""
        if let host, !host.isEmpty {
            uri = isSecure ? "https://" : "http://"
            uri += String(decoding: host.prefix(255), as: UTF8.self).lowercased()
        }
        uri += String(decoding: target.prefix(maximumTargetByteCount), as: UTF8.self)
        if target.count > maximumTargetByteCount { uri += "…" }
        return uri
    }
}

extension String {
    /// The bytes of UTF-8, without a copy where they lie together.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(utf8).withUnsafeBytes { body($0) }
    }
}
