// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension HTTPDecision {
    // MARK: Stored

    package static let stored = Self(
        "STORED",
        .storing,
        "RFC 9111 §3",
        "Nothing forbids storing the response, and it can be reused or validated later."
    )
    package static let storedForGet = Self(
        "STORED-FOR-GET",
        .storing,
        "RFC 9110 §9.3.3",
        "The response to POST names its own target in Content-Location and says how long it is fresh, so it answers later GETs."
    )
    package static let storedPart = Self(
        "STORED-PART",
        .storing,
        "RFC 9111 §3.3",
        "A part of the content has come with 206 and is kept; only requests for what is in it can be answered."
    )

    // MARK: Combined

    package static let combined = Self(
        "COMBINED",
        .combining,
        "RFC 9111 §3.4",
        "The part that has come and the parts that are stored have the same strong validator, so they are kept together."
    )
    package static let completed = Self(
        "COMPLETED",
        .combining,
        "RFC 9111 §3.4",
        "Only the range that was missing has been fetched, and with the same strong validator it makes the stored response whole."
    )

    // MARK: Updated

    package static let validated = Self(
        "VALIDATED",
        .updating,
        "RFC 9111 §4.3.4",
        "The origin has confirmed the stored response with 304, whose fields replace the stored ones."
    )
    package static let validatedNotKept = Self(
        "VALIDATED-NOT-KEPT",
        .updating,
        "RFC 9111 §4.3.4",
        "The origin has confirmed the stored response with 304, but the fields of that forbid keeping it any longer."
    )
    package static let updatedByHead = Self(
        "UPDATED-BY-HEAD",
        .updating,
        "RFC 9111 §4.3.5",
        "The response to HEAD has the validators and the length of the stored response, so its fields replace the stored ones."
    )

    // MARK: Not stored

    /// The reason for which ``Storability`` refuses a response.
    package init(_ reason: Storability.Reason) {
        self.init(reason.token, .notStoring, reason.section, reason.explanation)
    }

    package static let clientCondition = Self(
        "CLIENT-CONDITION",
        .notStoring,
        "RFC 9110 §13.2.1",
        "The request was forwarded with conditions of the client's own, and the response is not a full 200."
    )
    package static let notModifiedForClient = Self(
        "CLIENT-NOT-MODIFIED",
        .notStoring,
        "RFC 9111 §4.3.3",
        "The 304 answers the client's own condition and says nothing of what is stored."
    )

    /// Found out when the content has come, and not by the state machine, so that it is not in the ``catalogue``.
    package static let wrongDigest = Self(
        "WRONG-DIGEST",
        .notStoring,
        "RFC 9530 §6.1",
        "The content does not have the digest that Content-Digest or Repr-Digest states."
    )
}
