// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP

extension FuzzTarget {
    /// The lines of a header section. Each parser gets its own lines, and also all the lines as they are.
    package static let fields = FuzzTarget(name: "fields") { bytes in
        let input = FuzzInput(bytes)
        try FieldChecks.checkMessages(input.fields)
        try FieldChecks.checkDirectives(input)
        try FieldChecks.checkLists(input)
        try FieldChecks.checkSelection(input)
        try FieldChecks.checkStatus(input)
        try FieldChecks.checkURIs(input)
    }
}
