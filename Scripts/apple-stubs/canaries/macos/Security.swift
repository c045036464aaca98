// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Security

func refused() {
    let version: tls_protocol_version_t = .TLSv1_2  // refused: has no member 'TLSv1_2'
    let number: Int = tls_protocol_version_t.TLSv12.rawValue  // refused: cannot convert value of type 'UInt16'
}
