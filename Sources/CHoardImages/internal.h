// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#ifndef HOARD_IMAGES_INTERNAL_H
#define HOARD_IMAGES_INTERNAL_H

#include "images.h"

#if defined(HOARD_IMAGES) && defined(__linux__)
#define HOARD_IMAGES_DECODES 1

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
#include <png.h>

#include "sampler.h"

/// Everything that one picture takes. It lies on the heap, so that nothing that a longjmp could spoil is in a local variable.
struct hoard_image {
    hoard_image_info info;
    hoard_image_limits limits;
    const uint8_t *bytes;
    size_t count;

    /// Where the libraries' errors go, and what they mean.
    jmp_buf on_error;
    hoard_image_status failure;

    /// Bytes taken now and at most, by this module and libpng.
    uint64_t taken;
    uint64_t peak;

    hoard_image_stop stop;
    void *stop_context;

    hoard_sampler sampler;
    /// A row as the library gives it, and as RGBA.
    uint8_t *row;
    uint8_t *rgba;
    /// All of an interlaced picture, where that is cheaper than sums.
    uint8_t *canvas;

    png_structp png;
    png_infop png_info;
    size_t png_offset;

    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr jpeg_errors;
    struct jpeg_progress_mgr jpeg_progress;
    /// libjpeg's own ways to take memory.
    void *(*jpeg_take_small)(j_common_ptr jpeg, int pool, size_t count);
    void *(*jpeg_take_large)(j_common_ptr jpeg, int pool, size_t count);
    JSAMPARRAY (*jpeg_take_rows)(j_common_ptr jpeg, int pool, JDIMENSION length, JDIMENSION count);
    int has_jpeg;
    int is_decoded;
};

/// malloc within the limits; NULL beyond them. `failure` says which it was.
void *hoard_image_take(hoard_image *image, uint64_t count);
void hoard_image_give_back(hoard_image *image, void *memory);

/// Ends the call of a library. Does not return.
void hoard_image_fail(hoard_image *image, hoard_image_status status);
/// Fails if the caller wants to stop.
void hoard_image_check_stop(hoard_image *image);

// Each is called behind setjmp, and fails by `hoard_image_fail`.
void hoard_png_read_header(hoard_image *image);
void hoard_png_read_pixels(hoard_image *image);
void hoard_png_close(hoard_image *image);
void hoard_jpeg_read_header(hoard_image *image);
void hoard_jpeg_read_pixels(hoard_image *image);
void hoard_jpeg_close(hoard_image *image);

#endif
#endif
