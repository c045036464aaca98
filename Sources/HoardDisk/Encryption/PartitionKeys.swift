// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The partitions' keys, each wrapped and in a file of its own, so that all records of a partition become unreadable at once
/// when its file goes.
///
/// The file's name is a keyed hash of the partition's name. Should two names have one hash, which takes in the order of 2³²
/// partitions, then each takes the file from the other. All calls block for as long as the disk takes; nothing is cached here.
struct PartitionKeys: Sendable {
    private let directory: KeyDirectory
    private let ring: KeyRing
    private let nameHash: SipHash

    /// - Parameter storeDirectory: The path of the store's directory, which must exist. The keys lie in `keys` in it.
    init(storeDirectory: String, ring: KeyRing) {
        directory = KeyDirectory(path: storeDirectory == "/" ? "/keys" : "\(storeDirectory)/keys")
        self.ring = ring
        nameHash = SipHash(key: ring.partitionHashKey)
    }

    /// The cipher for the records of a partition. O(1).
    ///
    /// Several processes and threads may call it at once; all get a cipher with the same key.
    ///
    /// - Parameter creating: Whether to make a key if there is none. A damaged one counts as none, and is replaced.
    /// - Returns: The cipher; `nil` if there is no key and none is to be made.
    func cipher(forPartition name: String, creating: Bool) throws(StoreError) -> RecordCipher? {
        if let cipher = try storedCipher(forPartition: name) { return cipher }
        guard creating else { return nil }
        try directory.create()
        return try directory.whileLocked { (directory) throws(StoreError) in
            // Another process may have been faster.
            if let cipher = try storedCipher(forPartition: name) { return cipher }
            let (wrapped, cipher) = try ring.makePartitionKey(named: name)
            try replaceKey(fileName(ofPartition: name), with: wrapped, in: directory)
            return cipher
        }
    }

    /// Destroys a partition's key, if it has one, and with it all that was ever encrypted with it (crypto-shredding). O(1).
    ///
    /// When it returns, the key's file has been overwritten with zeros and removed, and both are on the medium.
    ///
    /// No program can promise more. A flash drive writes zeros to other cells than those that held the key. Snapshots and backups
    /// of the file system, and file systems that copy on write, keep the old file. Processes that have the key in memory can use it
    /// until they forget it. In the first two cases the key is still wrapped: reading it takes the store's
    /// ``DiskStore/EncryptionKey`` too.
    func drop(_ name: String) throws(StoreError) {
        guard try directory.exists() else { return }
        try directory.whileLocked { (directory) throws(StoreError) in
            let fileName = fileName(ofPartition: name)
            try shred(fileName, in: directory)
            try shred(Self.temporaryName(of: fileName), in: directory)
            do throws(SystemCallError) {
                try directory.synchronizeDirectory()
            } catch {
                throw .system(error.number, "write the directory \(path)")
            }
        }
    }
}

extension PartitionKeys {
    private var path: String { directory.path }

    /// 16 hexadecimal digits.
    func fileName(ofPartition name: String) -> String {
        let digits = String(Array(name.utf8).withUnsafeBytes { nameHash.hash($0) }, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Where a key is written before it gets its name. Only the holder of the lock touches it.
    private static func temporaryName(of fileName: String) -> String { "\(fileName).new" }

    /// Returns the cipher from the partition's file; `nil` if there is no file or it is damaged.
    private func storedCipher(forPartition name: String) throws(StoreError) -> RecordCipher? {
        let fileName = fileName(ofPartition: name)
        do throws(SystemCallError) {
            // A link is no key: dropping it would leave the key where the link leads.
            guard try FileDescriptor.directory(path).kind(ofEntry: fileName) == .file else { return nil }
            let file = try FileDescriptor.reading("\(path)/\(fileName)")
            return ring.unwrap(try file.read(KeyRing.wrappedKeyByteCount + 1), named: name)
        } catch {
            if error.number == ENOENT { return nil }
            throw .system(error.number, "read \(path)/\(fileName)")
        }
    }

    private func replaceKey(_ fileName: String, with wrapped: [UInt8], in directory: borrowing FileDescriptor) throws(StoreError) {
        // A damaged key is destroyed like a sound one, so that no attacker can repair and use it.
        try shred(fileName, in: directory)
        let temporaryName = Self.temporaryName(of: fileName)
        try shred(temporaryName, in: directory)
        do throws(SystemCallError) {
            let file = try directory.createFile(temporaryName)
            try file.setMode(0o600)
            try file.write(wrapped)
            try file.synchronize()
            try file.closeReportingErrors()
            try directory.renameEntry(temporaryName, to: fileName)
            try directory.synchronizeDirectory()
        } catch {
            throw .system(error.number, "create \(path)/\(fileName)")
        }
    }

    /// Overwrites a file with zeros and removes it. Anything but a file is only removed.
    private func shred(_ fileName: String, in directory: borrowing FileDescriptor) throws(StoreError) {
        do throws(SystemCallError) {
            guard let kind = try directory.kind(ofEntry: fileName) else { return }
            let overwriting = kind == .file ? Result { () throws(SystemCallError) in try overwrite(fileName) } : .success(())
            // The file goes even if, say, a disk that copies on write is too full for the zeros; the caller hears of it all the same.
            try directory.removeFile(fileName)
            try overwriting.get()
        } catch {
            throw .system(error.number, "destroy the key \(path)/\(fileName)")
        }
    }

    private func overwrite(_ fileName: String) throws(SystemCallError) {
        let file = try FileDescriptor.writing("\(path)/\(fileName)")
        // A key never needs more, and a file that another program put here may be huge.
        try file.write(Array(repeating: 0, count: min(try file.byteCount(), 4096)))
        try file.synchronize()
        try file.closeReportingErrors()
    }
}
