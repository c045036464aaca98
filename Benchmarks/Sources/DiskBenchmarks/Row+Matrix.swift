// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Row {
    private static let sizes = [256, 4 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20]

    /// Set and get of every size, by one task.
    static let matrix: [Row] =
        sizes.map { size in
            Row(name: "matrix-set-\(label(size))") { workspace, scale in try await setters(workspace, scale, size) }
        }
        + sizes.map { size in
            Row(name: "matrix-get-\(label(size))") { workspace, scale in try await getters(workspace, scale, size) }
        }
        + [Row(name: "matrix-miss") { workspace, scale in try await missers(workspace, scale) }]

    private static func label(_ size: Int) -> String {
        size < 1 << 10 ? "\(size)B" : size < 1 << 20 ? "\(size >> 10)KiB" : "\(size >> 20)MiB"
    }

    /// As many keys as make 64 MiB, but from 64 to 10,000.
    private static func material(_ size: Int) -> Material {
        Material(keys: min(max((64 << 20) / size, 64), 10_000), byteCount: size)
    }

    private static func setters(_ workspace: Workspace, _ scale: Scale, _ size: Int) async throws -> [Subject] {
        let material = material(size)
        let store = try await StoreSubject(filled: workspace, material)
        let single = try SQLiteSubject(filled: workspace, material)
        let grouped = try SQLiteSubject(filled: workspace, material)
        let files = try FileSubject(filled: workspace, material)
        let length = scale.operations(min(max((32 << 20) / size, 32), 640))
        return [
            store.subject { try await store.set(material.order(length: length, round: $0)) },
            single.subject("SQLite") { try single.set(material.order(length: length, round: $0), perTransaction: 1) },
            grouped.subject("SQLite, by 64") { try grouped.set(material.order(length: length, round: $0), perTransaction: 64) },
            files.subject("files") { try files.set(material.order(length: length, round: $0)) },
        ]
    }

    private static func getters(_ workspace: Workspace, _ scale: Scale, _ size: Int) async throws -> [Subject] {
        let material = material(size)
        let store = try await StoreSubject(filled: workspace, material)
        let single = try SQLiteSubject(filled: workspace, material)
        let grouped = try SQLiteSubject(filled: workspace, material)
        let files = try FileSubject(filled: workspace, material)
        let length = scale.operations(min(max((640 << 20) / size, 640), 10_240))
        return [
            store.subject { try await store.get(material.order(length: length, round: $0)) },
            single.subject("SQLite") { try single.get(material.order(length: length, round: $0)) },
            grouped.subject("SQLite, by 64") { try grouped.get(material.order(length: length, round: $0), perTransaction: 64) },
            files.subject("files") { try files.get(material.order(length: length, round: $0)) },
        ]
    }

    private static func missers(_ workspace: Workspace, _ scale: Scale) async throws -> [Subject] {
        let material = material(4 << 10)
        let absent = Material(keys: material.keys.count, byteCount: 8, kind: "none").keys
        let store = try await StoreSubject(filled: workspace, material)
        let single = try SQLiteSubject(filled: workspace, material)
        let grouped = try SQLiteSubject(filled: workspace, material)
        let files = try FileSubject(filled: workspace, material)
        let length = scale.operations(10_240)
        return [
            store.subject { try await store.miss(material.order(length: length, round: $0), of: absent) },
            single.subject("SQLite") { try single.miss(material.order(length: length, round: $0), of: absent) },
            grouped.subject("SQLite, by 64") {
                try grouped.miss(material.order(length: length, round: $0), of: absent, perTransaction: 64)
            },
            files.subject("files") { try files.miss(material.order(length: length, round: $0)) },
        ]
    }
}
