// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Keeps the model of a view, and makes another one as soon as the view is about something else.
///
/// A view asks in its `body`, so that a value in memory is there the first time. Nothing that is observed changes by that.
@MainActor final class ModelHolder<ID: Equatable, Model: AnyObject> {
    private var id: ID?
    private var model: Model?

    /// The model that was made last.
    var current: Model? { model }

    /// The model for `id`.
    func model(for id: ID, _ make: () -> Model) -> Model {
        if let model, self.id == id { return model }
        let model = make()
        (self.id, self.model) = (id, model)
        return model
    }
}
