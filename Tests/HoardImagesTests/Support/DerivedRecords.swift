// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import Hoard
    import HoardHTTP
    import HoardImages

    extension MemoryStore {
        /// The thumbnails and placeholders that a read would find.
        func derivedRecords() async throws -> [RecordKey: Record] {
            let keys = try await records { $0.key.bytes.starts(with: Array("images-derived\0".utf8)) }.map(\.key)
            return try await records(forKeys: keys)
        }

        func records(where isWanted: (RecordSummary) -> Bool) async throws -> [RecordSummary] {
            var (found, cursor) = ([RecordSummary](), RecordCursor?.none)
            repeat {
                let page = try await recordPage(after: cursor, limit: 100)
                found += page.records.filter(isWanted)
                cursor = page.next
            } while cursor != nil
            return found
        }

        /// Changes the payloads of all thumbnails and placeholders.
        func damageDerivedRecords(_ damage: (Data) -> Data) async throws {
            for (key, record) in try await derivedRecords() {
                var record = record
                record.payload = damage(record.payload)
                try await insert(record, forKey: key)
            }
        }
    }

    extension ImageOrigin {
        /// Waits until the stores have everything.
        func flush() async {
            await cache.flush()
            await images.flush()
        }
    }

    extension ImageOptions {
        static func thumbnail(_ maximumPixelSize: Int? = 10, partition: String? = nil, keepsInMemoryOnly: Bool = false) -> ImageOptions {
            var options = ImageOptions(maximumPixelSize: maximumPixelSize, partition: partition, keepsInMemoryOnly: keepsInMemoryOnly)
            options.keepsThumbnail = true
            return options
        }
    }
#endif
