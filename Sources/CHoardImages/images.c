// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#include "internal.h"

#include <stdlib.h>
#include <string.h>

#if HOARD_IMAGES_DECODES

/// Beyond this many pixels the sampler's sums could overflow, whatever the caller allows.
static const uint64_t most_pixels = (uint64_t)1 << 40;

/// A row costs something even if it is one pixel long, and so does a pixel of a row that is as long as the picture.
static const uint32_t longest_side = 1000000;

// MARK: Memory

/// In front of every piece, so that it is known how long it is. As long as the strictest alignment.
typedef union {
    uint64_t count;
    max_align_t alignment;
} piece_head;

void *hoard_image_take(hoard_image *image, uint64_t count)
{
    if (count > SIZE_MAX - sizeof(piece_head)) {
        image->failure = HOARD_IMAGE_TOO_MUCH_MEMORY;
        return NULL;
    }
    if (image->taken > image->limits.working_bytes || count > image->limits.working_bytes - image->taken) {
        image->failure = HOARD_IMAGE_TOO_MUCH_MEMORY;
        return NULL;
    }
    piece_head *head = malloc(sizeof(piece_head) + (size_t)count);
    if (head == NULL) {
        image->failure = HOARD_IMAGE_NO_MEMORY;
        return NULL;
    }
    head->count = count;
    image->taken += count;
    if (image->taken > image->peak) image->peak = image->taken;
    return head + 1;
}

void hoard_image_give_back(hoard_image *image, void *memory)
{
    if (memory == NULL) return;
    piece_head *head = (piece_head *)memory - 1;
    image->taken -= head->count;
    free(head);
}

void *hoard_image_take_or_fail(hoard_image *image, uint64_t count)
{
    void *memory = hoard_image_take(image, count);
    if (memory == NULL) hoard_image_fail(image, HOARD_IMAGE_NO_MEMORY);
    return memory;
}

void hoard_image_reserve(hoard_image *image, uint64_t count)
{
    if (image->taken > image->limits.working_bytes || count > image->limits.working_bytes - image->taken) {
        hoard_image_fail(image, HOARD_IMAGE_TOO_MUCH_MEMORY);
    }
    image->taken += count;
    if (image->taken > image->peak) image->peak = image->taken;
}

void hoard_image_release(hoard_image *image, uint64_t count)
{
    image->taken -= count;
}

void hoard_image_take_canvas(hoard_image *image, uint64_t width, uint64_t height)
{
    const uint64_t count = width * height * 4;
    if (image->canvas != NULL) return;
    image->canvas = hoard_image_take_or_fail(image, count);
    image->canvas_length = (size_t)count;
    memset(image->canvas, 0, image->canvas_length);
}

void hoard_image_take_sums(hoard_image *image)
{
    hoard_sampler *sampler = &image->sampler;
    if (hoard_sampler_is_copy(sampler)) return;
    const uint64_t count = (uint64_t)sampler->width * 4 * sizeof(uint64_t);
    sampler->sums = hoard_image_take_or_fail(image, count);
    memset(sampler->sums, 0, (size_t)count);
    sampler->row_sums = hoard_image_take_or_fail(image, count);
}

void hoard_image_scale(hoard_image *image, const uint8_t *pixels, size_t row_length)
{
    hoard_image_take_sums(image);
    for (uint32_t y = 0; y < image->sampler.source_height; y++) {
        if (y % 64 == 0) hoard_image_check_stop(image);
        hoard_sampler_add_row(&image->sampler, pixels + y * row_length);
    }
}

static void give_back_sums(hoard_image *image)
{
    hoard_image_give_back(image, image->sampler.sums);
    hoard_image_give_back(image, image->sampler.row_sums);
    image->sampler.sums = image->sampler.row_sums = NULL;
}

// MARK: Errors

void hoard_image_fail(hoard_image *image, hoard_image_status status)
{
    // A failure that has been noted already is closer to the cause.
    if (image->failure == HOARD_IMAGE_OK) image->failure = status;
    longjmp(image->on_error, 1);
}

void hoard_image_check_stop(hoard_image *image)
{
    if (image->stop != NULL && image->stop(image->stop_context) != 0) hoard_image_fail(image, HOARD_IMAGE_STOPPED);
}

// MARK: Calls

static int starts_with(const uint8_t *bytes, size_t count, const char *magic, size_t length)
{
    return count >= length && memcmp(bytes, magic, length) == 0;
}

/// The functions of each format. One that this module was built without has none.
static const struct {
    void (*read_header)(hoard_image *image);
    void (*read_pixels)(hoard_image *image);
} formats[] = {
    [HOARD_IMAGE_PNG] = {hoard_png_read_header, hoard_png_read_pixels},
    [HOARD_IMAGE_JPEG] = {hoard_jpeg_read_header, hoard_jpeg_read_pixels},
#ifdef HOARD_WEBP
    [HOARD_IMAGE_WEBP] = {hoard_webp_read_header, hoard_webp_read_pixels},
#endif
#ifdef HOARD_GIF
    [HOARD_IMAGE_GIF] = {hoard_gif_read_header, hoard_gif_read_pixels},
#endif
#ifdef HOARD_AVIF
    [HOARD_IMAGE_AVIF] = {hoard_avif_read_header, hoard_avif_read_pixels},
#endif
};

static void read_header(hoard_image *image)
{
    const size_t known = sizeof formats / sizeof formats[0];
    if (image->info.format >= known || formats[image->info.format].read_header == NULL) hoard_image_fail(image, HOARD_IMAGE_UNSUPPORTED);
    formats[image->info.format].read_header(image);
    if (image->info.width == 0 || image->info.height == 0) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    if (image->info.width > longest_side || image->info.height > longest_side) hoard_image_fail(image, HOARD_IMAGE_TOO_LARGE);
    const uint64_t pixels = (uint64_t)image->info.width * image->info.height;
    if (pixels > image->limits.pixels || pixels > most_pixels) hoard_image_fail(image, HOARD_IMAGE_TOO_LARGE);
    if (image->info.frames > 1 && image->info.frames > image->limits.frames) hoard_image_fail(image, HOARD_IMAGE_TOO_MANY_FRAMES);
}

/// Zero if it is none of them.
static hoard_image_format format_of(const uint8_t *bytes, size_t count)
{
    if (starts_with(bytes, count, "\x89PNG\r\n\x1a\n", 8)) return HOARD_IMAGE_PNG;
    if (starts_with(bytes, count, "\xff\xd8\xff", 3)) return HOARD_IMAGE_JPEG;
    if (starts_with(bytes, count, "RIFF", 4) && count >= 12 && memcmp(bytes + 8, "WEBP", 4) == 0) return HOARD_IMAGE_WEBP;
    if (starts_with(bytes, count, "GIF87a", 6) || starts_with(bytes, count, "GIF89a", 6)) return HOARD_IMAGE_GIF;
    // The brand is looked at by the caller, who knows more of them.
    if (count >= 12 && memcmp(bytes + 4, "ftyp", 4) == 0) return HOARD_IMAGE_AVIF;
    return 0;
}

hoard_image_status hoard_image_open(const uint8_t *bytes, size_t count, int is_beginning, hoard_image_limits limits, hoard_image **result)
{
    *result = NULL;
    const hoard_image_format format = format_of(bytes, count);
    if (format == 0) return HOARD_IMAGE_NOT_AN_IMAGE;
    hoard_image *image = calloc(1, sizeof *image);
    if (image == NULL) return HOARD_IMAGE_NO_MEMORY;
    image->bytes = bytes;
    image->count = count;
    image->is_beginning = is_beginning && format == HOARD_IMAGE_JPEG;
    image->limits = limits;
    image->info.format = format;
    image->info.frames = image->info.plays = 1;
    // Set before the jump buffer and not changed since: usable behind a jump.
    if (setjmp(image->on_error) != 0) {
        const hoard_image_status status = image->failure;
        hoard_image_close(image);
        return status;
    }
    read_header(image);
    *result = image;
    return HOARD_IMAGE_OK;
}

hoard_image_info hoard_image_get_info(const hoard_image *image)
{
    return image->info;
}

uint64_t hoard_image_peak_bytes(const hoard_image *image)
{
    return image->peak;
}

uint32_t hoard_image_get_duration(const hoard_image *image)
{
    return image->duration;
}

hoard_image_status hoard_image_decode(
    hoard_image *image, uint32_t width, uint32_t height, uint32_t orientation, uint8_t *pixels, size_t count, hoard_image_stop stop, void *context)
{
    // A frame that has failed leaves nothing for the next to stand on.
    if (image->failure != HOARD_IMAGE_OK || image->frames_decoded >= image->info.frames) return HOARD_IMAGE_NOT_POSSIBLE;
    if (orientation < 1 || orientation > 8) return HOARD_IMAGE_NOT_POSSIBLE;
    if (width == 0 || height == 0 || width > image->info.width || height > image->info.height) return HOARD_IMAGE_NOT_POSSIBLE;
    // No overflow: there are no more pixels than `most_pixels`.
    const uint64_t needed = (uint64_t)width * height * 4;
    if (needed != count) return HOARD_IMAGE_NOT_POSSIBLE;
    if (needed > image->limits.working_bytes) return HOARD_IMAGE_TOO_MUCH_MEMORY;
    image->stop = stop;
    image->stop_context = context;
    give_back_sums(image);
    // The caller's bytes count as well.
    if (image->frames_decoded == 0) image->taken += needed;
    if (image->taken > image->peak) image->peak = image->taken;
    hoard_sampler_set_up(&image->sampler, image->info.width, image->info.height, width, height, orientation, pixels);
    if (setjmp(image->on_error) != 0) return image->failure;
    hoard_image_check_stop(image);
    formats[image->info.format].read_pixels(image);
    image->frames_decoded++;
    return HOARD_IMAGE_OK;
}

void hoard_image_close(hoard_image *image)
{
    if (image == NULL) return;
    hoard_png_close(image);
    hoard_jpeg_close(image);
#ifdef HOARD_WEBP
    hoard_webp_close(image);
#endif
#ifdef HOARD_GIF
    hoard_gif_close(image);
    hoard_image_give_back(image, image->gif_saved);
#endif
#ifdef HOARD_AVIF
    hoard_avif_close(image);
#endif
    hoard_image_give_back(image, image->row);
    hoard_image_give_back(image, image->rgba);
    hoard_image_give_back(image, image->canvas);
    give_back_sums(image);
    free(image);
}

#else

hoard_image_status hoard_image_open(const uint8_t *bytes, size_t count, int is_beginning, hoard_image_limits limits, hoard_image **result)
{
    (void)bytes, (void)count, (void)is_beginning, (void)limits;
    *result = NULL;
    return HOARD_IMAGE_NOT_POSSIBLE;
}

hoard_image_info hoard_image_get_info(const hoard_image *image)
{
    (void)image;
    return (hoard_image_info){0};
}

uint64_t hoard_image_peak_bytes(const hoard_image *image)
{
    (void)image;
    return 0;
}

uint32_t hoard_image_get_duration(const hoard_image *image)
{
    (void)image;
    return 0;
}

hoard_image_status hoard_image_decode(
    hoard_image *image, uint32_t width, uint32_t height, uint32_t orientation, uint8_t *pixels, size_t count, hoard_image_stop stop, void *context)
{
    (void)image, (void)width, (void)height, (void)orientation, (void)pixels, (void)count, (void)stop, (void)context;
    return HOARD_IMAGE_NOT_POSSIBLE;
}

void hoard_image_close(hoard_image *image)
{
    (void)image;
}

hoard_image_status hoard_png_encode(const uint8_t *pixels, size_t pixel_byte_count, uint32_t width, uint32_t height, uint8_t **bytes, size_t *count)
{
    (void)pixels, (void)pixel_byte_count, (void)width, (void)height;
    *bytes = NULL;
    *count = 0;
    return HOARD_IMAGE_NOT_POSSIBLE;
}

#endif

void hoard_image_free(void *bytes)
{
    free(bytes);
}
