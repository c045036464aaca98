// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import SwiftUI

final class Model {}

struct Shown: View {
    @State private var model = Model()
    @Environment(\.displayScale) private var scale

    var body: some View { EmptyView().task(id: model) {} }  // refused: requires that 'Model' conform to 'Equatable'
    var points: Float { scale }  // refused: cannot convert return expression of type 'CGFloat'
}

func refused(_ image: CGImage, _ open: OpenURLAction, _ url: URL) {
    open(url)  // refused: call to main actor-isolated instance method 'callAsFunction'
    _ = Bindable(Model())  // refused: requires that 'Model' conform to 'Observable'
    _ = Image(image, scale: 1)  // refused: missing argument label 'decorative:'
}
