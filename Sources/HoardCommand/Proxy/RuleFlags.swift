// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// Options of all routes that are about more than caching.
struct RuleFlags: SettingFlags {
    @Option(name: .customLong("allow"), help: .setting("allow"), completion: .setting("allow"))
    var allow: String?

    @Option(name: .customLong("deny"), help: .setting("deny"), completion: .setting("deny"))
    var deny: String?

    @Option(name: .customLong("cors-origins"), help: .setting("cors-origins"), completion: .setting("cors-origins"))
    var corsOrigins: String?

    @Option(name: .customLong("cors-methods"), help: .setting("cors-methods"), completion: .setting("cors-methods"))
    var corsMethods: String?

    @Option(name: .customLong("cors-request-fields"), help: .setting("cors-request-fields"), completion: .setting("cors-request-fields"))
    var corsRequestFields: String?

    @Option(name: .customLong("cors-response-fields"), help: .setting("cors-response-fields"), completion: .setting("cors-response-fields"))
    var corsResponseFields: String?

    @Option(name: .customLong("cors-credentials"), help: .setting("cors-credentials"), completion: .setting("cors-credentials"))
    var corsCredentials: String?

    @Option(name: .customLong("cors-max-age"), help: .setting("cors-max-age"), completion: .setting("cors-max-age"))
    var corsMaxAge: String?

    @Option(name: .customLong("password-file"), help: .setting("password-file"), completion: .file())
    var passwordFile: String?

    @Option(name: .customLong("realm"), help: .setting("realm"), completion: .setting("realm"))
    var realm: String?

    @Option(name: .customLong("redirect"), help: .setting("redirect"), completion: .setting("redirect"))
    var redirect: String?

    @Option(name: .customLong("redirect-status"), help: .setting("redirect-status"), completion: .setting("redirect-status"))
    var redirectStatus: String?

    @Option(name: .customLong("answer-text"), help: .setting("answer-text"), completion: .setting("answer-text"))
    var answerText: String?

    @Option(name: .customLong("answer-status"), help: .setting("answer-status"), completion: .setting("answer-status"))
    var answerStatus: String?

    @Option(name: .customLong("answer-type"), help: .setting("answer-type"), completion: .setting("answer-type"))
    var answerType: String?

    @Option(name: .customLong("replace-path"), help: .setting("replace-path"), completion: .setting("replace-path"))
    var replacePath: String?

    @Option(name: .customLong("request-remove"), help: .setting("request-remove"), completion: .setting("request-remove"))
    var requestRemove: String?

    @Option(name: .customLong("request-set"), help: .setting("request-set"), completion: .setting("request-set"))
    var requestSet: [String] = []

    @Option(name: .customLong("request-add"), help: .setting("request-add"), completion: .setting("request-add"))
    var requestAdd: [String] = []

    @Option(name: .customLong("response-remove"), help: .setting("response-remove"), completion: .setting("response-remove"))
    var responseRemove: String?

    @Option(name: .customLong("response-set"), help: .setting("response-set"), completion: .setting("response-set"))
    var responseSet: [String] = []

    @Option(name: .customLong("response-add"), help: .setting("response-add"), completion: .setting("response-add"))
    var responseAdd: [String] = []

    @Option(name: .customLong("security-fields"), help: .setting("security-fields"), completion: .setting("security-fields"))
    var securityFields: String?

    @Option(name: .customLong("early-hints"), help: .setting("early-hints"), completion: .setting("early-hints"))
    var earlyHints: String?

    @Option(name: .customLong("error-page"), help: .setting("error-page"), completion: .file())
    var errorPage: String?

    var given: [(name: String, values: [String])] {
        given([
            ("allow", allow.all),
            ("deny", deny.all),
            ("cors-origins", corsOrigins.all),
            ("cors-methods", corsMethods.all),
            ("cors-request-fields", corsRequestFields.all),
            ("cors-response-fields", corsResponseFields.all),
            ("cors-credentials", corsCredentials.all),
            ("cors-max-age", corsMaxAge.all),
            ("password-file", passwordFile.all),
            ("realm", realm.all),
            ("redirect", redirect.all),
            ("redirect-status", redirectStatus.all),
            ("answer-text", answerText.all),
            ("answer-status", answerStatus.all),
            ("answer-type", answerType.all),
            ("replace-path", replacePath.all),
            ("request-remove", requestRemove.all),
            ("request-set", requestSet),
            ("request-add", requestAdd),
            ("response-remove", responseRemove.all),
            ("response-set", responseSet),
            ("response-add", responseAdd),
            ("security-fields", securityFields.all),
            ("early-hints", earlyHints.all),
            ("error-page", errorPage.all),
        ])
    }
}
