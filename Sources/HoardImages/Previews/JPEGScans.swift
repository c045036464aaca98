// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds the scans of a progressive JPEG in bytes that are still arriving.
///
/// Each scan makes the whole picture sharper; the decoder can show the picture after any of them. The markers are those of ITU-T T.81, annex B.
struct JPEGScans {
    /// Where the last complete scan ends; 0: there is none yet, or the bytes are no progressive JPEG.
    private(set) var completeEnd = 0

    private enum Place {
        case start, segments, scan, end
    }

    private var place = Place.start
    private var offset = 0
    private var isProgressive = false

    /// Reads on from where the last call has stopped. O(*n*) in the bytes that are new.
    ///
    /// - Parameter reader: All bytes from the first on. Those that earlier calls had must be the same.
    mutating func read(_ reader: ByteReader) {
        while step(reader) {}
    }

    /// Returns whether there may be more to read.
    private mutating func step(_ reader: ByteReader) -> Bool {
        switch place {
        case .start:
            guard reader.count >= 3 else { return false }
            place = reader.has([0xFF, 0xD8, 0xFF], at: 0) ? .segments : .end
            offset = 2
            return true
        case .segments: return readSegment(reader)
        case .scan: return readScan(reader)
        case .end: return false
        }
    }

    private mutating func readSegment(_ reader: ByteReader) -> Bool {
        guard let first = reader.byte(at: offset), let marker = reader.byte(at: offset + 1) else { return false }
        guard first == 0xFF else { return stop() }
        switch marker {
        case 0xFF:
            // Markers may have any number of these before them.
            offset += 1
            return true
        case 0x01, 0xD0...0xD8:
            offset += 2
            return true
        case 0x00, 0xD9:
            return stop()
        default:
            guard let length = reader.uint16(at: offset + 2) else { return false }
            guard length >= 2 else { return stop() }
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) { isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(marker) }
            if marker == 0xDA {
                guard isProgressive else { return stop() }
                place = .scan
            }
            offset += 2 + length
            return true
        }
    }

    private mutating func readScan(_ reader: ByteReader) -> Bool {
        while let byte = reader.byte(at: offset) {
            guard byte == 0xFF else {
                offset += 1
                continue
            }
            guard let marker = reader.byte(at: offset + 1) else { return false }
            switch marker {
            case 0x00, 0xD0...0xD7: offset += 2
            case 0xFF: offset += 1
            default:
                completeEnd = offset
                place = .segments
                return true
            }
        }
        return false
    }

    private mutating func stop() -> Bool {
        place = .end
        return false
    }

    /// Whether the picture ends here, so that all of it is there.
    var isAtEnd: Bool { place == .end }
}
