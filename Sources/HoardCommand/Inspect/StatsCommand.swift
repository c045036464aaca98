// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HoardDisk

/// `hoard inspect stats`.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Say how much the cache holds, and what it takes of the disk.",
        discussion: "Charged is what counts against the limit of the cache. The limit itself is the server's, and is not kept in the directory."
    )

    @OptionGroup var options: InspectCommand.Options

    func run() async throws {
        try await options.withStore { store in
            let use = try await store.storageUse()
            try report(StatsReport(options.directory.path, use), json: options.json) { Self.text(options.directory.path, use) }
        }
    }

    private static func text(_ directory: String, _ use: DiskStore.StorageUse) -> String {
        let pages = use.pageByteCount * use.freePageCount
        var lines = [
            ("directory", printable(directory)),
            ("records", "\(use.recordCount)"),
            ("charged", "\(ByteCount(use.chargedByteCount))"),
            ("on disk", "\(ByteCount(use.totalByteCount))"),
            ("database", "\(ByteCount(use.databaseByteCount)), of which \(ByteCount(pages)) are free, and \(ByteCount(use.logByteCount)) of log"),
            ("payloads", "\(use.inlinePayloadCount) in the database (\(ByteCount(use.inlinePayloadByteCount)))"),
            ("", "\(use.filePayloadCount) in files (\(ByteCount(use.filePayloadByteCount)))"),
            ("orphans", "\(use.orphanCount) (\(ByteCount(use.orphanByteCount)))"),
            ("tags", "\(use.tagCount), and \(use.unsweptInvalidationCount) removed ones that are not yet swept"),
            ("format", "\(use.formatVersion), pages of \(ByteCount(use.pageByteCount))"),
        ]
        lines.append(("encrypted", use.encryptionKeyIdentifier.map { "with the key \"\(printable($0))\"" } ?? "no"))
        return lines.map { $0 + String(repeating: " ", count: 11 - $0.count) + $1 }.joined(separator: "\n")
    }
}

/// The report that `stats --json` prints.
private struct StatsReport: Encodable {
    let directory: String
    let records: Int
    let bytes: Int
    /// The disk space of the whole cache.
    let fileBytes: Int
    let databaseBytes: Int
    let logBytes: Int
    let freePages: Int
    let pageBytes: Int
    let inlinePayloads: Int
    let inlinePayloadBytes: Int
    let filePayloads: Int
    let filePayloadBytes: Int
    let payloadFilesOnDisk: Int
    let orphans: Int
    let orphanBytes: Int
    let tags: Int
    let unsweptInvalidations: Int
    let format: Int
    let encryptionKey: String?

    init(_ directory: String, _ use: DiskStore.StorageUse) {
        self.directory = directory
        records = use.recordCount
        bytes = use.chargedByteCount
        fileBytes = use.totalByteCount
        databaseBytes = use.databaseByteCount
        logBytes = use.logByteCount
        freePages = use.freePageCount
        pageBytes = use.pageByteCount
        inlinePayloads = use.inlinePayloadCount
        inlinePayloadBytes = use.inlinePayloadByteCount
        filePayloads = use.filePayloadCount
        filePayloadBytes = use.filePayloadByteCount
        payloadFilesOnDisk = use.filesAllocatedByteCount
        orphans = use.orphanCount
        orphanBytes = use.orphanByteCount
        tags = use.tagCount
        unsweptInvalidations = use.unsweptInvalidationCount
        format = use.formatVersion
        encryptionKey = use.encryptionKeyIdentifier
    }
}
