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
#ifdef HOARD_WEBP
#include <webp/encode.h>
#endif
#ifdef HOARD_GIF
#include <gif_lib.h>
#endif
#ifdef HOARD_AVIF
#include <avif/avif.h>
#endif
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

#ifdef HOARD_WEBP
void test_webp_encode(uint32_t width, uint32_t height, int is_lossless, float quality, const uint8_t *rows, uint8_t **bytes, size_t *count)
{
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) abort();
    config.lossless = is_lossless;
    // The colours of transparent pixels stay.
    config.exact = is_lossless;
    config.quality = quality;
    picture.use_argb = 1;
    picture.width = (int)width;
    picture.height = (int)height;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    if (!WebPPictureImportRGBA(&picture, rows, (int)width * 4) || !WebPEncode(&config, &picture)) abort();
    WebPPictureFree(&picture);
    // The others' bytes are freed by free().
    *bytes = malloc(writer.size);
    if (*bytes == NULL) abort();
    memcpy(*bytes, writer.mem, writer.size);
    *count = writer.size;
    WebPMemoryWriterClear(&writer);
}
#endif

#ifdef HOARD_GIF
static int write_gif_bytes(GifFileType *gif, const GifByteType *bytes, int count)
{
    append(gif->UserData, bytes, (size_t)count);
    return count;
}

static void write_frame(GifFileType *gif, const test_gif_frame *frame)
{
    const GraphicsControlBlock control = {
        .DisposalMode = frame->disposal, .DelayTime = frame->delay, .TransparentColor = frame->transparent < 0 ? NO_TRANSPARENT_COLOR : frame->transparent};
    GifByteType extension[4];
    const size_t length = EGifGCBToExtension(&control, extension);
    if (EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, (int)length, extension) == GIF_ERROR) abort();
    const int width = (int)frame->width, height = (int)frame->height;
    if (EGifPutImageDesc(gif, (int)frame->x, (int)frame->y, width, height, frame->is_interlaced, NULL) == GIF_ERROR) abort();
    static const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    for (int pass = 0; pass < (frame->is_interlaced ? 4 : 1); pass++) {
        for (int y = frame->is_interlaced ? starts[pass] : 0; y < height; y += frame->is_interlaced ? steps[pass] : 1) {
            if (EGifPutLine(gif, (GifPixelType *)(frame->indices + y * width), width) == GIF_ERROR) abort();
        }
    }
}

void test_gif_encode(
    uint32_t width, uint32_t height, const uint8_t *palette, int repeats, const test_gif_frame *frames, size_t frame_count, uint8_t **bytes, size_t *count)
{
    output output = {0};
    int error = 0;
    GifFileType *gif = EGifOpen(&output, write_gif_bytes, &error);
    ColorMapObject *colors = GifMakeMapObject(256, (const GifColorType *)palette);
    if (gif == NULL || colors == NULL) abort();
    EGifSetGifVersion(gif, true);
    if (EGifPutScreenDesc(gif, (int)width, (int)height, 8, 0, colors) == GIF_ERROR) abort();
    if (repeats >= 0) {
        const uint8_t loops[] = {1, (uint8_t)repeats, (uint8_t)(repeats >> 8)};
        if (EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_ERROR || EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_ERROR
            || EGifPutExtensionBlock(gif, 3, loops) == GIF_ERROR || EGifPutExtensionTrailer(gif) == GIF_ERROR) {
            abort();
        }
    }
    for (size_t index = 0; index < frame_count; index++) write_frame(gif, frames + index);
    if (EGifCloseFile(gif, &error) == GIF_ERROR) abort();
    GifFreeMapObject(colors);
    *bytes = output.bytes;
    *count = output.count;
}
#endif

#ifdef HOARD_AVIF
static avifImage *avif_frame(test_avif picture, const uint8_t *rows)
{
    avifImage *image = avifImageCreate(picture.width, picture.height, picture.depth, picture.is_lossless ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420);
    if (image == NULL) abort();
    image->yuvRange = AVIF_RANGE_FULL;
    if (picture.is_lossless) image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_IDENTITY;
    if (picture.turns > 0) {
        image->transformFlags |= AVIF_TRANSFORM_IROT;
        image->irot.angle = (uint8_t)picture.turns;
    }
    if (picture.mirror >= 0) {
        image->transformFlags |= AVIF_TRANSFORM_IMIR;
#if AVIF_VERSION >= 1000000
        image->imir.axis = (uint8_t)picture.mirror;
#else
        image->imir.mode = (uint8_t)picture.mirror;
#endif
    }
    avifRGBImage pixels;
    avifRGBImageSetDefaults(&pixels, image);
    pixels.depth = 8;
    pixels.format = AVIF_RGB_FORMAT_RGBA;
    pixels.ignoreAlpha = !picture.has_alpha;
    pixels.pixels = (uint8_t *)rows;
    pixels.rowBytes = picture.width * 4;
    if (avifImageRGBToYUV(image, &pixels) != AVIF_RESULT_OK) abort();
    return image;
}

void test_avif_encode(test_avif picture, const uint8_t *rows, uint8_t **bytes, size_t *count)
{
    avifEncoder *encoder = avifEncoderCreate();
    if (encoder == NULL) abort();
    encoder->speed = 10;
    encoder->maxThreads = 1;
    encoder->timescale = 1000;
    if (!picture.is_lossless) encoder->minQuantizer = encoder->maxQuantizer = encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = 10;
    else encoder->minQuantizer = encoder->maxQuantizer = encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = 0;
    avifImage **images = malloc(picture.frames * sizeof *images);
    if (images == NULL) abort();
    for (uint32_t frame = 0; frame < picture.frames; frame++) images[frame] = avif_frame(picture, rows + (size_t)frame * picture.width * picture.height * 4);
    const avifAddImageFlags flags = picture.frames == 1 ? AVIF_ADD_IMAGE_FLAG_SINGLE : AVIF_ADD_IMAGE_FLAG_NONE;
    if (picture.is_grid) {
        const avifImage *const *tiles = (const avifImage *const *)images;
        if (avifEncoderAddImageGrid(encoder, picture.frames, 1, tiles, AVIF_ADD_IMAGE_FLAG_SINGLE) != AVIF_RESULT_OK) abort();
    } else {
        for (uint32_t frame = 0; frame < picture.frames; frame++) {
            if (avifEncoderAddImage(encoder, images[frame], picture.milliseconds, flags) != AVIF_RESULT_OK) abort();
        }
    }
    for (uint32_t frame = 0; frame < picture.frames; frame++) avifImageDestroy(images[frame]);
    free(images);
    avifRWData written = AVIF_DATA_EMPTY;
    if (avifEncoderFinish(encoder, &written) != AVIF_RESULT_OK) abort();
    avifEncoderDestroy(encoder);
    *bytes = malloc(written.size);
    if (*bytes == NULL) abort();
    memcpy(*bytes, written.data, written.size);
    *count = written.size;
    avifRWDataFree(&written);
}
#endif

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
