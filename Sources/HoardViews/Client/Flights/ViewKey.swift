// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP

/// Names a screen in this process: everything that can change the answer.
///
/// All that is compared is ASCII: Swift takes other strings for equal that differ in their bytes, and two users' names may be such strings.
struct ViewKey: Hashable, Sendable {
    /// The URL in its normal form, and a digest of the request fields.
    let address: String
    /// The group that owns it; `nil` for none.
    let partition: ExactText?
    /// Sensitive screens and others never answer for each other.
    let isSensitive: Bool

    init(address: String, partition: String?, isSensitive: Bool) {
        self.init(address, partition.map { ExactText($0) }, isSensitive)
    }

    private init(_ address: String, _ partition: ExactText?, _ isSensitive: Bool) {
        self.address = address
        self.partition = partition
        self.isSensitive = isSensitive
    }

    /// The name for a cache manager. Different keys have different names: neither a label nor an address contains a space, except before the digest.
    var identifier: String {
        "\(isSensitive ? "sensitive" : "view") \(partition?.label ?? "-") \(address)"
    }

    /// The partition as an HTTP cache takes it: there `nil` is that of the cache itself, and an empty name stands for none.
    func partition(in cache: HTTPCache) -> String? {
        partition?.text ?? (cache.configuration.partition.isEmpty ? nil : "")
    }

    /// The same screen, sensitive or not.
    func sensitive(_ isSensitive: Bool) -> ViewKey { ViewKey(address, partition, isSensitive) }
}

/// The key of a flight: a screen as it is now, or as it is kept.
struct ViewFlightKey: Hashable, Sendable {
    enum Purpose: Hashable, Sendable { case answer, kept }

    let view: ViewKey
    let purpose: Purpose
}

/// The scope of a removal.
enum RemovalScope: Hashable, Sendable {
    case view(ViewKey)
    case partition(ExactText)
    case all

    func covers(_ key: ViewKey) -> Bool {
        switch self {
        case .view(let removed): removed == key
        case .partition(let removed): removed == key.partition
        case .all: true
        }
    }
}
