// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftSyntax

    /// Tags with places for parameters: `"user-{id}"`.
    struct TagTemplates {
        private let parameters: [CachedParameter]

        init(_ parameters: [CachedParameter]) { self.parameters = parameters }

        /// The expression with `\(id)` for `{id}`.
        func filled(_ expression: ExprSyntax, _ problems: inout [CachedProblem]) -> String {
            guard let array = expression.as(ArrayExprSyntax.self) else {
                problems += LiteralsWithPlaces.of(parameters, in: expression).map { .placeholderElsewhere($0) }
                return expression.trimmedDescription
            }
            let elements = array.elements.map { element -> String in
                if let literal = element.expression.as(StringLiteralExprSyntax.self), literal.openingPounds == nil {
                    return filled(literal, &problems)
                }
                problems += LiteralsWithPlaces.of(parameters, in: element.expression).map { .placeholderElsewhere($0) }
                return element.expression.trimmedDescription
            }
            return "[\(elements.joined(separator: ", "))]"
        }

        private func filled(_ literal: StringLiteralExprSyntax, _ problems: inout [CachedProblem]) -> String {
            let quote = literal.openingQuote.text
            return quote + literal.segments.map { filled($0, in: literal, &problems) }.joined() + quote
        }

        private func filled(
            _ segment: StringLiteralSegmentListSyntax.Element,
            in literal: StringLiteralExprSyntax,
            _ problems: inout [CachedProblem]
        ) -> String {
            guard case .stringSegment(let segment) = segment else { return segment.description }
            var text = segment.description[...]
            var made = ""
            while let place = Self.firstPlace(in: text) {
                let name = String(text[place].dropFirst().dropLast())
                made += text[..<place.lowerBound]
                if let parameter = parameters.first(where: { $0.plainName == name }) {
                    if parameter.isOptional { problems.append(.optionalPlaceholder(name, literal)) }
                    made += "\\(\(parameter.name))"
                } else {
                    problems.append(.placeholder(name, literal, parameters))
                }
                text = text[place.upperBound...]
            }
            return made + text
        }

        /// A name in braces, which are not those of a character's number: `\u{E9}`.
        static func firstPlace(in text: Substring) -> Range<Substring.Index>? {
            var rest = text
            while let start = rest.firstIndex(of: "{") {
                let end = text[start...].firstIndex(of: "}")
                if let end, !text[..<start].hasSuffix("\\u"), isName(text[text.index(after: start)..<end]) { return start..<text.index(after: end) }
                rest = text[text.index(after: start)...]
            }
            return nil
        }

        private static func isName(_ text: Substring) -> Bool {
            guard let first = text.first, first.isLetter || first == "_" else { return false }
            return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
    }

    /// Literals with the name of a parameter in braces, which would not be filled in.
    private final class LiteralsWithPlaces: SyntaxVisitor {
        private let names: [String]
        private var found: [StringLiteralExprSyntax] = []

        private init(_ names: [String]) {
            self.names = names
            super.init(viewMode: .sourceAccurate)
        }

        static func of(_ parameters: [CachedParameter], in expression: ExprSyntax) -> [StringLiteralExprSyntax] {
            let visitor = LiteralsWithPlaces(parameters.map(\.plainName))
            visitor.walk(expression)
            return visitor.found
        }

        override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
            if names.contains(where: { node.description.contains("{\($0)}") }) { found.append(node) }
            return .visitChildren
        }
    }
#endif
