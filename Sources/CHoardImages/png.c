// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#include "internal.h"

#if HOARD_IMAGES_DECODES

#include <stdlib.h>
#include <string.h>

// MARK: What libpng calls

static void on_error(png_structp png, png_const_charp message)
{
    (void)message;
    hoard_image_fail(png_get_error_ptr(png), HOARD_IMAGE_DAMAGED);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

static png_voidp take(png_structp png, png_alloc_size_t count)
{
    return hoard_image_take(png_get_mem_ptr(png), count);
}

static void give_back(png_structp png, png_voidp memory)
{
    hoard_image_give_back(png_get_mem_ptr(png), memory);
}

static void read_bytes(png_structp png, png_bytep bytes, size_t count)
{
    hoard_image *image = png_get_io_ptr(png);
    if (count > image->count - image->png_offset) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    memcpy(bytes, image->bytes + image->png_offset, count);
    image->png_offset += count;
}

// MARK: Header

/// Chunks that are skipped: none of them changes the pixels that are returned, and compressed ones could unpack to anything.
static const png_byte skipped_chunks[] = "bKGD\0cHRM\0cICP\0cLLi\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0mDCv\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0zTXt";

void hoard_png_read_header(hoard_image *image)
{
    image->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, image, on_error, on_warning, image, take, give_back);
    if (image->png == NULL) hoard_image_fail(image, HOARD_IMAGE_NO_MEMORY);
    image->png_info = png_create_info_struct(image->png);
    if (image->png_info == NULL) hoard_image_fail(image, HOARD_IMAGE_NO_MEMORY);
    png_set_read_fn(image->png, image, read_bytes);
    png_set_user_limits(image->png, 0x7fffffff, 0x7fffffff);
    png_set_chunk_malloc_max(image->png, 1 << 20);
    png_set_chunk_cache_max(image->png, 16);
    png_set_keep_unknown_chunks(image->png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_set_keep_unknown_chunks(image->png, PNG_HANDLE_CHUNK_NEVER, skipped_chunks, (int)(sizeof skipped_chunks / 5));
    png_read_info(image->png, image->png_info);
    image->info.width = png_get_image_width(image->png, image->png_info);
    image->info.height = png_get_image_height(image->png, image->png_info);
    image->info.is_interlaced = png_get_interlace_type(image->png, image->png_info) != PNG_INTERLACE_NONE;
}

// MARK: Pixels

/// Has libpng turn everything into 8 bits of red, green, blue and alpha.
static void set_transformations(hoard_image *image)
{
    png_set_expand(image->png);
    png_set_scale_16(image->png);
    png_set_gray_to_rgb(image->png);
    png_set_add_alpha(image->png, 0xff, PNG_FILLER_AFTER);
}

static void read_rows(hoard_image *image)
{
    hoard_image_take_sums(image);
    for (uint32_t y = 0; y < image->info.height; y++) {
        hoard_image_check_stop(image);
        png_read_row(image->png, image->row, NULL);
        hoard_sampler_add_row(&image->sampler, image->row);
    }
}

/// The rows of an interlaced picture come in seven passes, each of which has some of the pixels. As averages are sums, the pixels may come in
/// any order: what is kept is a sum for each pixel of the destination, or the whole picture where that is less.
static void read_passes(hoard_image *image)
{
    hoard_sampler *sampler = &image->sampler;
    const uint64_t all = (uint64_t)image->info.width * image->info.height * 4;
    const uint64_t shown = (uint64_t)sampler->width * sampler->height;
    if (!hoard_sampler_is_copy(sampler)) {
        if (shown * 4 * sizeof(uint64_t) < all) {
            sampler->sums = hoard_image_take_or_fail(image, shown * 4 * sizeof(uint64_t));
            memset(sampler->sums, 0, (size_t)(shown * 4 * sizeof(uint64_t)));
        } else {
            hoard_image_take_canvas(image, image->info.width, image->info.height);
        }
    }
    const size_t row_length = (size_t)image->info.width * 4;
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++) {
        const uint32_t columns = PNG_PASS_COLS(image->info.width, pass), rows = PNG_PASS_ROWS(image->info.height, pass);
        if (columns == 0) continue;
        for (uint32_t row = 0; row < rows; row++) {
            hoard_image_check_stop(image);
            png_read_row(image->png, image->row, NULL);
            const uint32_t y = PNG_ROW_FROM_PASS_ROW(row, pass);
            for (uint32_t column = 0; column < columns; column++) {
                const uint32_t x = PNG_COL_FROM_PASS_COL(column, pass);
                const uint8_t *pixel = image->row + (size_t)column * 4;
                if (image->canvas != NULL) {
                    memcpy(image->canvas + y * row_length + (size_t)x * 4, pixel, 4);
                } else {
                    hoard_sampler_add_pixel(sampler, x, y, pixel);
                }
            }
        }
    }
    if (image->canvas == NULL) {
        hoard_sampler_finish(sampler);
    } else {
        hoard_image_scale(image, image->canvas, row_length);
    }
}

void hoard_png_read_pixels(hoard_image *image)
{
    set_transformations(image);
    // Without libpng's own handling of passes, each is read as the small picture that it is.
    png_read_update_info(image->png, image->png_info);
    const uint64_t row_length = (uint64_t)image->info.width * 4;
    if (png_get_rowbytes(image->png, image->png_info) != row_length) hoard_image_fail(image, HOARD_IMAGE_UNSUPPORTED);
    image->row = hoard_image_take_or_fail(image, row_length);
    if (image->info.is_interlaced) {
        read_passes(image);
    } else {
        read_rows(image);
    }
    // The rest has to be there, down to the last chunk: a file that ends early is damaged, wherever it ends.
    png_read_end(image->png, NULL);
}

void hoard_png_close(hoard_image *image)
{
    if (image->png != NULL) png_destroy_read_struct(&image->png, &image->png_info, NULL);
}

// MARK: Writing

typedef struct {
    png_structp png;
    png_infop info;
    jmp_buf on_error;
    hoard_image_status failure;
    uint8_t *bytes;
    size_t count, capacity;
} png_writer;

static void on_writing_error(png_structp png, png_const_charp message)
{
    (void)message;
    png_writer *writer = png_get_error_ptr(png);
    if (writer->failure == HOARD_IMAGE_OK) writer->failure = HOARD_IMAGE_NO_MEMORY;
    longjmp(writer->on_error, 1);
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    png_writer *writer = png_get_io_ptr(png);
    if (count > writer->capacity - writer->count) {
        size_t capacity = writer->capacity < 4096 ? 4096 : writer->capacity;
        while (capacity - writer->count < count) {
            if (capacity > SIZE_MAX / 2) png_error(png, "too long");
            capacity *= 2;
        }
        uint8_t *longer = realloc(writer->bytes, capacity);
        if (longer == NULL) png_error(png, "no memory");
        writer->bytes = longer;
        writer->capacity = capacity;
    }
    memcpy(writer->bytes + writer->count, bytes, count);
    writer->count += count;
}

static void flush(png_structp png)
{
    (void)png;
}

static void write_image(png_writer *writer, const uint8_t *pixels, uint32_t width, uint32_t height)
{
    png_set_write_fn(writer->png, writer, write_bytes, flush);
    png_set_user_limits(writer->png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(writer->png, writer->info, width, height, 8, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    png_write_info(writer->png, writer->info);
    for (uint32_t y = 0; y < height; y++) png_write_row(writer->png, pixels + (size_t)y * width * 4);
    png_write_end(writer->png, NULL);
}

hoard_image_status hoard_png_encode(const uint8_t *pixels, size_t pixel_byte_count, uint32_t width, uint32_t height, uint8_t **bytes, size_t *count)
{
    *bytes = NULL;
    *count = 0;
    if (width == 0 || height == 0 || width > 0x7fffffff || height > 0x7fffffff) return HOARD_IMAGE_NOT_POSSIBLE;
    if ((uint64_t)width * height > UINT64_MAX / 4 || (uint64_t)width * height * 4 != pixel_byte_count) return HOARD_IMAGE_NOT_POSSIBLE;
    png_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return HOARD_IMAGE_NO_MEMORY;
    if (setjmp(writer->on_error) == 0) {
        writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, on_writing_error, on_warning);
        if (writer->png != NULL) writer->info = png_create_info_struct(writer->png);
        if (writer->info != NULL) {
            write_image(writer, pixels, width, height);
        } else {
            writer->failure = HOARD_IMAGE_NO_MEMORY;
        }
    }
    const hoard_image_status status = writer->failure;
    if (writer->png != NULL) png_destroy_write_struct(&writer->png, &writer->info);
    if (status == HOARD_IMAGE_OK) {
        *bytes = writer->bytes;
        *count = writer->count;
    } else {
        free(writer->bytes);
    }
    free(writer);
    return status;
}

#endif
