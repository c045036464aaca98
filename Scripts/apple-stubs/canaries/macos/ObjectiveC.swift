// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import ObjectiveC

func refused(_ object: AnyObject, _ name: UnsafeRawPointer) {
    let value: AnyObject = objc_getAssociatedObject(object, name)  // refused: expected to be instance of class
    objc_setAssociatedObject(object, name, nil, .retain)  // refused: has no member 'retain'
    objc_setAssociatedObject(object, "name", nil)  // refused: missing argument
}
