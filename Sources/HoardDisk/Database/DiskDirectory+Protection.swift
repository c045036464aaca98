// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Foundation
    import Hoard

    extension DiskDirectory {
        /// Tells the system how files are protected that are created in the directory from now on, and whether they belong into backups.
        ///
        /// - Returns: The event to report if the system refuses. The store works nevertheless.
        func protect(_ configuration: DiskStore.Configuration) -> DiskStore.Event? {
            do {
                #if !os(macOS)
                    try FileManager.default.setAttributes([.protectionKey: configuration.fileProtection.type], ofItemAtPath: path)
                #endif
                var url = URL(fileURLWithPath: path, isDirectory: true)
                var values = URLResourceValues()
                values.isExcludedFromBackup = configuration.isExcludedFromBackup
                try url.setResourceValues(values)
                return nil
            } catch {
                return .directoryNotProtected(error.localizedDescription)
            }
        }
    }

    #if !os(macOS)
        extension DiskStore.FileProtection {
            fileprivate var type: FileProtectionType {
                switch self {
                case .complete: .complete
                case .none: .none
                default: .completeUntilFirstUserAuthentication
                }
            }
        }
    #endif
#else
    extension DiskDirectory {
        /// There is nothing to be told the system.
        func protect(_ configuration: DiskStore.Configuration) -> DiskStore.Event? { nil }
    }
#endif
