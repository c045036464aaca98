// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#include "encoders.h"

#if defined(HOARD_IMAGES)

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
} output;

static void append(output *output, const uint8_t *bytes, size_t count)
{
    if (count > output->capacity - output->count) {
        output->capacity = (output->capacity + count) * 2;
        output->bytes = realloc(output->bytes, output->capacity);
        if (output->bytes == NULL) abort();
    }
    memcpy(output->bytes + output->count, bytes, count);
    output->count += count;
}

static void write_png_bytes(png_structp png, png_bytep bytes, size_t count)
{
    append(png_get_io_ptr(png), bytes, count);
}

static void flush(png_structp png)
{
    (void)png;
}

void test_png_encode(test_png picture, const uint8_t *rows, size_t stride, uint8_t **bytes, size_t *count)
{
    output output = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png)) != 0) abort();
    png_set_write_fn(png, &output, write_png_bytes, flush);
    png_set_compression_level(png, 1);
    png_set_IHDR(
        png, info, picture.width, picture.height, picture.bit_depth, picture.color_type, picture.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    png_color palette[256];
    if (picture.palette_count > 0) {
        for (int index = 0; index < picture.palette_count; index++) {
            palette[index].red = picture.palette[index * 3];
            palette[index].green = picture.palette[index * 3 + 1];
            palette[index].blue = picture.palette[index * 3 + 2];
        }
        png_set_PLTE(png, info, palette, picture.palette_count);
    }
    if (picture.palette_alpha_count > 0) png_set_tRNS(png, info, picture.palette_alpha, picture.palette_alpha_count, NULL);
    if (picture.transparent[0] >= 0) {
        png_color_16 transparent = {0};
        transparent.gray = (png_uint_16)picture.transparent[0];
        transparent.red = (png_uint_16)picture.transparent[0];
        transparent.green = (png_uint_16)picture.transparent[1];
        transparent.blue = (png_uint_16)picture.transparent[2];
        png_set_tRNS(png, info, NULL, 0, &transparent);
    }
    png_write_info(png, info);
    const int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t y = 0; y < picture.height; y++) png_write_row(png, rows + y * stride);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    *bytes = output.bytes;
    *count = output.count;
}

void test_jpeg_encode(test_jpeg picture, const uint8_t *rows, size_t stride, uint8_t **bytes, size_t *count)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char *written = NULL;
    unsigned long length = 0;
    jpeg_mem_dest(&jpeg, &written, &length);
    jpeg.image_width = picture.width;
    jpeg.image_height = picture.height;
    jpeg.input_components = picture.components;
    jpeg.in_color_space = picture.components == 1 ? JCS_GRAYSCALE : picture.components == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&jpeg);
    if (picture.components == 4) jpeg_set_colorspace(&jpeg, picture.uses_ycck ? JCS_YCCK : JCS_CMYK);
    if (picture.omits_adobe_marker) jpeg.write_Adobe_marker = FALSE;
    jpeg_set_quality(&jpeg, picture.quality, TRUE);
    if (picture.keeps_color_detail) {
        for (int index = 0; index < jpeg.num_components; index++) jpeg.comp_info[index].h_samp_factor = jpeg.comp_info[index].v_samp_factor = 1;
    }
    if (picture.is_progressive) jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = (JSAMPROW)(rows + jpeg.next_scanline * stride);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    *bytes = written;
    *count = length;
}

void test_compressed_zeros(size_t zeros, uint8_t **bytes, size_t *count)
{
    static const uint8_t block[1 << 16];
    uint8_t buffer[1 << 16];
    output output = {0};
    z_stream stream = {0};
    if (deflateInit(&stream, 9) != Z_OK) abort();
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        if (stream.avail_in == 0) {
            stream.next_in = (Bytef *)block;
            stream.avail_in = (uInt)(zeros < sizeof block ? zeros : sizeof block);
            zeros -= stream.avail_in;
        }
        stream.next_out = buffer;
        stream.avail_out = sizeof buffer;
        status = deflate(&stream, zeros == 0 ? Z_FINISH : Z_NO_FLUSH);
        append(&output, buffer, sizeof buffer - stream.avail_out);
    }
    deflateEnd(&stream);
    *bytes = output.bytes;
    *count = output.count;
}

uint32_t test_crc32(const uint8_t *bytes, size_t count)
{
    return (uint32_t)crc32(0, bytes, (uInt)count);
}

void test_fill_new_memory(int byte)
{
    // glibc fills with the complement.
    mallopt(M_PERTURB, ~byte & 0xff);
}

uint64_t test_peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

#endif
