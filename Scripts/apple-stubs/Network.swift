// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: the part of Network that Hoard uses.

public import AppleDispatch

// https://developer.apple.com/documentation/network/nwpath
public struct NWPath: Equatable, Sendable {
    // https://developer.apple.com/documentation/network/nwpath/status-swift.enum
    public enum Status: Equatable, Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public let status: NWPath.Status
}

// https://developer.apple.com/documentation/network/nwpathmonitor
final public class NWPathMonitor: Sendable {
    public init() { fatalError() }
    final public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { fatalError() }
        set { fatalError() }
    }
    final public func start(queue: DispatchQueue) { fatalError() }
    final public func cancel() { fatalError() }
}
