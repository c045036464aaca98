// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardImages
internal import HoardModels
public import Observation

/// An image of an `ImageCache` as a view shows it.
///
/// ```swift
/// let cell = ObservedImage(images, sizing: .fill)
/// cell.layOut(width: 120, height: 120, scale: 3)
/// cell.url = post.imageURL
/// cell.start()   // and stop() when the cell leaves the screen
/// ```
///
/// An image in memory is there as soon as ``url`` is set. Others are loaded while the model is shown, between ``start()`` and ``stop()`` or while
/// ``run()`` runs. Another URL takes the image away at once and cancels its load: a cell never shows the image of another row. Leaving the screen
/// cancels a load too, unless another caller waits for the same image, and gives the image back: a list that keeps its models holds only the pixels
/// that are on the screen.
///
/// A model that plays animations shows their frames one after the other while it is shown, and begins with the first again when it comes back.
@MainActor @Observable public final class ObservedImage {
    /// The image, or the last one of the same URL while a newer or a larger one is loaded; `nil`: there is none yet. Of an animation that is played, the
    /// frame whose time it is.
    public private(set) var image: Bitmap?
    /// The picture to show until the image is there: its placeholder, if the cache keeps these, and then, if that was asked for, the previews of a
    /// progressive JPEG while it arrives. `nil` once there is an image.
    public private(set) var preview: Bitmap?
    /// The error of the last load.
    public private(set) var error: ImageError?
    /// Whether a load is under way.
    public private(set) var isLoading = false

    @ObservationIgnored private let cache: ImageCache
    @ObservationIgnored private let options: ImageOptions
    @ObservationIgnored private let sizing: ImageSizing
    @ObservationIgnored private let showsPreviews: Bool
    @ObservationIgnored private let playsAnimations: Bool
    @ObservationIgnored private var wanted: String?
    @ObservationIgnored private var longerSide: Int?
    /// The size with which ``image`` was asked for.
    @ObservationIgnored private var shownSize: Int?
    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var placeholderTask: Task<Void, Never>?
    @ObservationIgnored private var playbackTask: Task<Void, Never>?
    @ObservationIgnored private var users = Users()
    /// Whether the image had to be loaded, so that it has taken the place of something else.
    @ObservationIgnored private(set) var wasLoaded = false
    /// ``image`` as the system's own type of images.
    @ObservationIgnored var rendering: (any Sendable)?
    /// Called after each change, for views that do not observe.
    @ObservationIgnored var onChange: (@MainActor () -> Void)?

    /// Creates a model. Nothing is loaded before it is shown.
    ///
    /// - Parameters:
    ///   - options: How the image is wanted.
    ///   - sizing: The size of the image. By default the one of `options`.
    ///   - showsPreviews: Whether a progressive JPEG is decoded, for ``preview``, while it arrives. Each of up to three previews takes as much of the processor's time as the image.
    ///   - playsAnimations: Whether the frames of an animation are shown at their times, by the clock of the cache. An image without frames is shown as ever, but
    ///     for previews, which there are none of then. The frames are kept apart from the still image of the same URL.
    public convenience init(
        _ cache: ImageCache,
        url: String? = nil,
        options: ImageOptions = ImageOptions(),
        sizing: ImageSizing = .options,
        showsPreviews: Bool = false,
        playsAnimations: Bool = false
    ) {
        self.init(cache, url, options, sizing, showsPreviews: showsPreviews, playsAnimations: playsAnimations, place: nil)
    }

    /// - Parameter place: Where the image will be shown, if that is known.
    init(
        _ cache: ImageCache,
        _ url: String?,
        _ options: ImageOptions,
        _ sizing: ImageSizing,
        showsPreviews: Bool = false,
        playsAnimations: Bool = false,
        place: ImagePlace?
    ) {
        self.cache = cache
        self.options = options
        self.sizing = sizing
        self.showsPreviews = showsPreviews
        self.playsAnimations = playsAnimations
        wanted = url
        longerSide = place?.longerSide
        look()
    }

    deinit {
        task?.cancel()
        placeholderTask?.cancel()
        playbackTask?.cancel()
    }

    /// Where the image is. `nil`: none is shown.
    public var url: String? {
        get { wanted }
        set {
            if newValue == wanted { return }
            wanted = newValue
            giveBack()
            look()
        }
    }

    /// Says how large the place is where the image is shown, in points, for ``ImageSizing/fit`` and ``ImageSizing/fill``.
    ///
    /// An image that is large enough stays as it is. A load that is under way goes on; if its image turns out to be too small by then, a larger one is loaded after it.
    ///
    /// - Parameter scale: How many pixels a point has on each side.
    public func layOut(width: Double, height: Double, scale: Double) { layOut(ImagePlace(width: width, height: height, scale: scale)) }

    func layOut(_ place: ImagePlace) {
        guard let side = place.longerSide, side != longerSide else { return }
        longerSide = side
        // A failed load is not repeated when the place changes: showing the failure may have changed it.
        if task == nil, error == nil, !isLargeEnough { look() }
    }

    // MARK: Showing

    /// Shows the image until the caller's task is cancelled: for the modifier `task` of a view.
    public func run() async {
        start()
        await untilCancelled()
        stop()
    }

    /// Begins to show the image, and loads it unless it is in memory and fresh. Each call needs a ``stop()``.
    public func start() {
        if users.enter() { look() }
    }

    /// Ends the work that ``start()`` has begun, when it was called as often: a load is cancelled, and the image is
    /// given back.
    public func stop() {
        guard users.leave() else { return }
        cancel()
        giveBack()
    }

    /// Loads the image again after a failure. Does nothing while the image is loading, or if no view shows the model.
    public func retry() {
        if !users.isEmpty, task == nil, error != nil { look() }
    }

    // MARK: Loading

    private var sizedOptions: ImageOptions? { sizing.options(options, longerSide: longerSide) }

    private var isLargeEnough: Bool {
        guard let image else { return false }
        guard let shownSize, let wantedSize = sizedOptions?.maximumPixelSize else { return shownSize == nil }
        // One that is smaller than it might have been is as large as its original, unless a processor has made it smaller.
        return wantedSize <= shownSize || options.processors.isEmpty && max(image.width, image.height) < shownSize
    }

    private func look() {
        cancel()
        if error != nil { error = nil }
        defer { onChange?() }
        guard let wanted, let options = sizedOptions else { return }
        if let found = findInMemory(wanted, options) { return show(found, options, wasLoaded: false) }
        if users.isEmpty { return }
        isLoading = true
        if image == nil { lookForPlaceholder(wanted, options) }
        task = Task { [weak self, cache, showsPreviews, playsAnimations] in
            let result: Result<Found, ImageError>
            do throws(ImageError) {
                if playsAnimations {
                    result = .success(Found(try await cache.animatedImage(for: wanted, options: options)))
                } else if showsPreviews {
                    result = .success(Found(try await Self.progressiveImage(wanted, options, cache) { self?.offer($0) }))
                } else {
                    result = .success(Found(try await cache.image(for: wanted, options: options)))
                }
            } catch {
                result = .failure(error)
            }
            // A change of the wanted image has cancelled this task, on this actor too.
            if !Task.isCancelled { self?.end(result, options) }
        }
    }

    /// An image to show, and the frames that follow it.
    private struct Found: Sendable {
        let image: Bitmap
        let animation: AnimatedImage?

        init(_ image: Bitmap) { (self.image, animation) = (image, nil) }

        init(_ animated: AnimatedImage) {
            (image, animation) = (animated.firstFrame.bitmap, animated.frameCount > 1 ? animated : nil)
        }
    }

    private func findInMemory(_ url: String, _ options: ImageOptions) -> Found? {
        playsAnimations
            ? cache.memoryAnimatedImage(for: url, options: options).map { Found($0) }
            : cache.memoryImage(for: url, options: options).map { Found($0) }
    }

    /// Shows the frames at their times. The last one stays when the rounds are over, or when one cannot be decoded.
    private func play(_ animation: AnimatedImage) {
        playbackTask = Task { [weak self, ticker = cache.ticker] in
            do {
                for try await frame in animation.playback(ticker: ticker) {
                    guard !Task.isCancelled, let self else { return }
                    show(frame.bitmap, wasLoaded: wasLoaded)
                    onChange?()
                }
            } catch {}
        }
    }

    private static func progressiveImage(
        _ url: String,
        _ options: ImageOptions,
        _ cache: ImageCache,
        preview: (Bitmap) -> Void
    ) async throws(ImageError) -> Bitmap {
        do {
            for try await progress in cache.progressiveImage(for: url, options: options) {
                if progress.isComplete { return progress.image }
                if !Task.isCancelled { preview(progress.image) }
            }
        } catch let error as ImageError {
            throw error
        } catch {
            throw ImageError(.failed, "The image could not be loaded.", underlyingError: error)
        }
        throw ImageError(.cancelled, "The task that asked for the image was cancelled.")
    }

    /// Shows the placeholder from memory, or from a store while the image is loaded.
    private func lookForPlaceholder(_ url: String, _ options: ImageOptions) {
        guard preview == nil, cache.configuration.keepsPlaceholders else { return }
        if let placeholder = cache.memoryPlaceholder(for: url, options: options) {
            preview = placeholder.bitmap()
            return
        }
        placeholderTask = Task { [weak self, cache] in
            guard let placeholder = await cache.placeholder(for: url, options: options), !Task.isCancelled, let self, preview == nil else { return }
            offer(placeholder.bitmap())
        }
    }

    private func offer(_ preview: Bitmap) {
        guard image == nil, isLoading else { return }
        self.preview = preview
        onChange?()
    }

    private func end(_ result: Result<Found, ImageError>, _ options: ImageOptions) {
        (task, isLoading) = (nil, false)
        switch result {
        case .success(let found):
            show(found, options, wasLoaded: true)
            if !isLargeEnough { return look() }
        case .failure(let error): self.error = error
        }
        onChange?()
    }

    private func show(_ found: Found, _ options: ImageOptions, wasLoaded: Bool) {
        shownSize = options.maximumPixelSize
        endPlayback()
        if let animation = found.animation, !users.isEmpty { play(animation) }
        show(found.image, wasLoaded: wasLoaded)
    }

    private func show(_ image: Bitmap, wasLoaded: Bool) {
        // No view has to draw the same pixels again.
        if let shown = self.image, shown.hasSamePixels(as: image) { return }
        rendering = nil
        self.wasLoaded = wasLoaded
        self.image = image
        if preview != nil { preview = nil }
    }

    private func giveBack() {
        endPlayback()
        (rendering, shownSize) = (nil, nil)
        if image != nil { image = nil }
        if preview != nil { preview = nil }
    }

    /// Cancels the load. The frames of the image that is shown go on until another one is there, or none.
    private func cancel() {
        task?.cancel()
        placeholderTask?.cancel()
        (task, placeholderTask) = (nil, nil)
        if isLoading { isLoading = false }
    }

    private func endPlayback() {
        playbackTask?.cancel()
        playbackTask = nil
    }
}

extension Bitmap {
    /// Whether both have their pixels in the same memory. O(1).
    fileprivate func hasSamePixels(as other: Bitmap) -> Bool {
        width == other.width && height == other.height
            && pixels.withUnsafeBufferPointer { own in other.pixels.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress } }
    }
}
