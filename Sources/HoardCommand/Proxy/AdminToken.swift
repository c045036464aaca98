// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HoardProxy

/// The file with the token that changes by the admin interface need.
enum AdminToken {
    /// The token in a file, which is made if it does not exist: for its owner alone, with 256 random bits.
    static func readOrMake(_ path: String) throws -> (token: String, isNew: Bool) {
        if access(path, F_OK) == 0 { return (try read(path), false) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            // Another process has made it meanwhile.
            if errno == EEXIST { return (try read(path), false) }
            throw ProxyCommandError("The admin token file \(path) cannot be made: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        let token = make()
        do {
            try Array((token + "\n").utf8).withUnsafeBytes { try FileOutput.writeAll($0, to: descriptor, name: path) }
        } catch {
            unlink(path)
            throw error
        }
        return (token, true)
    }

    /// A token of 256 random bits.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(UInt64.random(in: .min ... .max, using: &generator), radix: 16) }
            .map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
    }

    /// - Throws: ``ProxyCommandError`` if the file cannot be read, or holds no token that is worth the name.
    static func read(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 4_096 else {
            throw ProxyCommandError("The admin token file \(path) cannot be read, or is no file of a token.")
        }
        guard let token = ProxySettings.adminToken(in: String(decoding: data, as: UTF8.self)) else {
            throw ProxyCommandError(
                "The token in the admin token file \(path) \(ProxySettings.adminTokenRule); if the file is removed, a token is made."
            )
        }
        return token
    }

    /// Whether others than the file's owner can read it.
    static func isReadableByOthers(_ path: String) throws -> Bool {
        // The permissions of the file itself. A link has all permissions, and secrets of Kubernetes are links.
        var status = stat()
        guard stat(path, &status) == 0 else { throw ProxyCommandError("\(path) cannot be read: \(String(cString: strerror(errno))).") }
        return status.st_mode & 0o044 != 0
    }
}
