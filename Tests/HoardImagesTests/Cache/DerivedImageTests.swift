// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import HTTPTypes
    import Hoard
    import HoardTesting
    import Testing

    @testable import HoardImages

    @Suite struct DerivedImageTests {
        private let identity = ContentIdentity(byteCount: 1_234, digest: 0xFEDC_BA98_7654_3210)
        private let validator = ImageValidator(entityTag: ExactText("\"Zo\u{EB}\""), url: ExactText("https://example.com/photo"))
        private let picture = Picture.gradient(3, 2)

        private var thumbnail: DerivedImage {
            get throws {
                let bitmap = try #require(Bitmap(width: picture.width, height: picture.height, pixels: picture.pixels))
                return DerivedImage(content: .thumbnail(bitmap), identity: identity, validator: validator)
            }
        }

        private var placeholder: DerivedImage {
            get throws {
                let picture = Picture.gradient(30, 20)
                let bitmap = try #require(Bitmap(width: picture.width, height: picture.height, pixels: picture.pixels))
                return DerivedImage(content: .placeholder(ThumbHash(bitmap)), identity: identity, validator: nil)
            }
        }

        private func read(_ record: [UInt8], maximumThumbnailBytes: Int = 1 << 20) -> DerivedImage? {
            DerivedImage(record, maximumThumbnailBytes: maximumThumbnailBytes)
        }

        /// A record with the right checksum.
        private func sealed(_ body: [UInt8]) -> [UInt8] {
            let checksum = body.withUnsafeBytes { XXH64.hash($0) }
            return withUnsafeBytes(of: checksum.bigEndian) { Array($0) } + body
        }

        @Test func aRecordIsReadAsItWasWritten() throws {
            let readThumbnail = try #require(read(try thumbnail.encoded()))
            #expect(readThumbnail.bitmap == (try thumbnail.bitmap))
            #expect(readThumbnail.identity == identity)
            #expect(readThumbnail.validator == validator)
            let readPlaceholder = try #require(read(try placeholder.encoded()))
            #expect(readPlaceholder.placeholder == (try placeholder.placeholder))
            #expect(readPlaceholder.identity == identity)
            #expect(readPlaceholder.validator == nil)
        }

        /// Other versions of Hoard read it.
        @Test func theFormOfARecordIsFixed() throws {
            let bitmap = try #require(Bitmap(width: 1, height: 1, pixels: [9, 8, 7, 6]))
            let record = DerivedImage(content: .thumbnail(bitmap), identity: ContentIdentity(byteCount: 258, digest: 3), validator: nil).encoded()
            let body: [UInt8] = [1, 1, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 1, 9, 8, 7, 6]
            #expect(record == sealed(body))
        }

        @Test func aRecordOfAnyOtherLengthIsAbsent() throws {
            for record in [try thumbnail.encoded(), try placeholder.encoded()] {
                for length in 0..<record.count {
                    #expect(read(Array(record.prefix(length))) == nil, "\(length)")
                    // Also if the checksum is right.
                    if length > 8 { #expect(read(sealed(Array(record[8..<length]))) == nil, "\(length)") }
                }
                #expect(read(record + [0]) == nil)
                #expect(read(sealed(Array(record.dropFirst(8)) + [0])) == nil)
            }
        }

        @Test func aRecordWithAChangedByteIsAbsent() throws {
            for record in [try thumbnail.encoded(), try placeholder.encoded()] {
                for index in record.indices {
                    var damaged = record
                    damaged[index] ^= 1
                    #expect(read(damaged) == nil, "\(index)")
                }
            }
        }

        @Test func anyBytesAreSafe() {
            for seed in UInt64(0)..<2_000 {
                var generator = SeededGenerator(seed: seed)
                let bytes = (0..<Int.random(in: 0..<120, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                #expect(read(bytes) == nil, "seed \(seed)")
                // With the right checksum, version and kind nearly all of it is read.
                let kind = UInt8.random(in: 1...2, using: &generator)
                let image = read(sealed([1, kind] + bytes))
                #expect(image?.bitmap.map { $0.pixels.count == $0.width * $0.height * 4 } ?? true, "seed \(seed)")
            }
        }

        @Test(arguments: [
            (UInt32.max, UInt32.max), (0x8000_0000, 2), (0x4000_0000, 4), (0x4000_0001, 0x4000_0001), (0, 0), (0, 6), (3, 3), (6, 2), (1, 1),
        ])
        func aSizeThatIsNotThatOfThePixelsIsRefused(width: UInt32, height: UInt32) throws {
            var body = Array(try thumbnail.encoded().dropFirst(8))
            let start = body.count - picture.pixels.count - 8
            body.replaceSubrange(start..<start + 4, with: withUnsafeBytes(of: width.bigEndian) { Array($0) })
            body.replaceSubrange(start + 4..<start + 8, with: withUnsafeBytes(of: height.bigEndian) { Array($0) })
            #expect(read(sealed(body)) == nil)
        }

        @Test func otherVersionsAndKindsAreAbsent() throws {
            let body = Array(try thumbnail.encoded().dropFirst(8))
            for (index, values) in [(0, [0, 2, 255]), (1, [0, 3, 255]), (18, [2, 255])] as [(Int, [UInt8])] {
                for value in values {
                    var changed = body
                    changed[index] = value
                    #expect(read(sealed(changed)) == nil)
                }
            }
        }

        @Test func aThumbnailBeyondTheLimitIsAbsent() throws {
            let record = try thumbnail.encoded()
            #expect(read(record, maximumThumbnailBytes: 24) != nil)
            #expect(read(record, maximumThumbnailBytes: 23) == nil)
        }

        @Test func differentKeysHaveDifferentRecords() {
            let names = ["", "a", "b", "ab", "1:a", "url1:a", "thumbnail:a"].map { ExactText($0) }
            var recordKeys: Set<RecordKey> = []
            var tags: Set<String> = []
            var count = 0
            for partition in names {
                for source in names.flatMap({ [ImageSource.url($0), .key($0)] }) {
                    tags.insert(DerivedKey.tag(of: source, partition: partition))
                    for form in ["", "10", "full", "placeholder", "thumbnail:a"] {
                        guard let key = DerivedKey(source, partition: partition, form: form) else { continue }
                        recordKeys.insert(key.recordKey)
                        count += 1
                    }
                }
            }
            #expect(count == 490)
            #expect(recordKeys.count == 490)
            #expect(tags.count == 98)
        }

        @Test func equalFieldsHaveOneNameAndOthersHaveOthers() {
            func name(_ fields: [(String, String)]) -> String? {
                var options = ImageOptions(maximumPixelSize: 10)
                options.keepsThumbnail = true
                for (field, value) in fields { options.fields.append(.init(name: .init(field)!, value: value)) }
                return ImageRequest(.key(ExactText("a")), options, partition: ExactText("")).thumbnailKey?.form
            }
            #expect(name([]) == "thumbnail:10")
            #expect(name([("a", "1"), ("b", "2")]) == name([("B", "2"), ("A", "1")]))
            let different: [[(String, String)]] = [
                [], [("a", "1")], [("a", "2")], [("b", "1")], [("a", "1"), ("a", "2")], [("a", "2"), ("a", "1")], [("a", "1"), ("b", "2")],
                [("a", "1, 2")], [("a", "")], [("a", "1"), ("b", "")],
            ]
            #expect(Set(different.map { name($0) }).count == different.count)
        }
    }
#endif
