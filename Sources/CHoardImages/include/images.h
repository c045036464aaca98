// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Decoding of PNG and JPEG into rows of RGBA, 8 bits each, not premultiplied; with HOARD_WEBP, HOARD_GIF and HOARD_AVIF of these kinds, too.
//
// libpng and libjpeg report errors by longjmp. Every call of them stands in this module, behind setjmp, so that no jump crosses a frame of
// another language. Whatever a picture holds, a call ends with a status, and `hoard_image_close` gives back all that was taken.

#ifndef HOARD_IMAGES_H
#define HOARD_IMAGES_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    HOARD_IMAGE_OK = 0,
    /// The bytes are of none of the formats.
    HOARD_IMAGE_NOT_AN_IMAGE,
    /// One of them, but of a kind that cannot be decoded, such as a lossless JPEG, or any WebP where it was built without.
    HOARD_IMAGE_UNSUPPORTED,
    /// The limit of pixels would be passed.
    HOARD_IMAGE_TOO_LARGE,
    /// The limit of memory would be passed.
    HOARD_IMAGE_TOO_MUCH_MEMORY,
    /// A JPEG has more scans than allowed.
    HOARD_IMAGE_TOO_MANY_SCANS,
    /// An animation has more frames than allowed.
    HOARD_IMAGE_TOO_MANY_FRAMES,
    /// The bytes end early or contradict themselves.
    HOARD_IMAGE_DAMAGED,
    /// The caller's function asked to stop.
    HOARD_IMAGE_STOPPED,
    /// The system gave no memory.
    HOARD_IMAGE_NO_MEMORY,
    /// The module was built without libpng and libjpeg, or was called with arguments that make no sense.
    HOARD_IMAGE_NOT_POSSIBLE
} hoard_image_status;

typedef enum { HOARD_IMAGE_PNG = 1, HOARD_IMAGE_JPEG, HOARD_IMAGE_WEBP, HOARD_IMAGE_GIF, HOARD_IMAGE_AVIF } hoard_image_format;

typedef struct {
    /// The most pixels that the picture may have as it is stored.
    uint64_t pixels;
    /// The most bytes that decoding may take, the pixels it returns included.
    uint64_t working_bytes;
    /// The most scans of a JPEG.
    uint32_t scans;
    /// The most frames of an animation.
    uint32_t frames;
} hoard_image_limits;

typedef struct {
    hoard_image_format format;
    /// As stored, before any orientation is applied.
    uint32_t width;
    uint32_t height;
    /// Whether the picture is stored coarse first: Adam7 or progressive.
    int is_interlaced;
    /// How many pictures follow each other; 1 if it does not move.
    uint32_t frames;
    /// How often they are shown in all; 0: for ever.
    uint32_t plays;
    /// The orientation that the format itself has, as EXIF counts it; 0: it has none, and EXIF decides.
    uint32_t orientation;
} hoard_image_info;

typedef struct hoard_image hoard_image;

/// Called now and then while a picture is decoded. Anything but 0 ends that with HOARD_IMAGE_STOPPED.
typedef int (*hoard_image_stop)(void *context);

/// Reads the header. Makes no picture, and takes no memory that depends on its size.
///
/// `bytes` have to stay where they are until the image is closed. `is_beginning`: the end of a JPEG may be missing, and what is there is decoded.
/// `image` is NULL afterwards unless the status is HOARD_IMAGE_OK.
hoard_image_status hoard_image_open(const uint8_t *bytes, size_t count, int is_beginning, hoard_image_limits limits, hoard_image **image);

hoard_image_info hoard_image_get_info(const hoard_image *image);

/// Decodes the next frame, scaled down to `width` times `height` pixels, which are counted before `orientation` is applied. Each frame is
/// decoded once; to see it again, the image is opened again.
///
/// `orientation` is that of EXIF, 1 to 8. `pixels` takes width * height * 4 bytes, in the orientation in which the picture is to be seen.
hoard_image_status hoard_image_decode(
    hoard_image *image, uint32_t width, uint32_t height, uint32_t orientation, uint8_t *pixels, size_t count, hoard_image_stop stop, void *context);

/// How long the frame decoded last is shown, in milliseconds.
uint32_t hoard_image_get_duration(const hoard_image *image);

/// The most bytes that the image has taken at once, as far as this module and libpng take them. libjpeg's own are not in it.
uint64_t hoard_image_peak_bytes(const hoard_image *image);

void hoard_image_close(hoard_image *image);

/// Writes a PNG of width * height * 4 bytes. The caller frees `bytes` with `hoard_image_free`.
hoard_image_status hoard_png_encode(const uint8_t *pixels, size_t pixel_byte_count, uint32_t width, uint32_t height, uint8_t **bytes, size_t *count);

void hoard_image_free(void *bytes);

#endif
