// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#include "internal.h"

#if HOARD_IMAGES_DECODES && defined(HOARD_WEBP)

#include <string.h>

// libwebp reports errors by values and makes no calls of its own, so nothing here has to survive a jump out of it.

static hoard_image_status status_of(VP8StatusCode code)
{
    switch (code) {
    case VP8_STATUS_OUT_OF_MEMORY: return HOARD_IMAGE_NO_MEMORY;
    case VP8_STATUS_UNSUPPORTED_FEATURE: return HOARD_IMAGE_UNSUPPORTED;
    default: return HOARD_IMAGE_DAMAGED;
    }
}

// MARK: Header

/// libwebp keeps a note of each frame, which is shorter than four times the frame's own header.
static uint64_t note_bytes(const hoard_image *image)
{
    return (uint64_t)image->count * 4;
}

/// The number of frames, and how often they are shown.
static void read_animation(hoard_image *image)
{
    hoard_image_reserve(image, note_bytes(image));
    const WebPData data = {image->bytes, image->count};
    WebPDemuxer *demuxer = WebPDemux(&data);
    if (demuxer == NULL) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    image->info.frames = WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT);
    image->info.plays = WebPDemuxGetI(demuxer, WEBP_FF_LOOP_COUNT);
    WebPDemuxDelete(demuxer);
    hoard_image_release(image, note_bytes(image));
    if (image->info.frames == 0) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
}

void hoard_webp_read_header(hoard_image *image)
{
    // libwebp does not miss the last bytes of some pictures. A file that is cut there may be cut elsewhere, too.
    uint32_t length = 0;
    for (int index = 3; index >= 0; index--) length = length << 8 | image->bytes[4 + index];
    if (length > image->count - 8) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    const VP8StatusCode code = WebPGetFeatures(image->bytes, image->count, &image->webp_features);
    if (code != VP8_STATUS_OK) hoard_image_fail(image, status_of(code));
    if (image->webp_features.width < 0 || image->webp_features.height < 0) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    if (image->webp_features.has_animation) read_animation(image);
    image->info.width = (uint32_t)image->webp_features.width;
    image->info.height = (uint32_t)image->webp_features.height;
}

// MARK: A still picture

/// An estimate of what libwebp takes for itself, which it cannot be told to limit. Of a lossy picture it has a few rows; of a lossless one, and of
/// transparency, all pixels. The tables of codes of a lossless picture are not in it: a file made to have many has some hundred megabytes of them.
static uint64_t library_bytes(const hoard_image *image)
{
    const uint64_t width = image->info.width, pixels = width * image->info.height;
    const uint64_t rows = width * 512 + ((uint64_t)1 << 20);
    if (image->webp_features.format == 1) return rows + (image->webp_features.has_alpha ? pixels * 6 : 0);
    return rows + pixels * 6;
}

/// Decodes what there is, a part after the other, so that the caller can stop in between. Each part is as long as all before it: libwebp reads the head of a
/// lossless picture anew until it has come whole, and a head may be nearly as long as its file.
static void decode(hoard_image *image)
{
    size_t step = 4096;
    VP8StatusCode code = VP8_STATUS_SUSPENDED;
    for (size_t end = 0; code == VP8_STATUS_SUSPENDED && end < image->count; step = end) {
        hoard_image_check_stop(image);
        end = image->count - end > step ? end + step : image->count;
        code = WebPIUpdate(image->webp, image->bytes, end);
    }
    // Suspended: the end is missing.
    if (code != VP8_STATUS_OK) hoard_image_fail(image, status_of(code));
}

static void read_still(hoard_image *image)
{
    hoard_sampler *sampler = &image->sampler;
    const WebPBitstreamFeatures *features = &image->webp_features;
    // libwebp averages areas, too, and then never has the whole picture. But it lets the colours of transparent pixels of a lossy one into the average.
    const int is_scaled_here = features->format == 1 && features->has_alpha;
    const uint32_t width = is_scaled_here ? image->info.width : sampler->width, height = is_scaled_here ? image->info.height : sampler->height;
    hoard_image_take_canvas(image, width, height);
    hoard_image_reserve(image, library_bytes(image));
    const size_t row_length = (size_t)width * 4;
    WebPDecoderConfig *config = &image->webp_config;
    if (!WebPInitDecoderConfig(config)) hoard_image_fail(image, HOARD_IMAGE_UNSUPPORTED);
    config->output.colorspace = MODE_RGBA;
    config->output.is_external_memory = 1;
    config->output.u.RGBA.rgba = image->canvas;
    config->output.u.RGBA.stride = (int)row_length;
    config->output.u.RGBA.size = image->canvas_length;
    if (width != image->info.width || height != image->info.height) {
        config->options.use_scaling = 1;
        config->options.scaled_width = (int)width;
        config->options.scaled_height = (int)height;
    }
    image->webp = WebPIDecode(NULL, 0, config);
    if (image->webp == NULL) hoard_image_fail(image, HOARD_IMAGE_NO_MEMORY);
    decode(image);
    sampler->source_width = width;
    sampler->source_height = height;
    hoard_image_scale(image, image->canvas, row_length);
}

// MARK: An animation

static void read_frame(hoard_image *image)
{
    if (image->webp_frames == NULL) {
        // Two canvases, and a frame that is as large as they are.
        hoard_image_reserve(image, (uint64_t)image->info.width * image->info.height * 8 + library_bytes(image) + note_bytes(image));
        const WebPData data = {image->bytes, image->count};
        image->webp_frames = WebPAnimDecoderNew(&data, NULL);
        if (image->webp_frames == NULL) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    }
    uint8_t *pixels;
    int time;
    if (!WebPAnimDecoderGetNext(image->webp_frames, &pixels, &time)) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    image->duration = time > image->webp_time ? (uint32_t)(time - image->webp_time) : 0;
    image->webp_time = time;
    hoard_image_scale(image, pixels, (size_t)image->info.width * 4);
}

void hoard_webp_read_pixels(hoard_image *image)
{
    if (image->webp_features.has_animation) {
        read_frame(image);
    } else {
        read_still(image);
    }
}

void hoard_webp_close(hoard_image *image)
{
    // It refers to the configuration, which lies in the image.
    if (image->webp != NULL) WebPIDelete(image->webp);
    if (image->webp_frames != NULL) WebPAnimDecoderDelete(image->webp_frames);
}

#endif
