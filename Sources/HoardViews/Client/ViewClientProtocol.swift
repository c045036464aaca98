// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

/// Gets screens: ``ViewClient``, or an app's own.
///
/// The forms with completion handlers come with it.
public protocol ViewClientProtocol: Sendable {
    /// Gets a screen. May suspend.
    func fetch(_ request: ViewRequest) async throws(ViewError) -> FetchedView

    /// Gets a screen before it is needed, so that a fetch finds it. May suspend.
    @discardableResult
    func prefetch(_ request: ViewRequest, options: PrefetchOptions) async throws(ViewError) -> Prefetch
}

extension ViewClientProtocol {
    /// Gets a screen before it is needed, so that a fetch finds it. May suspend.
    @discardableResult
    public func prefetch(_ request: ViewRequest) async throws(ViewError) -> Prefetch {
        try await prefetch(request, options: PrefetchOptions())
    }

    /// Gets a screen, and gives it to a completion handler. Does not suspend.
    ///
    /// - Parameters:
    ///   - context: Where the handler is called.
    ///   - completion: Called once, also after ``RequestToken/cancel()``, and outside all locks.
    /// - Returns: A handle that cancels it. Dropping the handle cancels nothing.
    @discardableResult
    public func fetch(
        _ request: ViewRequest,
        completingOn context: CompletionContext,
        completion: @escaping @Sendable (Result<FetchedView, ViewError>) -> Void
    ) -> RequestToken {
        RequestToken(completingOn: context, completion) { () async throws(ViewError) in try await fetch(request) }
    }

    /// Gets a screen's component, and gives it to a completion handler. Does not suspend.
    ///
    /// - Parameters:
    ///   - url: The text from which the client's ``URLBuilding`` makes a URL.
    ///   - context: Where the handler is called.
    ///   - completion: Called once, also after ``RequestToken/cancel()``, and outside all locks.
    /// - Returns: A handle that cancels it. Dropping the handle cancels nothing.
    @discardableResult
    public func fetch(
        url: String,
        additionalData: HTTPAdditionalData? = nil,
        completingOn context: CompletionContext,
        completion: @escaping @Sendable (Result<any ServerDrivenComponent, ViewError>) -> Void
    ) -> RequestToken {
        fetch(ViewRequest(url, additionalData: additionalData), completingOn: context) { completion($0.map(\.component)) }
    }

    /// Gets a screen before it is needed, and tells a completion handler when that is over. Does not suspend.
    @discardableResult
    public func prefetch(
        _ request: ViewRequest,
        options: PrefetchOptions = PrefetchOptions(),
        completingOn context: CompletionContext,
        completion: @escaping @Sendable (Result<Prefetch, ViewError>) -> Void
    ) -> RequestToken {
        RequestToken(completingOn: context, completion) { () async throws(ViewError) in try await prefetch(request, options: options) }
    }

    /// Gets a screen before it is needed. Does not suspend; failures are not reported.
    ///
    /// - Returns: The token that cancels the prefetch. Dropping the token cancels nothing.
    @discardableResult
    public func prefetch(url: String, additionalData: HTTPAdditionalData? = nil, options: PrefetchOptions = PrefetchOptions()) -> RequestToken {
        prefetch(ViewRequest(url, additionalData: additionalData), options: options, completingOn: .anywhere) { _ in }
    }
}

/// A request whose result goes to a completion handler. Dropping it does not cancel it.
public final class RequestToken: Sendable {
    private let task: CompletingTask

    init<Value: Sendable>(
        completingOn context: CompletionContext,
        _ completion: @escaping @Sendable (Result<Value, ViewError>) -> Void,
        _ operation: @escaping @Sendable () async throws(ViewError) -> Value
    ) {
        task = CompletingTask(completingOn: context, ifCancelled: ViewError.cancelled, completion, operation)
    }

    /// Cancels the request: its handler gets the error `cancelled`, unless it has got something already. Other callers
    /// that wait for the same screen are served all the same. Calling it again does nothing.
    public func cancel() {
        task.cancel()
    }
}
