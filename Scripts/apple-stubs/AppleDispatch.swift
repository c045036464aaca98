// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: Dispatch as Linux has it, and what Hoard uses of the rest. The sources' `import Dispatch` is read as the import of this module.

@_exported public import class Dispatch.DispatchGroup
@_exported public import struct Dispatch.DispatchQoS
@_exported public import class Dispatch.DispatchQueue
@_exported public import class Dispatch.DispatchSemaphore
@_exported public import class Dispatch.DispatchSource
@_exported public import protocol Dispatch.DispatchSourceProtocol
@_exported public import protocol Dispatch.DispatchSourceTimer
@_exported public import class Dispatch.DispatchSpecificKey
@_exported public import struct Dispatch.DispatchTime
@_exported public import enum Dispatch.DispatchTimeInterval
@_exported public import class Dispatch.DispatchWorkItem

// https://developer.apple.com/documentation/dispatch/dispatchsourcememorypressure
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSource {
    // https://developer.apple.com/documentation/dispatch/dispatchsource/memorypressureevent
    public struct MemoryPressureEvent: OptionSet, RawRepresentable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let normal = MemoryPressureEvent(rawValue: 1)
        public static let warning = MemoryPressureEvent(rawValue: 2)
        public static let critical = MemoryPressureEvent(rawValue: 4)
        public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
    }

    // https://developer.apple.com/documentation/dispatch/dispatchsource/makememorypressuresource(eventmask:queue:)
    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent,
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure { fatalError() }
}

// https://developer.apple.com/documentation/dispatch/+(_:_:)-3rkkp: an operator cannot be imported by its name.
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { fatalError() }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { fatalError() }
