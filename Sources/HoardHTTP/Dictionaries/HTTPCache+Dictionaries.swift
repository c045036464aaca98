// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardCodings
internal import NIOCore

extension HTTPCache {
    /// Remembers the content of a response as a dictionary, if it says that it is one. In the background, as content may have to be read.
    func rememberDictionary(_ response: StoredResponse, forKey key: HTTPCacheKey) {
        guard let dictionaries, response.isComplete, response.statusCode == 200, response.isCodable,
            let length = response.body.completeLength, length <= dictionaries.maximumLength,
            let use = DictionaryUse(response.headWithoutAge.headerFields, of: key.targetURI)
        else { return }
        let body = response.body
        work.start { [self] in
            let (own, limits) = (response.coding.map { [$0] } ?? [], ContentDecoder.Limits(maximumBytes: dictionaries.maximumLength))
            guard let stored = await content([.range(0..<length)], of: body, key: key),
                let bytes = try? await HTTPBody(stored, length: length).collect(upTo: length), let plain = try? bytes.decoded(own, limits)
            else { return }
            dictionaries.add(Array(buffer: plain), use, for: key)
        }
    }
}
