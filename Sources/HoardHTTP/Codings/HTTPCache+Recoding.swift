// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardCodings
internal import NIOCore

extension HTTPCache {
    /// How the content of a response has to be changed for its client.
    struct Recoding {
        let own: ContentCoding?
        let target: FormKind
    }

    /// How a response is to be changed that is not in the form that its client wants; `nil` if it is, or stays as it is.
    func recoding(of response: HTTPCacheResponse, to call: Call) -> Recoding? {
        guard let selection = call.coding, !response.isInForm, selection.rules.isCodable(response.head) else { return nil }
        let own = selection.rules.coding(of: response.head.headerFields)
        var target = selection.target(for: own)
        if target.coding != nil, target != FormKind(own), !mayBeEncoded(response, selection.rules) {
            target = FormKind(selection.decodedTarget(for: own))
        }
        return target == FormKind(own) ? nil : Recoding(own: own, target: target)
    }

    /// Whether the cache keeps the content that it compresses: nothing in it is for one user then.
    private func mayBeEncoded(_ response: HTTPCacheResponse, _ rules: CodingRules) -> Bool {
        if response.isFromCache || rules.codesUnstored { return true }
        guard let report = response.report else { return false }
        return report.outcome == .collapsedHit || report.outcome == .miss && report.isStored
    }

    /// The response to a client, in the form that it wants. Suspends while content is coded.
    func recoded(_ response: HTTPCacheResponse, to call: Call) async -> HTTPCacheResponse {
        var response = response
        call.coding?.nameHeldForm(in: &response.head)
        guard let recoding = recoding(of: response, to: call) else { return response }
        if call.request.method == .head { return response.headInForm(recoding, isKept: false) }
        guard let content = response.body.bytesAtHand, content.readableBytes <= configuration.inlineBodyBytes else {
            return response.body.length == 0 ? response : response.streamed(recoding)
        }
        if content.readableBytes < (recoding.own == nil ? rules.codings?.minimumBytes ?? 0 : 1) {
            keep(nil, recoding, of: content, for: call)
            return response
        }
        let job = FormMaker.Job(key: call.key, own: recoding.own, target: recoding.target)
        let form = await forms.form(of: content, job) { [self] form in
            switch form {
            case .coded(let coded): keep(coded, recoding, of: content, for: call)
            case .notWorthIt: keep(nil, recoding, of: content, for: call)
            case .tooLong, .damaged: break
            }
        }
        if case .tooLong = form { return response.streamed(recoding) }
        guard case .coded(let coded) = form else { return response }
        response = response.headInForm(recoding, isKept: true)
        response.head.headerFields.append(HTTPField(name: .contentLength, value: String(coded.readableBytes)))
        response.body = HTTPBody(coded)
        return response
    }

    /// Keeps a form beside the response that it is of, if memory still has that.
    private func keep(_ coded: ByteBuffer?, _ recoding: Recoding, of content: ByteBuffer, for call: Call) {
        guard let found = lookUpInMemory(call.key, machine(for: call).selectingFields), let key = found.key, let stored = found.response,
            stored.isCodable, stored.coding == recoding.own, stored.body.bytesAtHand == content
        else { return }
        let extended = stored.adding(coded, recoding.target, rules: rules)
        // One entry does not push out many others.
        guard extended.weight <= memoryBytes / 16 else { return }
        entries.replaceInMemory(with: .response(extended), forKey: key) { entry in
            if case .response(let current) = entry { current == stored } else { false }
        }
    }
}

extension HTTPCacheResponse {
    /// The same response with the head of another form.
    ///
    /// - Parameter isKept: Whether the bytes are those that will come again. Content that is coded while it is sent is cut in other places each time, so its tag is weak.
    fileprivate func headInForm(_ recoding: HTTPCache.Recoding, isKept: Bool) -> Self {
        var response = self
        response.head = head.form(recoding.target)
        if !isKept, recoding.target.coding != nil, let tag = response.head.headerFields[.eTag], tag.hasPrefix("\"") {
            response.head.headerFields[.eTag] = "W/" + tag
        }
        return response
    }

    /// The same response, coded while it is read.
    fileprivate func streamed(_ recoding: HTTPCache.Recoding) -> Self {
        var response = headInForm(recoding, isKept: false)
        // Nothing of it stays in memory, so only the ratio is limited.
        let limits = ContentDecoder.Limits(maximumBytes: .max)
        let original = body
        let plain = recoding.own.map { HTTPBody(DecodedBody(original, [$0], limits), length: nil) } ?? original
        let trailers = { @Sendable in original.trailers.map { HTTPFields($0.filter { !$0.name.isDigest }) } }
        response.body =
            recoding.target.coding.map { HTTPBody(CodedBody(plain, $0, recoding.target.dictionary), length: nil, trailers: trailers) }
            ?? HTTPBody(plain, length: nil, trailers: trailers)
        return response
    }
}
