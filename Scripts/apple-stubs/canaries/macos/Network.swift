// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Network

func refused(_ monitor: NWPathMonitor) {
    let path: NWPath.Status = .offline  // refused: has no member 'offline'
    monitor.pathUpdateHandler = "offline"  // refused: cannot assign value of type
    monitor.start()  // refused: missing argument for parameter 'queue'
}
