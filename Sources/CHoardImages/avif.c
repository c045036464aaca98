// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#include "internal.h"

#if HOARD_IMAGES_DECODES && defined(HOARD_AVIF)

#include <string.h>

// AVIF by libavif, which reports errors by values and makes no calls of its own.

static hoard_image_status status_of(avifResult result)
{
    switch (result) {
    case AVIF_RESULT_OUT_OF_MEMORY: return HOARD_IMAGE_NO_MEMORY;
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_NOT_IMPLEMENTED:
    case AVIF_RESULT_UNSUPPORTED_DEPTH: return HOARD_IMAGE_UNSUPPORTED;
    default: return HOARD_IMAGE_DAMAGED;
    }
}

static void check(hoard_image *image, avifResult result)
{
    if (result == AVIF_RESULT_OK) return;
    // Only these texts tell limits from damage.
    const char *reason = image->avif->diag.error;
    if (strstr(reason, "imageCountLimit") != NULL) hoard_image_fail(image, HOARD_IMAGE_TOO_MANY_FRAMES);
    if (strstr(reason, "dimensions are too large") != NULL) hoard_image_fail(image, HOARD_IMAGE_TOO_LARGE);
    hoard_image_fail(image, status_of(result));
}

// MARK: Header

static uint64_t number(const uint8_t *bytes, int length)
{
    uint64_t value = 0;
    for (int index = 0; index < length; index++) value = value << 8 | bytes[index];
    return value;
}

/// The length of the box at a place, its head included; 0 if no whole box is there.
static size_t box_length(const hoard_image *image, size_t offset)
{
    const size_t rest = image->count - offset;
    if (rest < 8) return 0;
    uint64_t length = number(image->bytes + offset, 4);
    // Up to the end of the file.
    if (length == 0) return rest;
    size_t head = 8;
    if (length == 1) {
        head = 16;
        if (rest < head) return 0;
        length = number(image->bytes + offset + 8, 8);
    }
    return length < head || length > rest ? 0 : (size_t)length;
}

/// Whether the file ends where its last box does. libavif does not miss what it does not need for the first frame.
static int is_whole(const hoard_image *image)
{
    size_t offset = 0;
    while (offset < image->count) {
        const size_t length = box_length(image, offset);
        if (length == 0) return 0;
        offset += length;
    }
    return 1;
}

/// The number of pictures that a still file is put together from, of colours and of alpha: entries of the kind av01 in the list of its items.
static uint64_t tile_count(const hoard_image *image)
{
    uint64_t tiles = 0;
    size_t offset = 0, length;
    while ((length = box_length(image, offset)) > 0) {
        if (memcmp(image->bytes + offset + 4, "meta", 4) == 0) {
            for (size_t index = offset; index + 4 <= offset + length; index++) tiles += memcmp(image->bytes + index, "av01", 4) == 0;
        }
        offset += length;
    }
    return tiles;
}

/// The orientation as EXIF counts it, of a rotation against the clock and a mirror behind that.
static uint32_t orientation_of(const avifImage *picture)
{
    const int turns = picture->transformFlags & AVIF_TRANSFORM_IROT ? picture->irot.angle & 3 : 0;
    static const uint32_t turned[] = {1, 8, 3, 6}, turned_and_swapped[] = {2, 7, 4, 5}, turned_and_flipped[] = {4, 5, 2, 7};
    if (!(picture->transformFlags & AVIF_TRANSFORM_IMIR)) return turned[turns];
#if AVIF_VERSION >= 1000000
    const int exchanges_sides = picture->imir.axis == 1;
#else
    const int exchanges_sides = picture->imir.mode == 1;
#endif
    return (exchanges_sides ? turned_and_swapped : turned_and_flipped)[turns];
}

static void set_up(hoard_image *image)
{
    avifDecoder *decoder = image->avif;
    // Caches decode several pictures at once; each of them has its thread.
    decoder->maxThreads = 1;
    decoder->ignoreExif = decoder->ignoreXMP = AVIF_TRUE;
    // 0 would mean none.
    decoder->imageCountLimit = image->limits.frames > 0 ? image->limits.frames : 1;
    // Older programs leave out what nothing here needs.
    decoder->strictFlags = AVIF_STRICT_CLAP_VALID;
}

void hoard_avif_read_header(hoard_image *image)
{
    if (!is_whole(image)) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    // Tables of the file's boxes, which libavif keeps in a longer form.
    hoard_image_reserve(image, ((uint64_t)1 << 16) + (uint64_t)image->count * 4);
    image->avif = avifDecoderCreate();
    if (image->avif == NULL) hoard_image_fail(image, HOARD_IMAGE_NO_MEMORY);
    set_up(image);
    check(image, avifDecoderSetIOMemory(image->avif, image->bytes, image->count));
    check(image, avifDecoderParse(image->avif));
    const avifImage *picture = image->avif->image;
    image->avif_crop = (avifCropRect){0, 0, picture->width, picture->height};
    if (picture->transformFlags & AVIF_TRANSFORM_CLAP) {
        avifDiagnostics diagnostics;
        if (!avifCropRectConvertCleanApertureBox(&image->avif_crop, &picture->clap, picture->width, picture->height, picture->yuvFormat, &diagnostics)) {
            hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
        }
    }
    // A picture that lies outside of itself would be read from behind the canvas.
    if (image->avif_crop.x > picture->width || image->avif_crop.width > picture->width - image->avif_crop.x
        || image->avif_crop.y > picture->height || image->avif_crop.height > picture->height - image->avif_crop.y) {
        hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    }
    const uint64_t area = (uint64_t)picture->width * picture->height;
    if (area > image->limits.pixels) hoard_image_fail(image, HOARD_IMAGE_TOO_LARGE);
    // The coded pictures may be larger than the boxes say, and libavif would scale them down. Only padding is allowed. Those of a grid are parts of the picture.
    const uint64_t tiles = tile_count(image);
    const uint64_t tile_area = (tiles > 2 ? area * 3 / tiles : area) + (1 << 18);
    if (tile_area < image->avif->imageSizeLimit) image->avif->imageSizeLimit = (uint32_t)tile_area;
    // Each tile has a decoder of its own.
    if (tiles > 2) hoard_image_reserve(image, tiles << 20);
    image->info.width = image->avif_crop.width;
    image->info.height = image->avif_crop.height;
    image->info.orientation = orientation_of(picture);
    image->info.frames = image->avif->imageCount > 0 ? (uint32_t)image->avif->imageCount : 1;
    // This version of libavif does not say how often.
    image->info.plays = image->info.frames > 1 ? 0 : 1;
}

// MARK: Pixels

/// An estimate of what the library and its decoder take: planes of up to four samples for each pixel, of two bytes where a sample has more than 8 bits, and as
/// much again while they work; eight frames more in a sequence, which others are made of. A file made to do harm has hidden frames in a still picture, too.
static uint64_t library_bytes(const hoard_image *image)
{
    const avifImage *picture = image->avif->image;
    const uint64_t pixels = (uint64_t)picture->width * picture->height;
    const uint64_t frame = pixels * 4 * (picture->depth > 8 ? 2 : 1);
    return ((uint64_t)8 << 20) + frame * (image->info.frames > 1 ? 10 : 2);
}

void hoard_avif_read_pixels(hoard_image *image)
{
    const avifImage *picture = image->avif->image;
    const uint32_t width = picture->width, height = picture->height;
    if (image->frames_decoded == 0) {
        hoard_image_take_canvas(image, width, height);
        hoard_image_reserve(image, library_bytes(image));
    }
    check(image, avifDecoderNextImage(image->avif));
    hoard_image_check_stop(image);
    // The pictures themselves may have another size than the file says.
    if (picture->width != width || picture->height != height) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    avifRGBImage pixels;
    avifRGBImageSetDefaults(&pixels, picture);
    pixels.depth = 8;
    pixels.format = AVIF_RGB_FORMAT_RGBA;
    pixels.pixels = image->canvas;
    pixels.rowBytes = width * 4;
    if ((uint64_t)width * height * 4 != image->canvas_length) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    check(image, avifImageYUVToRGB(picture, &pixels));
    const double milliseconds = image->avif->imageTiming.duration * 1000;
    image->duration = milliseconds >= 0 && milliseconds < UINT32_MAX ? (uint32_t)(milliseconds + 0.5) : 0;
    hoard_image_scale(image, image->canvas + ((size_t)image->avif_crop.y * width + image->avif_crop.x) * 4, (size_t)width * 4);
}

void hoard_avif_close(hoard_image *image)
{
    if (image->avif != NULL) avifDecoderDestroy(image->avif);
}

#endif
