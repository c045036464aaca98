// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard

/// A clock that stands, so that the same requests get the same answers.
struct StoppedClock: WallClock {
    func now() -> Date { Date(timeIntervalSince1970: 0) }
}
