// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: Foundation as Linux has it, name by name, and the rest that Hoard uses. The script reads
// the sources' `import Foundation` as the import of this module.
//
// The names are listed because the whole of Linux's Foundation would bring the whole of Glibc with it, as the whole of Apple's brings Darwin.

@_exported public import AppleDispatch
@_exported public import Darwin
@_exported public import FoundationEssentials
@_exported public import FoundationInternationalization
@_exported public import ObjectiveC
@_exported public import Security

@_exported public import class Foundation.Bundle
@_exported public import class Foundation.FileHandle
@_exported public import class Foundation.InputStream
@_exported public import class Foundation.NSCache
@_exported public import class Foundation.NSCoder
@_exported public import class Foundation.NSData
@_exported public import class Foundation.NSDictionary
@_exported public import class Foundation.NSError
@_exported public import func Foundation.NSHomeDirectory
@_exported public import let Foundation.NSLocalizedDescriptionKey
@_exported public import class Foundation.NSMutableData
@_exported public import class Foundation.NSNumber
@_exported public import class Foundation.NSObject
@_exported public import protocol Foundation.NSObjectProtocol
@_exported public import class Foundation.NSString
@_exported public import let Foundation.NSURLErrorFailingURLErrorKey
@_exported public import let Foundation.NSUnderlyingErrorKey
@_exported public import struct Foundation.Notification
@_exported public import class Foundation.OperationQueue
@_exported public import class Foundation.Pipe
@_exported public import struct Foundation.URLError
@_exported public import class FoundationNetworking.CachedURLResponse
@_exported public import class FoundationNetworking.HTTPCookie
@_exported public import class FoundationNetworking.HTTPCookieStorage
@_exported public import class FoundationNetworking.HTTPURLResponse
@_exported public import let FoundationNetworking.NSURLAuthenticationMethodHTTPBasic
@_exported public import class FoundationNetworking.NSURLRequest
@_exported public import class FoundationNetworking.URLAuthenticationChallenge
@_exported public import protocol FoundationNetworking.URLAuthenticationChallengeSender
@_exported public import class FoundationNetworking.URLCache
@_exported public import class FoundationNetworking.URLCredential
@_exported public import class FoundationNetworking.URLCredentialStorage
@_exported public import class FoundationNetworking.URLProtectionSpace
@_exported public import struct FoundationNetworking.URLRequest
@_exported public import class FoundationNetworking.URLResponse

// On macOS alone: https://developer.apple.com/documentation/foundation/process, https://developer.apple.com/documentation/foundation/pipe
#if os(macOS)
    @_exported public import class Foundation.Process
#endif

// Core Foundation's types, which are bridged to these without a cost: https://developer.apple.com/library/archive/documentation/CoreFoundation/Conceptual/CFDesignConcepts/Articles/tollFreeBridgedTypes.html
public typealias CFData = NSData
public typealias CFMutableData = NSMutableData
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary

// https://developer.apple.com/documentation/foundation/nsstring/decomposedstringwithcanonicalmapping and the next
extension StringProtocol {
    public var decomposedStringWithCanonicalMapping: String { fatalError() }
    public var precomposedStringWithCanonicalMapping: String { fatalError() }
}

// https://developer.apple.com/documentation/foundation/urlsessionconfiguration
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    public class var `default`: URLSessionConfiguration { fatalError() }
    public class var ephemeral: URLSessionConfiguration { fatalError() }
    open var protocolClasses: [AnyClass]?
    open var requestCachePolicy: NSURLRequest.CachePolicy
    open var timeoutIntervalForRequest: TimeInterval
    open var waitsForConnectivity: Bool
    open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t
    open var httpShouldSetCookies: Bool
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy
    open var httpMaximumConnectionsPerHost: Int
    open var httpCookieStorage: HTTPCookieStorage?
    open var urlCredentialStorage: URLCredentialStorage?
    open var urlCache: URLCache?
    private override init() { fatalError() }
}

// https://developer.apple.com/documentation/foundation/urlsession
open class URLSession: NSObject, @unchecked Sendable {
    public init(configuration: URLSessionConfiguration) { fatalError() }
    public init(configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?) { fatalError() }
    open func finishTasksAndInvalidate() { fatalError() }
    open func invalidateAndCancel() { fatalError() }
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }

    // https://developer.apple.com/documentation/foundation/urlsession/authchallengedisposition
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential
        case performDefaultHandling
        case cancelAuthenticationChallenge
        case rejectProtectionSpace
    }

    // https://developer.apple.com/documentation/foundation/urlsession/responsedisposition
    public enum ResponseDisposition: Int, Sendable {
        case cancel
        case allow
        case becomeDownload
        case becomeStream
    }
}

// https://developer.apple.com/documentation/foundation/urlsessiontask
open class URLSessionTask: NSObject, @unchecked Sendable {
    open var taskIdentifier: Int { fatalError() }
    open func cancel() { fatalError() }
    open func suspend() { fatalError() }
    open func resume() { fatalError() }
}

// https://developer.apple.com/documentation/foundation/urlsessiondatatask
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

// https://developer.apple.com/documentation/foundation/urlprotocol
open class URLProtocol: NSObject {
    public init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) { fatalError() }
    public convenience init(task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) { fatalError() }
    open var client: (any URLProtocolClient)? { fatalError() }
    open var request: URLRequest { fatalError() }
    open var cachedResponse: CachedURLResponse? { fatalError() }
    open var task: URLSessionTask? { fatalError() }
    open class func canInit(with request: URLRequest) -> Bool { fatalError() }
    open class func canInit(with task: URLSessionTask) -> Bool { fatalError() }
    open class func canonicalRequest(for request: URLRequest) -> URLRequest { fatalError() }
    open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { fatalError() }
    open func startLoading() { fatalError() }
    open func stopLoading() { fatalError() }
}

@available(*, unavailable)
extension URLProtocol: @unchecked Sendable {}

// https://developer.apple.com/documentation/foundation/urlprotocolclient
public protocol URLProtocolClient: NSObjectProtocol {
    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)
    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)
    func urlProtocol(_ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)
    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)
}

// https://developer.apple.com/documentation/corefoundation/cfrunloop
public class CFRunLoop {}

// https://developer.apple.com/documentation/corefoundation/cfrunloopmode
public struct CFRunLoopMode: RawRepresentable, Hashable, @unchecked Sendable {
    public let rawValue: CFString
    public init(rawValue: CFString) { fatalError() }
    public static var defaultMode: CFRunLoopMode! { fatalError() }
}

// https://developer.apple.com/documentation/corefoundation/cfrunloopgetcurrent() and the next
public func CFRunLoopGetCurrent() -> CFRunLoop! { fatalError() }
public func CFRunLoopPerformBlock(_ rl: CFRunLoop!, _ mode: AnyObject!, _ block: (() -> Void)!) { fatalError() }
public func CFRunLoopWakeUp(_ rl: CFRunLoop!) { fatalError() }

// https://developer.apple.com/documentation/foundation/notificationcenter
open class NotificationCenter: NSObject, @unchecked Sendable {
    open class var `default`: NotificationCenter { fatalError() }
    open func addObserver(
        forName name: Notification.Name?,
        object obj: Any?,
        queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { fatalError() }
    open func removeObserver(_ observer: Any) { fatalError() }
}

// https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
#if !os(macOS)
    extension ProcessInfo {
        public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) { fatalError() }
    }
#endif

// https://developer.apple.com/documentation/foundation/urlsessiondelegate
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}

// https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate: its methods are optional. Here those that Hoard has are required, so that one whose name
// or parameters differ is not overlooked.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    )
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

// https://developer.apple.com/documentation/foundation/urlsessiondatadelegate
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    )
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

// https://developer.apple.com/documentation/foundation/fileprotectiontype
public struct FileProtectionType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
    public static let complete = FileProtectionType(rawValue: "")
    public static let completeUntilFirstUserAuthentication = FileProtectionType(rawValue: "")
    public static let none = FileProtectionType(rawValue: "")
}

// https://developer.apple.com/documentation/foundation/fileattributekey/protectionkey
#if !os(macOS)
    extension FileAttributeKey {
        public static var protectionKey: FileAttributeKey { fatalError() }
    }
#endif

// https://developer.apple.com/documentation/foundation/urlresourcevalues/isexcludedfrombackup
public struct URLResourceValues: Sendable {
    public init() { fatalError() }
    public var isExcludedFromBackup: Bool?
}

// https://developer.apple.com/documentation/foundation/url/setresourcevalues(_:)
extension URL {
    public mutating func setResourceValues(_ values: URLResourceValues) throws { fatalError() }
}
