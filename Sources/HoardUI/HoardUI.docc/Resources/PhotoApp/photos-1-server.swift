// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardModels

struct Photo: Codable, Hashable, Identifiable, Sendable {
    let id: Int
    let title: String
    let url: String
}

struct PhotoServer: Sendable {
    let network: NetworkManager

    func photos(after id: Int?) async throws -> CachedPage<Photo, Int> {
        let query: [NetworkRequest.QueryItem] = id.map { [.init("after", String($0))] } ?? []
        let request = NetworkRequest(.get, "https://photos.example/photos", queryItems: query)
        return try await network.fetch(request, as: CachedPage<Photo, Int>.self)
    }
}
