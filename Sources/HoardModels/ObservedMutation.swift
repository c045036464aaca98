// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Observation

/// A change that an app asks a server for, as a view shows it: the expected result at once, undone when the server
/// refuses.
///
/// ```swift
/// @State private var like = ObservedMutation { (id: Post.ID) in try await server.like(id) } changes: { id in
///     [.update(posts, forKey: id, to: { $0?.liked() }, confirmed: { $0 }), .markStale(taggedWithAny: ["favourites"], in: lists)]
/// }
/// …
/// Button("Like") { Task { try? await like(post.id) } }.disabled(like.isRunning)
/// ```
@MainActor @Observable public final class ObservedMutation<Input: Sendable, Output: Sendable> {
    /// The number of calls that wait for the server.
    public private(set) var runningCount = 0
    /// The error of the last call that has ended; `nil` if it succeeded.
    public private(set) var error: (any Error)?
    /// The answer to the last call that succeeded.
    public private(set) var output: Output?

    @ObservationIgnored private let perform: @Sendable (Input) async throws -> Output
    @ObservationIgnored private let changes: @Sendable (Input) -> [OptimisticChange<Output>]

    /// Creates a mutation.
    ///
    /// - Parameters:
    ///   - perform: Asks the server. An error that it throws means that the server has not accepted.
    ///   - changes: The values to show meanwhile, and the keys and tags to invalidate when the server has accepted.
    public init(
        _ perform: @escaping @Sendable (Input) async throws -> Output,
        changes: @escaping @Sendable (Input) -> [OptimisticChange<Output>] = { _ in [] }
    ) {
        self.perform = perform
        self.changes = changes
    }

    /// Whether a call waits for the server.
    public var isRunning: Bool { runningCount > 0 }

    /// Shows the changes, asks the server, and confirms them or takes them back. Suspends until the tiers hold the result.
    ///
    /// Calls may overlap. If the task is cancelled, that is up to `perform`: an error that it throws is a refusal.
    ///
    /// - Throws: The error of `perform`.
    @discardableResult public func callAsFunction(_ input: Input) async throws -> Output {
        runningCount += 1
        defer { runningCount -= 1 }
        let result = await Self.run(perform, changes(input), input)
        switch result {
        case .success(let output):
            self.output = output
            error = nil
        case .failure(let error):
            self.error = error
        }
        return try result.get()
    }

    private nonisolated static func run(
        _ perform: @Sendable (Input) async throws -> Output,
        _ changes: [OptimisticChange<Output>],
        _ input: Input
    ) async -> Result<Output, any Error> {
        var pending: [OptimisticChange<Output>.Pending] = []
        for change in changes { pending.append(await change.begin()) }
        do {
            let output = try await perform(input)
            for change in pending { await change.confirm(output) }
            return .success(output)
        } catch {
            for change in pending.reversed() { await change.takeBack() }
            return .failure(error)
        }
    }
}
