// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Writes pictures of all kinds for tests, by the libraries that read them. Errors end the process.

#ifndef HOARD_IMAGES_TEST_SUPPORT_H
#define HOARD_IMAGES_TEST_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t width, height;
    int bit_depth;
    /// As in the file: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA.
    int color_type;
    int is_interlaced;
    /// RGB triples of the palette, and its alpha values.
    const uint8_t *palette;
    int palette_count;
    const uint8_t *palette_alpha;
    int palette_alpha_count;
    /// The sample (gray) or samples (RGB) that are transparent; -1: none.
    int transparent[3];
} test_png;

/// `rows` are as in the file, `stride` bytes apart. A stride of 0 writes the same row again and again.
void test_png_encode(test_png png, const uint8_t *rows, size_t stride, uint8_t **bytes, size_t *count);

typedef struct {
    uint32_t width, height;
    /// 1 gray, 3 RGB, 4 CMYK.
    int components;
    int quality;
    int is_progressive;
    /// Whether colours are stored at full resolution.
    int keeps_color_detail;
    /// For CMYK: whether it is stored as YCCK, and whether the Adobe marker is written.
    int uses_ycck;
    int omits_adobe_marker;
} test_jpeg;

void test_jpeg_encode(test_jpeg jpeg, const uint8_t *rows, size_t stride, uint8_t **bytes, size_t *count);

/// Writes rows of RGBA as WebP: exactly, or with this quality, 0 to 100. Needs HOARD_WEBP.
void test_webp_encode(uint32_t width, uint32_t height, int is_lossless, float quality, const uint8_t *rows, uint8_t **bytes, size_t *count);

typedef struct {
    uint32_t x, y, width, height;
    /// Hundredths of a second.
    int delay;
    /// As in the file: 0 unspecified, 1 stays, 2 background, 3 previous.
    int disposal;
    /// The index of the transparent colour; -1: none.
    int transparent;
    int is_interlaced;
    /// width * height indices into the palette.
    const uint8_t *indices;
} test_gif_frame;

/// Writes a GIF with a palette of 256 RGB triples. `repeats`: of the Netscape extension; -1: none. Needs HOARD_GIF.
void test_gif_encode(
    uint32_t width, uint32_t height, const uint8_t *palette, int repeats, const test_gif_frame *frames, size_t frame_count, uint8_t **bytes, size_t *count);

typedef struct {
    uint32_t width, height;
    /// 8, 10 or 12.
    int depth;
    /// Exactly, without loss and with 8 bits.
    int is_lossless;
    int has_alpha;
    /// Quarter turns against the clock, and the mirror's mode; -1: none.
    int turns, mirror;
    /// More than one: a sequence, of so many milliseconds each.
    uint32_t frames, milliseconds;
    /// The frames are the tiles of one still picture, side by side.
    int is_grid;
} test_avif;

/// Writes frames of RGBA, one behind the other, as AVIF. Needs HOARD_AVIF.
void test_avif_encode(test_avif picture, const uint8_t *rows, uint8_t **bytes, size_t *count);

/// zlib's form of `count` zeros.
void test_compressed_zeros(size_t zeros, uint8_t **bytes, size_t *count);

uint32_t test_crc32(const uint8_t *bytes, size_t count);

/// Has the system fill memory with this byte when it is taken, from now on.
void test_fill_new_memory(int byte);

/// The most memory that this process has had at once, in bytes.
uint64_t test_peak_memory(void);

#endif
