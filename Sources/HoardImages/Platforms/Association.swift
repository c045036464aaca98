// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(ObjectiveC)
    internal import ObjectiveC

    /// Ties values to objects whose class belongs to another module, for as long as the objects live.
    package final class Association<Value>: Sendable {
        package init() {}

        /// Its own address is the name of the association.
        private var name: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

        package func value(of object: AnyObject) -> Value? { objc_getAssociatedObject(object, name) as? Value }

        package func set(_ value: Value?, of object: AnyObject) { objc_setAssociatedObject(object, name, value, .OBJC_ASSOCIATION_RETAIN) }
    }
#endif
