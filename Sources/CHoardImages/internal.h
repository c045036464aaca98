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
#ifdef HOARD_WEBP
#include <webp/decode.h>
#include <webp/demux.h>
#endif
#ifdef HOARD_GIF
#include <gif_lib.h>
#endif
#ifdef HOARD_AVIF
#include <avif/avif.h>
#endif

#include "sampler.h"

/// Everything that one picture takes. It lies on the heap, so that nothing that a longjmp could spoil is in a local variable.
struct hoard_image {
    hoard_image_info info;
    hoard_image_limits limits;
    const uint8_t *bytes;
    size_t count;
    int is_beginning;

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
    /// All of an interlaced picture, where that is cheaper than sums; the pixels of a WebP in the size that is wanted; a frame of a GIF or an AVIF.
    uint8_t *canvas;
    size_t canvas_length;

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

#ifdef HOARD_WEBP
    WebPBitstreamFeatures webp_features;
    WebPDecoderConfig webp_config;
    WebPIDecoder *webp;
    WebPAnimDecoder *webp_frames;
    /// When the last frame ended, in milliseconds.
    int webp_time;
#endif

#ifdef HOARD_GIF
    GifFileType *gif;
    size_t gif_offset;
    /// The pixels under a frame that leaves no trace.
    uint8_t *gif_saved;
    /// How the last frame is taken away, and where it was.
    int gif_disposal;
    uint32_t gif_x, gif_y, gif_width, gif_height;
#endif

#ifdef HOARD_AVIF
    avifDecoder *avif;
    /// The part that is seen.
    avifCropRect avif_crop;
#endif

    uint32_t frames_decoded;
    uint32_t duration;
};

/// malloc within the limits; NULL beyond them. `failure` says which it was.
void *hoard_image_take(hoard_image *image, uint64_t count);
void hoard_image_give_back(hoard_image *image, void *memory);
/// The same; fails instead of returning NULL.
void *hoard_image_take_or_fail(hoard_image *image, uint64_t count);
/// Counts what a library takes by itself, and what it has given back. Fails beyond the limits.
void hoard_image_reserve(hoard_image *image, uint64_t count);
void hoard_image_release(hoard_image *image, uint64_t count);

/// Takes the canvas, all zeros, unless it has been taken.
void hoard_image_take_canvas(hoard_image *image, uint64_t width, uint64_t height);
/// Takes what the sampler needs for rows, unless they are only copied.
void hoard_image_take_sums(hoard_image *image);
/// Gives the sampler all of its rows, `row_length` bytes apart.
void hoard_image_scale(hoard_image *image, const uint8_t *pixels, size_t row_length);

/// Ends the call of a library. Does not return.
void hoard_image_fail(hoard_image *image, hoard_image_status status);
/// Fails if the caller wants to stop.
void hoard_image_check_stop(hoard_image *image);

// Each is called behind setjmp, and fails by `hoard_image_fail`. A header gives width and height, and more if there are more frames than one.
void hoard_png_read_header(hoard_image *image);
void hoard_png_read_pixels(hoard_image *image);
void hoard_png_close(hoard_image *image);
void hoard_jpeg_read_header(hoard_image *image);
void hoard_jpeg_read_pixels(hoard_image *image);
void hoard_jpeg_close(hoard_image *image);
#ifdef HOARD_WEBP
void hoard_webp_read_header(hoard_image *image);
void hoard_webp_read_pixels(hoard_image *image);
void hoard_webp_close(hoard_image *image);
#endif
#ifdef HOARD_GIF
void hoard_gif_read_header(hoard_image *image);
void hoard_gif_read_pixels(hoard_image *image);
void hoard_gif_close(hoard_image *image);
#endif
#ifdef HOARD_AVIF
void hoard_avif_read_header(hoard_image *image);
void hoard_avif_read_pixels(hoard_image *image);
void hoard_avif_close(hoard_image *image);
#endif

#endif
#endif
