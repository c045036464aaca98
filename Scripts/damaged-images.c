// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Decodes damaged pictures of one format. Scripts/damaged-images builds it with sanitizers, and runs it.
//
// Arguments: FORMAT FILES SEED. Each file is a picture of a few kinds of that format, damaged at one to eight places, or cut off. It is decoded in
// one of several sizes, all its frames, within limits. The memory that is reported must keep the limit, and that of the process must stay near it.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "encoders.h"
#include "images.h"

#define MOST_KINDS 12
#define WORKING_BYTES ((uint64_t)24 << 20)

typedef struct {
    uint8_t *bytes;
    size_t count;
} file;

static file kinds[MOST_KINDS];
static size_t kind_count;
static uint64_t state;

static uint64_t next(void)
{
    // SplitMix64, by Sebastiano Vigna.
    uint64_t value = state += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

static uint32_t below(uint64_t bound)
{
    return (uint32_t)(next() % bound);
}

static uint8_t *noise(size_t count)
{
    uint8_t *bytes = malloc(count);
    if (bytes == NULL) abort();
    for (size_t index = 0; index < count; index++) bytes[index] = (uint8_t)next();
    return bytes;
}

static file *new_kind(void)
{
    if (kind_count == MOST_KINDS) abort();
    return &kinds[kind_count++];
}

static void make_png(void)
{
    uint8_t *rows = noise(40 * 30 * 4), *palette = noise(16 * 3), *alpha = noise(16);
    for (int is_interlaced = 0; is_interlaced < 2; is_interlaced++) {
        test_png rgba = {.width = 40, .height = 30, .bit_depth = 8, .color_type = 6, .is_interlaced = is_interlaced, .transparent = {-1, -1, -1}};
        file *kind = new_kind();
        test_png_encode(rgba, rows, 40 * 4, &kind->bytes, &kind->count);
        test_png colors = {
            .width = 40, .height = 30, .bit_depth = 4, .color_type = 3, .is_interlaced = is_interlaced, .palette = palette, .palette_count = 16,
            .palette_alpha = alpha, .palette_alpha_count = 16, .transparent = {-1, -1, -1}};
        kind = new_kind();
        test_png_encode(colors, rows, 20, &kind->bytes, &kind->count);
        test_png gray = {.width = 20, .height = 30, .bit_depth = 16, .color_type = 0, .is_interlaced = is_interlaced, .transparent = {5, -1, -1}};
        kind = new_kind();
        test_png_encode(gray, rows, 40, &kind->bytes, &kind->count);
    }
    free(rows), free(palette), free(alpha);
}

static void make_jpeg(void)
{
    uint8_t *rows = noise(40 * 30 * 4);
    for (int is_progressive = 0; is_progressive < 2; is_progressive++) {
        for (int components = 1; components <= 4; components++) {
            if (components == 2) continue;
            test_jpeg picture = {
                .width = 40, .height = 30, .components = components, .quality = 60, .is_progressive = is_progressive, .uses_ycck = is_progressive};
            file *kind = new_kind();
            test_jpeg_encode(picture, rows, 40 * (size_t)components, &kind->bytes, &kind->count);
        }
    }
    free(rows);
}

static void append_chunk(file *file, const char *name, const uint8_t *content, size_t count)
{
    file->bytes = realloc(file->bytes, file->count + 8 + count + 1);
    if (file->bytes == NULL) abort();
    uint8_t *end = file->bytes + file->count;
    memcpy(end, name, 4);
    for (int index = 0; index < 4; index++) end[4 + index] = (uint8_t)(count >> (8 * index));
    memcpy(end + 8, content, count);
    file->count += 8 + count;
    if (count % 2 == 1) file->bytes[file->count++] = 0;
}

/// A file of frames, each of which is a picture of its own.
static void make_webp_animation(int is_lossless)
{
    file *kind = new_kind();
    const uint8_t canvas[] = {0x12, 0, 0, 0, 39, 0, 0, 29, 0, 0}, animation[] = {0, 0, 0, 0, 3, 0};
    append_chunk(kind, "RIFF", (const uint8_t *)"WEBP", 4);
    append_chunk(kind, "VP8X", canvas, sizeof canvas);
    append_chunk(kind, "ANIM", animation, sizeof animation);
    for (uint8_t frame = 0; frame < 3; frame++) {
        uint8_t *rows = noise(20 * 10 * 4), *picture, content[16 + 4096] = {frame, 0, 0, frame, 0, 0, 19, 0, 0, 9, 0, 0, 50, 0, 0, frame};
        size_t count;
        test_webp_encode(20, 10, is_lossless, 60, rows, &picture, &count);
        // The still picture's chunk, behind the file's head; one with alpha apart has more chunks, the first of which describes it.
        size_t start = memcmp(picture + 12, "VP8X", 4) == 0 ? 30 : 12;
        if (count - start > 4096) abort();
        memcpy(content + 16, picture + start, count - start);
        append_chunk(kind, "ANMF", content, 16 + count - start);
        free(picture), free(rows);
    }
    for (int index = 0; index < 4; index++) kind->bytes[4 + index] = (uint8_t)((kind->count - 8) >> (8 * index));
}

static void make_webp(void)
{
    uint8_t *rows = noise(40 * 30 * 4);
    for (int is_lossless = 0; is_lossless < 2; is_lossless++) {
        file *kind = new_kind();
        test_webp_encode(40, 30, is_lossless, 60, rows, &kind->bytes, &kind->count);
        make_webp_animation(is_lossless);
        for (size_t index = 3; index < 40 * 30 * 4; index += 4) rows[index] = 255;
        kind = new_kind();
        test_webp_encode(40, 30, is_lossless, 60, rows, &kind->bytes, &kind->count);
    }
    free(rows);
}

static void make_gif(void)
{
    uint8_t *palette = noise(256 * 3), *indices = noise(40 * 30);
    for (int is_interlaced = 0; is_interlaced < 2; is_interlaced++) {
        test_gif_frame still = {0, 0, 40, 30, 0, 0, -1, is_interlaced, indices};
        file *kind = new_kind();
        test_gif_encode(40, 30, palette, -1, &still, 1, &kind->bytes, &kind->count);
        test_gif_frame frames[4];
        for (int index = 0; index < 4; index++) {
            frames[index] = (test_gif_frame){(uint32_t)index, 2, 20, 10, index, index, index, is_interlaced, indices + index};
        }
        kind = new_kind();
        test_gif_encode(40, 30, palette, 3, frames, 4, &kind->bytes, &kind->count);
    }
    free(palette), free(indices);
}

static void make_avif(void)
{
    uint8_t *rows = noise(40 * 30 * 4 * 3);
    const test_avif pictures[] = {
        {40, 30, 8, 1, 1, 0, -1, 1, 0}, {40, 30, 8, 0, 0, 1, 0, 1, 0}, {40, 30, 10, 0, 1, 0, -1, 1, 0}, {40, 30, 8, 0, 1, 0, -1, 3, 50}, {40, 30, 12, 0, 0, 0, -1, 3, 50},
    };
    for (size_t index = 0; index < sizeof pictures / sizeof pictures[0]; index++) {
        file *kind = new_kind();
        test_avif_encode(pictures[index], rows, &kind->bytes, &kind->count);
    }
    free(rows);
}

/// A copy on a piece of memory of exactly its length, so that reading behind its end is found.
static file damaged(void)
{
    const file whole = kinds[below(kind_count)];
    uint8_t *bytes = malloc(whole.count);
    if (bytes == NULL) abort();
    memcpy(bytes, whole.bytes, whole.count);
    // Half of all damage is where the headers are.
    const uint32_t damages = 1 + below(8);
    for (uint32_t index = 0; index < damages; index++) {
        const uint32_t place = below(below(2) ? whole.count : whole.count < 200 ? whole.count : 200);
        switch (below(4)) {
        case 0: bytes[place] ^= (uint8_t)(1 << below(8)); break;
        case 1: bytes[place] = (uint8_t)next(); break;
        case 2: bytes[place] = 0xff; break;
        default: bytes[place] = 0; break;
        }
    }
    size_t count = below(4) == 0 ? below(whole.count) + 1 : whole.count;
    bytes = realloc(bytes, count);
    if (bytes == NULL) abort();
    return (file){bytes, count};
}

/// Corrects the checksums of a PNG's chunks, so that damage reaches the code behind them.
static void mend_checksums(file file)
{
    size_t offset = 8;
    while (file.count > 12 && offset <= file.count - 12) {
        size_t length = 0;
        for (int index = 0; index < 4; index++) length = length << 8 | file.bytes[offset + index];
        if (length > file.count - offset - 12) return;
        const uint32_t sum = test_crc32(file.bytes + offset + 4, length + 4);
        for (int index = 0; index < 4; index++) file.bytes[offset + 8 + length + index] = (uint8_t)(sum >> (24 - 8 * index));
        offset += 12 + length;
    }
}

static uint64_t frames_seen, largest;

/// Returns whether at least one frame was decoded.
static int decode(file file)
{
    const hoard_image_limits limits = {.pixels = 200000, .working_bytes = WORKING_BYTES, .scans = 32, .frames = 64};
    hoard_image *image;
    if (hoard_image_open(file.bytes, file.count, below(4) == 0, limits, &image) != HOARD_IMAGE_OK) return 0;
    const hoard_image_info info = hoard_image_get_info(image);
    uint32_t width = info.width, height = info.height;
    if (below(2)) width = 1 + below(width), height = 1 + below(height);
    uint8_t *pixels = malloc((size_t)width * height * 4);
    if (pixels == NULL) abort();
    uint32_t frames = 0;
    while (hoard_image_decode(image, width, height, 1 + below(8), pixels, (size_t)width * height * 4, NULL, NULL) == HOARD_IMAGE_OK) {
        // The sanitizer of memory, if this build has that one, finds bytes that were never written.
        volatile uint8_t sum = 0;
        for (size_t index = 0; index < (size_t)width * height * 4; index++) sum = (uint8_t)(sum + pixels[index]);
        frames++;
    }
    if (frames > info.frames || hoard_image_peak_bytes(image) > WORKING_BYTES) {
        fprintf(stderr, "%u frames of %u, %llu bytes\n", frames, info.frames, (unsigned long long)hoard_image_peak_bytes(image));
        abort();
    }
    if (hoard_image_peak_bytes(image) > largest) largest = hoard_image_peak_bytes(image);
    frames_seen += frames;
    free(pixels);
    hoard_image_close(image);
    return frames > 0;
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    const uint64_t files = strtoull(argv[2], NULL, 10), seed = strtoull(argv[3], NULL, 10);
    state = seed;
    if (strcmp(argv[1], "png") == 0) make_png();
    else if (strcmp(argv[1], "jpeg") == 0) make_jpeg();
    else if (strcmp(argv[1], "webp") == 0) make_webp();
    else if (strcmp(argv[1], "gif") == 0) make_gif();
    else if (strcmp(argv[1], "avif") == 0) make_avif();
    else return 2;
    for (size_t index = 0; index < kind_count; index++) {
        if (!decode(kinds[index])) {
            fprintf(stderr, "%s: whole file %zu is not decoded\n", argv[1], index);
            return 1;
        }
    }
    uint64_t decoded = 0;
    for (uint64_t index = 0; index < files; index++) {
        // Each file has a seed of its own, so that one alone can be decoded again.
        state = seed + index * 0x9e3779b97f4a7c15;
        next();
        const file file = damaged();
        if (strcmp(argv[1], "png") == 0 && below(2)) mend_checksums(file);
        decoded += (uint64_t)decode(file);
        free(file.bytes);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%s: %llu files with seed %llu, %llu of them decoded at least in part, %llu frames; reported at most %.1f MiB, process %.1f MiB\n", argv[1],
        (unsigned long long)files, (unsigned long long)seed, (unsigned long long)decoded, (unsigned long long)frames_seen, (double)largest / (1 << 20),
        (double)usage.ru_maxrss / 1024);
    if (usage.ru_maxrss > 1 << 20) {
        fprintf(stderr, "%s: the process had more than 1 GiB\n", argv[1]);
        return 1;
    }
    if (decoded == 0 || decoded == files) {
        fprintf(stderr, "%s: the damage was of one kind only\n", argv[1]);
        return 1;
    }
    return 0;
}
