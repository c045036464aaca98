// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(UIKit) && !os(watchOS)
    import HoardUI
    import UIKit

    final class ImageListController: UITableViewController, UITableViewDataSourcePrefetching {
        private let rows: ImageRows

        init(_ rows: ImageRows) {
            self.rows = rows
            super.init(style: .plain)
        }

        @available(*, unavailable) required init?(coder: NSCoder) { nil }

        override func viewDidLoad() {
            super.viewDidLoad()
            tableView.register(ImageCell.self, forCellReuseIdentifier: "image")
            tableView.rowHeight = ImageCell.side
            tableView.prefetchDataSource = self
        }

        override func viewIsAppearing(_ animated: Bool) {
            super.viewIsAppearing(animated)
            // The screen is known from now on.
            rows.options = ImageSizing.fill.options(width: ImageCell.side, height: ImageCell.side, scale: traitCollection.displayScale)
        }

        override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { rows.urls.count }

        override func tableView(_ tableView: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
            let cell = tableView.dequeueReusableCell(withIdentifier: "image", for: path)
            // A cell that is used again needs no cleaning: the image that it waited for before is cancelled, and never shown.
            let size = CGSize(width: ImageCell.side, height: ImageCell.side)
            (cell as? ImageCell)?.picture.showImage(at: rows.urls[path.row], from: rows.images, size: size)
            return cell
        }

        override func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt path: IndexPath) {
            (cell as? ImageCell)?.picture.resumeImage()
        }

        override func tableView(_ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt path: IndexPath) {
            (cell as? ImageCell)?.picture.pauseImage()
        }

        func tableView(_ tableView: UITableView, prefetchRowsAt paths: [IndexPath]) { rows.prefetch(paths.map(\.row)) }

        func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt paths: [IndexPath]) { rows.cancelPrefetching(paths.map(\.row)) }
    }

    final class ImageCell: UITableViewCell {
        static let side: CGFloat = 96
        let picture = UIImageView()

        override init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) {
            super.init(style: style, reuseIdentifier: reuseIdentifier)
            picture.frame = CGRect(x: 0, y: 0, width: Self.side, height: Self.side)
            picture.contentMode = .scaleAspectFill
            picture.clipsToBounds = true
            contentView.addSubview(picture)
        }

        @available(*, unavailable) required init?(coder: NSCoder) { nil }
    }
#endif
