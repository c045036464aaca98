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
        image->failure = HOARD_IMAGE_TOO_LARGE;
        return NULL;
    }
    if (image->taken > image->limits.working_bytes || count > image->limits.working_bytes - image->taken) {
        image->failure = HOARD_IMAGE_TOO_LARGE;
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

// MARK: Errors

void hoard_image_fail(hoard_image *image, hoard_image_status status)
{
    // What has been noted already is closer to the cause.
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

static void read_header(hoard_image *image)
{
    if (image->info.format == HOARD_IMAGE_PNG) {
        hoard_png_read_header(image);
    } else {
        hoard_jpeg_read_header(image);
    }
    if (image->info.width == 0 || image->info.height == 0) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    if (image->info.width > longest_side || image->info.height > longest_side) hoard_image_fail(image, HOARD_IMAGE_TOO_LARGE);
    const uint64_t pixels = (uint64_t)image->info.width * image->info.height;
    if (pixels > image->limits.pixels || pixels > most_pixels) hoard_image_fail(image, HOARD_IMAGE_TOO_LARGE);
}

hoard_image_status hoard_image_open(const uint8_t *bytes, size_t count, hoard_image_limits limits, hoard_image **result)
{
    *result = NULL;
    hoard_image_format format;
    if (starts_with(bytes, count, "\x89PNG\r\n\x1a\n", 8)) {
        format = HOARD_IMAGE_PNG;
    } else if (starts_with(bytes, count, "\xff\xd8\xff", 3)) {
        format = HOARD_IMAGE_JPEG;
    } else {
        return HOARD_IMAGE_NOT_AN_IMAGE;
    }
    hoard_image *image = calloc(1, sizeof *image);
    if (image == NULL) return HOARD_IMAGE_NO_MEMORY;
    image->bytes = bytes;
    image->count = count;
    image->limits = limits;
    image->info.format = format;
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

hoard_image_status hoard_image_decode(
    hoard_image *image, uint32_t width, uint32_t height, uint32_t orientation, uint8_t *pixels, size_t count, hoard_image_stop stop, void *context)
{
    if (image->is_decoded || orientation < 1 || orientation > 8) return HOARD_IMAGE_NOT_POSSIBLE;
    if (width == 0 || height == 0 || width > image->info.width || height > image->info.height) return HOARD_IMAGE_NOT_POSSIBLE;
    // No overflow: there are no more pixels than `most_pixels`.
    const uint64_t needed = (uint64_t)width * height * 4;
    if (needed != count) return HOARD_IMAGE_NOT_POSSIBLE;
    if (needed > image->limits.working_bytes) return HOARD_IMAGE_TOO_LARGE;
    image->is_decoded = 1;
    image->stop = stop;
    image->stop_context = context;
    // The caller's bytes count as well.
    image->taken += needed;
    if (image->taken > image->peak) image->peak = image->taken;
    hoard_sampler_set_up(&image->sampler, image->info.width, image->info.height, width, height, orientation, pixels);
    if (setjmp(image->on_error) != 0) return image->failure;
    hoard_image_check_stop(image);
    if (image->info.format == HOARD_IMAGE_PNG) {
        hoard_png_read_pixels(image);
    } else {
        hoard_jpeg_read_pixels(image);
    }
    return HOARD_IMAGE_OK;
}

void hoard_image_close(hoard_image *image)
{
    if (image == NULL) return;
    hoard_png_close(image);
    hoard_jpeg_close(image);
    hoard_image_give_back(image, image->row);
    hoard_image_give_back(image, image->rgba);
    hoard_image_give_back(image, image->canvas);
    hoard_image_give_back(image, image->sampler.sums);
    hoard_image_give_back(image, image->sampler.row_sums);
    free(image);
}

#else

hoard_image_status hoard_image_open(const uint8_t *bytes, size_t count, hoard_image_limits limits, hoard_image **result)
{
    (void)bytes, (void)count, (void)limits;
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
