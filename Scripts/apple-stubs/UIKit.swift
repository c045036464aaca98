// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts/apple-check: the part of the module UIKit that Hoard uses. macOS does not have this module.

@_exported public import AppleFoundation
@_exported public import CoreGraphics

// https://developer.apple.com/documentation/uikit/uiimage
open class UIImage: NSObject, @unchecked Sendable {
    public enum Orientation: Int, Sendable { case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored }
    public init?(data: Data) { fatalError() }
    // https://developer.apple.com/documentation/uikit/uiimage/init(cgimage:scale:orientation:)
    public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) { fatalError() }
    // https://developer.apple.com/documentation/uikit/uiimage/pngdata()
    open func pngData() -> Data? { fatalError() }
}

// https://developer.apple.com/documentation/uikit/uitraitcollection/displayscale
open class UITraitCollection: NSObject, @unchecked Sendable {
    open var displayScale: CGFloat { fatalError() }
}

// https://developer.apple.com/documentation/uikit/uiresponder
@MainActor open class UIResponder: NSObject {}

// https://developer.apple.com/documentation/uikit/uiview
@MainActor open class UIView: UIResponder {
    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right, topLeft, topRight, bottomLeft, bottomRight
    }
    public init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open func addSubview(_ view: UIView) { fatalError() }
    open var clipsToBounds: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var frame: CGRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var contentMode: ContentMode {
        get { fatalError() }
        set { fatalError() }
    }
    open var bounds: CGRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var traitCollection: UITraitCollection { fatalError() }
}

// https://developer.apple.com/documentation/uikit/uiimageview
@MainActor open class UIImageView: UIView {
    public convenience init() { fatalError() }
    open var image: UIImage? {
        get { fatalError() }
        set { fatalError() }
    }
}

// https://developer.apple.com/documentation/uikit/uiviewcontroller
@MainActor open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open func viewDidLoad() { fatalError() }
    open func viewIsAppearing(_ animated: Bool) { fatalError() }
    open var traitCollection: UITraitCollection { fatalError() }
}

// https://developer.apple.com/documentation/uikit/uitableviewcell
@MainActor open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable {
        case `default`, value1, value2, subtitle
    }
    public init(style: CellStyle, reuseIdentifier: String?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var contentView: UIView { fatalError() }
}

// https://developer.apple.com/documentation/uikit/uitableviewdatasourceprefetching
@MainActor public protocol UITableViewDataSourcePrefetching: NSObjectProtocol {
    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
    func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

// https://developer.apple.com/documentation/uikit/uitableview
@MainActor open class UITableView: UIView {
    public enum Style: Int, Sendable {
        case plain, grouped, insetGrouped
    }
    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) { fatalError() }
    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell { fatalError() }
    open func reloadData() { fatalError() }
    open var rowHeight: CGFloat {
        get { fatalError() }
        set { fatalError() }
    }
    open weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)? {
        get { fatalError() }
        set { fatalError() }
    }
}

// https://developer.apple.com/documentation/uikit/uitableviewcontroller
@MainActor open class UITableViewController: UIViewController {
    public init(style: UITableView.Style) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var tableView: UITableView! {
        get { fatalError() }
        set { fatalError() }
    }
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { fatalError() }
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell { fatalError() }
    open func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) { fatalError() }
    open func tableView(_ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath) { fatalError() }
}

extension IndexPath {
    // https://developer.apple.com/documentation/foundation/indexpath/row
    public var row: Int {
        get { fatalError() }
        set { fatalError() }
    }
}
