// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#include "sampler.h"

#include <string.h>

// Lengths are counted in units that divide both sides: a source pixel is `width` of them long, a destination pixel `source_width`. All sums are
// integers. They are below 255 * 255 * source_width * source_height, and that product is limited to 2^40 by `hoard_image_open`.

void hoard_sampler_set_up(
    hoard_sampler *sampler, uint32_t source_width, uint32_t source_height, uint32_t width, uint32_t height, uint32_t orientation, uint8_t *pixels)
{
    memset(sampler, 0, sizeof *sampler);
    sampler->source_width = source_width;
    sampler->source_height = source_height;
    sampler->width = width;
    sampler->height = height;
    sampler->pixels = pixels;

    // The width of what is seen: 5 to 8 exchange the sides.
    const int64_t row = orientation >= 5 ? height : width;
    const int64_t right = (int64_t)width - 1, bottom = (int64_t)height - 1;
    switch (orientation) {
    case 2: sampler->origin = right, sampler->x_step = -1, sampler->y_step = row; break;
    case 3: sampler->origin = bottom * row + right, sampler->x_step = -1, sampler->y_step = -row; break;
    case 4: sampler->origin = bottom * row, sampler->x_step = 1, sampler->y_step = -row; break;
    case 5: sampler->origin = 0, sampler->x_step = row, sampler->y_step = 1; break;
    case 6: sampler->origin = bottom, sampler->x_step = row, sampler->y_step = -1; break;
    case 7: sampler->origin = right * row + bottom, sampler->x_step = -row, sampler->y_step = -1; break;
    case 8: sampler->origin = right * row, sampler->x_step = -row, sampler->y_step = 1; break;
    default: sampler->origin = 0, sampler->x_step = 1, sampler->y_step = row; break;
    }
}

int hoard_sampler_is_copy(const hoard_sampler *sampler)
{
    return sampler->width == sampler->source_width && sampler->height == sampler->source_height;
}

static uint8_t *place(const hoard_sampler *sampler, uint32_t x, uint32_t y)
{
    return sampler->pixels + (sampler->origin + x * sampler->x_step + y * sampler->y_step) * 4;
}

static uint64_t divided(uint64_t sum, uint64_t weight)
{
    return (sum + weight / 2) / weight;
}

static void emit(const hoard_sampler *sampler, uint32_t x, uint32_t y, const uint64_t *sum)
{
    uint8_t *pixel = place(sampler, x, y);
    const uint64_t weight = (uint64_t)sampler->source_width * sampler->source_height;
    if (sum[3] == 0) {
        memset(pixel, 0, 4);
        return;
    }
    for (int channel = 0; channel < 3; channel++) pixel[channel] = (uint8_t)divided(sum[channel], sum[3]);
    pixel[3] = (uint8_t)divided(sum[3], weight);
}

static void emit_row(const hoard_sampler *sampler, uint32_t y, const uint64_t *sums)
{
    for (uint32_t x = 0; x < sampler->width; x++) emit(sampler, x, y, sums + (size_t)x * 4);
}

static void add(uint64_t *sum, const uint8_t *rgba, uint64_t weight)
{
    const uint64_t alpha = rgba[3] * weight;
    sum[0] += rgba[0] * alpha;
    sum[1] += rgba[1] * alpha;
    sum[2] += rgba[2] * alpha;
    sum[3] += alpha;
}

/// How much of the source pixel at `index` lies in the destination pixel at `target`.
static uint64_t overlap(uint64_t index, uint64_t target, uint64_t source_length, uint64_t length)
{
    const uint64_t start = index * length, end = start + length;
    const uint64_t target_start = target * source_length, target_end = target_start + source_length;
    return (end < target_end ? end : target_end) - (start > target_start ? start : target_start);
}

static void sum_up(const hoard_sampler *sampler, const uint8_t *rgba)
{
    const uint64_t source_length = sampler->source_width, length = sampler->width;
    memset(sampler->row_sums, 0, (size_t)length * 4 * sizeof(uint64_t));
    uint64_t *sum = sampler->row_sums;
    // The rest of the destination pixel under way.
    uint64_t room = source_length;
    for (uint64_t x = 0; x < source_length; x++, rgba += 4) {
        uint64_t rest = length;
        while (rest >= room) {
            add(sum, rgba, room);
            rest -= room;
            room = source_length;
            sum += 4;
        }
        if (rest > 0) {
            add(sum, rgba, rest);
            room -= rest;
        }
    }
}

void hoard_sampler_add_row(hoard_sampler *sampler, const uint8_t *rgba)
{
    if (sampler->source_y >= sampler->source_height) return;
    const uint64_t source_y = sampler->source_y++;
    if (hoard_sampler_is_copy(sampler)) {
        for (uint32_t x = 0; x < sampler->width; x++) memcpy(place(sampler, x, (uint32_t)source_y), rgba + (size_t)x * 4, 4);
        return;
    }
    sum_up(sampler, rgba);
    const size_t count = (size_t)sampler->width * 4;
    const uint64_t end = (source_y + 1) * sampler->height;
    while (sampler->y < sampler->height) {
        const uint64_t weight = overlap(source_y, sampler->y, sampler->source_height, sampler->height);
        for (size_t index = 0; index < count; index++) sampler->sums[index] += sampler->row_sums[index] * weight;
        const uint64_t row_end = ((uint64_t)sampler->y + 1) * sampler->source_height;
        if (end < row_end) break;
        emit_row(sampler, sampler->y, sampler->sums);
        memset(sampler->sums, 0, count * sizeof(uint64_t));
        sampler->y++;
        if (end == row_end) break;
    }
}

void hoard_sampler_add_pixel(hoard_sampler *sampler, uint32_t x, uint32_t y, const uint8_t *rgba)
{
    if (hoard_sampler_is_copy(sampler)) {
        memcpy(place(sampler, x, y), rgba, 4);
        return;
    }
    // A source pixel is no longer than a destination pixel, so it lies in two of them at most, in each direction.
    const uint64_t first_x = (uint64_t)x * sampler->width / sampler->source_width;
    const uint64_t last_x = ((uint64_t)x * sampler->width + sampler->width - 1) / sampler->source_width;
    const uint64_t first_y = (uint64_t)y * sampler->height / sampler->source_height;
    const uint64_t last_y = ((uint64_t)y * sampler->height + sampler->height - 1) / sampler->source_height;
    for (uint64_t target_y = first_y; target_y <= last_y; target_y++) {
        const uint64_t weight_y = overlap(y, target_y, sampler->source_height, sampler->height);
        for (uint64_t target_x = first_x; target_x <= last_x; target_x++) {
            const uint64_t weight_x = overlap(x, target_x, sampler->source_width, sampler->width);
            add(sampler->sums + (target_y * sampler->width + target_x) * 4, rgba, weight_x * weight_y);
        }
    }
}

void hoard_sampler_finish(hoard_sampler *sampler)
{
    if (hoard_sampler_is_copy(sampler)) return;
    for (uint32_t y = 0; y < sampler->height; y++) emit_row(sampler, y, sampler->sums + (size_t)y * sampler->width * 4);
}
