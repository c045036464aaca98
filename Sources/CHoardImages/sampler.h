// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Scales rows down by averaging areas, exactly: every source pixel counts by the part of it that a destination pixel covers.

#ifndef HOARD_SAMPLER_H
#define HOARD_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    /// Source and destination, before the orientation is applied.
    uint32_t source_width, source_height;
    uint32_t width, height;
    /// Where the destination's pixel (x, y) lies: origin + x * x_step + y * y_step, in pixels.
    int64_t origin, x_step, y_step;
    uint8_t *pixels;
    /// Sums of one row of the destination, or of all of it: red, green and blue times alpha, and alpha.
    uint64_t *sums;
    /// One row of the source, summed up horizontally.
    uint64_t *row_sums;
    /// The next row of the source and the row of the destination it goes to.
    uint32_t source_y, y;
} hoard_sampler;

void hoard_sampler_set_up(
    hoard_sampler *sampler, uint32_t source_width, uint32_t source_height, uint32_t width, uint32_t height, uint32_t orientation, uint8_t *pixels);

/// Whether rows are only put into their places.
int hoard_sampler_is_copy(const hoard_sampler *sampler);

/// Takes the next row of RGBA. Unless it only copies, `sums` and `row_sums` have room for a row, 4 * width each.
void hoard_sampler_add_row(hoard_sampler *sampler, const uint8_t *rgba);

/// Takes one pixel, in any order. Unless it only copies, `sums` has room for the whole destination; `hoard_sampler_finish` follows.
void hoard_sampler_add_pixel(hoard_sampler *sampler, uint32_t x, uint32_t y, const uint8_t *rgba);
void hoard_sampler_finish(hoard_sampler *sampler);

#endif
