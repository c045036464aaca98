// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk

/// Factors numbers, and never the same one twice.
struct FactorTool: Sendable {
    struct UsageError: Error, CustomStringConvertible {
        var description: String { "Usage: DiskCachedTool NUMBER, which is 2 or more" }
    }

    var directory: String
    /// Receives warnings that the user should know, and that do not stop the tool.
    var warn: @Sendable (String) -> Void = { _ in }
    /// Takes seconds for the product of two large primes.
    var factor: @Sendable (UInt64) async throws -> [UInt64] = { primeFactors(of: $0) }

    func run(_ argument: String) async throws -> String {
        guard let number = UInt64(argument), number > 1 else { throw UsageError() }
        return try await withCache { cache in
            let found = try await cache.lookup(forKey: number) { try await factor($0) }
            let factors = found.value.map(String.init).joined(separator: " × ")
            return "\(number) = \(factors)\(found.tier == .loader ? "" : ", as computed before")"
        }
    }

    /// Lends a cache, and closes it in every case. The process ends right after, and loses
    /// all that has not been written.
    private func withCache<Output>(_ body: (TieredCache<UInt64, [UInt64]>) async throws -> Output) async throws -> Output {
        // The fingerprint belongs to the name of the schema: change it along with the format or the algorithm.
        let cache = TieredCache<UInt64, [UInt64]>(
            configuration: .init(maximumCount: 10),
            stores: openStore().map { [$0] } ?? [],
            codec: .json(schema: "factors/1")
        )
        do {
            let output = try await body(cache)
            await cache.close()
            return output
        } catch {
            await cache.close()
            throw error
        }
    }

    /// Opens the store. `nil` if there cannot be one: the tool answers without it.
    private func openStore() -> DiskStore? {
        do {
            return try DiskStore(configuration: .init(directory: directory, maximumBytes: 16 << 20))
        } catch {
            warn("Nothing is remembered: \(error)")
            return nil
        }
    }
}

/// The prime factors of a number, found by trial division.
func primeFactors(of number: UInt64) -> [UInt64] {
    var (rest, divisor, factors) = (number, UInt64(2), [UInt64]())
    while divisor <= rest / divisor {
        if rest.isMultiple(of: divisor) {
            factors.append(divisor)
            rest /= divisor
        } else {
            divisor += divisor == 2 ? 1 : 2
        }
    }
    if rest > 1 { factors.append(rest) }
    return factors
}
