// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProxy

/// The flags of the settings of `hoard proxy`, as the settings themselves have them.
enum SettingNames {
    static var flags: [String] { ProxySettings.descriptions.compactMap(\.flag) }
}
