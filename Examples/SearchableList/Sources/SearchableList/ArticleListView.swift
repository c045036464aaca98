// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    import SwiftUI

    struct ArticleListView: View {
        @Bindable var list: ArticleList

        var body: some View {
            NavigationStack {
                List(list.articles) { article in
                    Text(article.title).onAppear { list.articleAppeared(article) }
                }
                .overlay {
                    if list.articles.isEmpty {
                        if list.isLoading { ProgressView() } else if list.error != nil { Text("The articles cannot be had now.") }
                    }
                }
                .navigationTitle("Articles")
                .searchable(text: $list.searchText)
                .refreshable { await list.refresh() }
                .task { await list.run() }
            }
        }
    }
#endif
