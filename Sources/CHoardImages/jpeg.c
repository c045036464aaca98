// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#include "internal.h"

#if HOARD_IMAGES_DECODES

#include <jerror.h>
#include <string.h>

// MARK: What libjpeg calls

static hoard_image_status status_of(int code)
{
    switch (code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
        return HOARD_IMAGE_TOO_MUCH_MEMORY;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
        return HOARD_IMAGE_TOO_LARGE;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_SOF_UNSUPPORTED:
        return HOARD_IMAGE_UNSUPPORTED;
    default:
        return HOARD_IMAGE_DAMAGED;
    }
}

static void on_error(j_common_ptr jpeg)
{
    hoard_image_fail(jpeg->client_data, status_of(jpeg->err->msg_code));
}

/// libjpeg goes on after what it calls warnings, with pixels that it has made up. Those that mean missing or wrong data are errors here.
static void on_message(j_common_ptr jpeg, int level)
{
    if (level >= 0) return;
    const hoard_image *image = jpeg->client_data;
    switch (jpeg->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
        // The end that is missing looks like a marker to the decoder.
        if (image->is_beginning) break;
        hoard_image_fail(jpeg->client_data, HOARD_IMAGE_DAMAGED);
        break;
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
        break;
    default:
        hoard_image_fail(jpeg->client_data, HOARD_IMAGE_DAMAGED);
    }
}

static void output_message(j_common_ptr jpeg)
{
    (void)jpeg;
}

/// A progressive JPEG may have any number of scans, each of which costs as much as the whole picture.
static void on_progress(j_common_ptr jpeg)
{
    hoard_image *image = jpeg->client_data;
    if ((uint32_t)image->jpeg.input_scan_number > image->limits.scans) hoard_image_fail(image, HOARD_IMAGE_TOO_MANY_SCANS);
    hoard_image_check_stop(image);
}

// Pixels that a damaged file leaves unfilled must not show the earlier content of memory: all memory that libjpeg takes for itself starts as zeros.

static JSAMPARRAY take_zeroed_rows(j_common_ptr jpeg, int pool, JDIMENSION length, JDIMENSION count)
{
    const hoard_image *image = jpeg->client_data;
    // Rounded up as libjpeg does it, so that its padding is cleared, too. Rows of libjpeg are shorter than 2^20.
    const JDIMENSION whole = (length + 127) / 128 * 128;
    JSAMPARRAY rows = image->jpeg_take_rows(jpeg, pool, whole, count);
    for (JDIMENSION row = 0; row < count; row++) memset(rows[row], 0, whole);
    return rows;
}

static void *take_zeroed_small(j_common_ptr jpeg, int pool, size_t count)
{
    const hoard_image *image = jpeg->client_data;
    return memset(image->jpeg_take_small(jpeg, pool, count), 0, count);
}

static void *take_zeroed_large(j_common_ptr jpeg, int pool, size_t count)
{
    const hoard_image *image = jpeg->client_data;
    return memset(image->jpeg_take_large(jpeg, pool, count), 0, count);
}

static void set_up_memory(hoard_image *image)
{
    struct jpeg_memory_mgr *memory = image->jpeg.mem;
    image->jpeg_take_rows = memory->alloc_sarray;
    image->jpeg_take_small = memory->alloc_small;
    image->jpeg_take_large = memory->alloc_large;
    memory->alloc_sarray = take_zeroed_rows;
    memory->alloc_small = take_zeroed_small;
    memory->alloc_large = take_zeroed_large;
}

// MARK: Header

void hoard_jpeg_read_header(hoard_image *image)
{
    struct jpeg_decompress_struct *jpeg = &image->jpeg;
    jpeg->err = jpeg_std_error(&image->jpeg_errors);
    image->jpeg_errors.error_exit = on_error;
    image->jpeg_errors.emit_message = on_message;
    image->jpeg_errors.output_message = output_message;
    jpeg->client_data = image;
    // Destroying is safe from here on: the structure is zero until it is created.
    image->has_jpeg = 1;
    jpeg_create_decompress(jpeg);
    jpeg->client_data = image;
    set_up_memory(image);
    image->jpeg_progress.progress_monitor = on_progress;
    jpeg->progress = &image->jpeg_progress;
    jpeg->mem->max_memory_to_use = image->limits.working_bytes > INT32_MAX ? INT32_MAX : (long)image->limits.working_bytes;
    jpeg_mem_src(jpeg, image->bytes, image->count);
    jpeg_read_header(jpeg, TRUE);
    image->info.width = jpeg->image_width;
    image->info.height = jpeg->image_height;
    image->info.is_interlaced = jpeg_has_multiple_scans(jpeg);
}

// MARK: Pixels

/// Decodes at the smallest of the sizes n/8 that is not smaller than what is wanted: the discrete cosine transform gives it for nothing.
static void set_scale(hoard_image *image)
{
    struct jpeg_decompress_struct *jpeg = &image->jpeg;
    jpeg->scale_denom = 8;
    for (unsigned int eighths = 1; eighths <= 8; eighths++) {
        jpeg->scale_num = eighths;
        jpeg_calc_output_dimensions(jpeg);
        if (jpeg->output_width >= image->sampler.width && jpeg->output_height >= image->sampler.height) return;
    }
}

static uint8_t times(uint8_t a, uint8_t b)
{
    return (uint8_t)((a * b + 127) / 255);
}

static void convert(const hoard_image *image, uint32_t width)
{
    const uint8_t *source = image->row;
    uint8_t *pixel = image->rgba;
    if (image->jpeg.out_color_space == JCS_CMYK) {
        // Programs that write the Adobe marker write inks inverted: 255 is none.
        const uint8_t inverted = image->jpeg.saw_Adobe_marker ? 0 : 255;
        for (uint32_t x = 0; x < width; x++, source += 4, pixel += 4) {
            const uint8_t light = source[3] ^ inverted;
            for (int channel = 0; channel < 3; channel++) pixel[channel] = times(source[channel] ^ inverted, light);
            pixel[3] = 255;
        }
    } else if (image->jpeg.out_color_space == JCS_GRAYSCALE) {
        for (uint32_t x = 0; x < width; x++, source++, pixel += 4) {
            pixel[0] = pixel[1] = pixel[2] = *source;
            pixel[3] = 255;
        }
    } else {
        for (uint32_t x = 0; x < width; x++, source += 3, pixel += 4) {
            memcpy(pixel, source, 3);
            pixel[3] = 255;
        }
    }
}

static void take_buffers(hoard_image *image)
{
    struct jpeg_decompress_struct *jpeg = &image->jpeg;
    image->row = hoard_image_take_or_fail(image, (uint64_t)jpeg->output_width * jpeg->output_components);
    image->rgba = hoard_image_take_or_fail(image, (uint64_t)jpeg->output_width * 4);
    hoard_image_take_sums(image);
}

void hoard_jpeg_read_pixels(hoard_image *image)
{
    struct jpeg_decompress_struct *jpeg = &image->jpeg;
    hoard_sampler *sampler = &image->sampler;
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE: jpeg->out_color_space = JCS_GRAYSCALE; break;
    case JCS_CMYK:
    case JCS_YCCK: jpeg->out_color_space = JCS_CMYK; break;
    case JCS_RGB:
    case JCS_YCbCr: jpeg->out_color_space = JCS_RGB; break;
    default: hoard_image_fail(image, HOARD_IMAGE_UNSUPPORTED);
    }
    set_scale(image);
    // libjpeg's part of the limit: what the pixels leave of it.
    const uint64_t left = image->limits.working_bytes - image->taken;
    // Zero would mean no limit.
    jpeg->mem->max_memory_to_use = left > INT32_MAX ? INT32_MAX : left == 0 ? 1 : (long)left;
    jpeg_start_decompress(jpeg);
    const int expected = jpeg->out_color_space == JCS_GRAYSCALE ? 1 : jpeg->out_color_space == JCS_CMYK ? 4 : 3;
    if (jpeg->output_components != expected) hoard_image_fail(image, HOARD_IMAGE_UNSUPPORTED);
    sampler->source_width = jpeg->output_width;
    sampler->source_height = jpeg->output_height;
    take_buffers(image);
    while (jpeg->output_scanline < jpeg->output_height) {
        hoard_image_check_stop(image);
        JSAMPROW row = image->row;
        if (jpeg_read_scanlines(jpeg, &row, 1) != 1) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
        convert(image, jpeg->output_width);
        hoard_sampler_add_row(sampler, image->rgba);
    }
    jpeg_finish_decompress(jpeg);
}

void hoard_jpeg_close(hoard_image *image)
{
    if (image->has_jpeg) jpeg_destroy_decompress(&image->jpeg);
}

#endif
