// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftParser
    import SwiftSyntax
    import SwiftSyntaxBuilder

    // Problems of the attribute's arguments.
    extension CachedProblem {
        static func cache(_ expression: ExprSyntax) -> CachedProblem {
            CachedProblem(
                "cache",
                at: expression,
                "Name the cache, as in 'in: users' or 'in: Caches.users', or give the key path of the instance's cache: 'in: \\Self.users'."
            )
        }

        static func notNames(_ expression: ExprSyntax, _ label: String) -> CachedProblem {
            CachedProblem("notNames", at: expression, "'\(label)' takes names in quotation marks, such as [\"locale\"].")
        }

        static func placeholder(_ name: String, _ literal: StringLiteralExprSyntax, _ parameters: [CachedParameter]) -> CachedProblem {
            let problem = CachedProblem("placeholder", at: literal, "There is no parameter '\(name)' whose value could be part of the tag.")
            guard parameters.count == 1, let parameter = parameters.first else { return problem }
            let fixed = literal.description.replacing("{\(name)}", with: "{\(parameter.plainName)}")
            return problem.fix("use '\(parameter.plainName)'", replacing: literal, by: ExprSyntax("\(raw: fixed)"))
        }

        static func optionalPlaceholder(_ name: String, _ literal: StringLiteralExprSyntax) -> CachedProblem {
            CachedProblem("optionalPlaceholder", at: literal, "'\(name)' can be nil, and cannot be part of a tag.")
        }

        static func placeholderElsewhere(_ literal: StringLiteralExprSyntax) -> CachedProblem {
            CachedProblem(
                "placeholderElsewhere",
                at: literal,
                "Values of parameters take their places only in plain literals of an array literal, as in 'tags: [\"user-{id}\"]'."
            )
        }

        static func shadowed(_ name: String, _ node: Syntax) -> CachedProblem {
            CachedProblem("shadowed", at: node, "Inside the function '\(name)' is the parameter, and not what it is here. Rename one of them.")
        }

        static func noInstance(_ name: String, _ attribute: AttributeSyntax) -> CachedProblem {
            CachedProblem("noInstance", at: attribute, "'\(name)' cannot be included in the key: the function belongs to no instance.")
                .fix("remove '\(name)'", replacing: attribute, by: attribute.removing(name, from: "including"))
        }

        static func noParameter(_ name: String, _ attribute: AttributeSyntax) -> CachedProblem {
            CachedProblem("noParameter", at: attribute, "There is no parameter '\(name)' to leave out of the key.")
                .fix("remove '\(name)'", replacing: attribute, by: attribute.removing(name, from: "ignoring"))
        }

        static func state(_ read: InstanceReads.Read, function: String, _ options: CachedOptions) -> CachedProblem {
            let attribute = options.attribute
            let subject = read.name == "self" ? "self" : "self.\(read.name)"
            // A name alone would be the parameter's.
            let ignored = options.parameters.contains { $0.plainName == read.name } ? subject : read.name
            let problem = CachedProblem(
                "state",
                at: read.node,
                "'\(function)' reads '\(subject)', which is not part of the key: instances that differ in it would get each other's values."
            )
            let including = problem.fix("make '\(read.name)' part of the key", replacing: attribute, by: attribute.adding(read.name, to: "including"))
            return (read.name == "self" ? problem : including).fix(
                "leave '\(read.name)' out of the key, because the value does not depend on it",
                replacing: attribute,
                by: attribute.adding(ignored, to: "ignoring")
            )
        }
    }

    extension AttributeSyntax {
        /// With one name more in the list that an argument is.
        func adding(_ name: String, to label: String) -> AttributeSyntax {
            changing(label) { $0 + [name] }
        }

        func removing(_ name: String, from label: String) -> AttributeSyntax {
            changing(label) { $0.filter { $0 != name && $0 != "self.\(name)" } }
        }

        private func changing(_ label: String, _ change: ([String]) -> [String]) -> AttributeSyntax {
            guard case .argumentList(let list) = arguments else { return self }
            var arguments = list.map { (label: $0.label?.text ?? "", value: $0.expression.trimmedDescription) }
            let index = arguments.firstIndex { $0.label == label }
            let literals = index.flatMap { list[list.index(list.startIndex, offsetBy: $0)].expression.as(ArrayExprSyntax.self)?.elements }
            let old = literals?.compactMap { $0.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue } ?? []
            let new = change(old)
            let value = "[\(new.map { StringLiteralExprSyntax(content: $0).description }.joined(separator: ", "))]"
            if let index {
                if new.isEmpty { arguments.remove(at: index) } else { arguments[index].value = value }
            } else {
                // In the order of the attribute's declaration: `including` stands before `ignoring`.
                let place = label == "including" ? arguments.firstIndex { $0.label == "ignoring" } : nil
                arguments.insert((label, value), at: place ?? arguments.endIndex)
            }
            var copy = self
            let text = arguments.map { "\($0.label): \($0.value)" }.joined(separator: ", ")
            let call = ExprSyntax("f(\(raw: text))").as(FunctionCallExprSyntax.self)
            copy.arguments = call.map { .argumentList($0.arguments) }
            return copy
        }
    }
#endif
