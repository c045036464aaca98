// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#include "internal.h"

#if HOARD_IMAGES_DECODES && defined(HOARD_GIF)

#include <string.h>

// GIF89a, by giflib one row at a time. Frames are drawn over each other on a canvas of the size of the screen that the file describes.

// MARK: The file's blocks

/// Reads over a file without decoding it: counts its frames, and finds out whether its end is there. The Netscape extension says how often they are shown.
typedef struct {
    const uint8_t *bytes;
    size_t count, offset;
} scanner;

static int skip(scanner *scanner, size_t length)
{
    if (length > scanner->count - scanner->offset) return 0;
    scanner->offset += length;
    return 1;
}

/// Blocks of up to 255 bytes each, until an empty one.
static int skip_blocks(scanner *scanner)
{
    while (scanner->offset < scanner->count) {
        const size_t length = scanner->bytes[scanner->offset];
        if (!skip(scanner, 1 + length)) return 0;
        if (length == 0) return 1;
    }
    return 0;
}

static size_t table_length(uint8_t flags)
{
    return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

static int read_extension(hoard_image *image, scanner *scanner)
{
    static const char netscape[] = "\xff\x0bNETSCAPE2.0\x03\x01";
    const size_t length = sizeof netscape - 1;
    const uint8_t *bytes = scanner->bytes + scanner->offset;
    if (scanner->count - scanner->offset >= length + 2 && memcmp(bytes, netscape, length) == 0) {
        const uint32_t repeats = bytes[length] | (uint32_t)bytes[length + 1] << 8;
        image->info.plays = repeats == 0 ? 0 : repeats + 1;
    }
    return skip(scanner, 1) && skip_blocks(scanner);
}

static int read_image(hoard_image *image, scanner *scanner)
{
    image->info.frames++;
    if (!skip(scanner, 9)) return 0;
    // The colours, and a byte that says how long the codes are.
    return skip(scanner, table_length(scanner->bytes[scanner->offset - 1]) + 1) && skip_blocks(scanner);
}

static int read_blocks(hoard_image *image)
{
    scanner scanner = {image->bytes, image->count, 6};
    image->info.frames = 0;
    if (!skip(&scanner, 7) || !skip(&scanner, table_length(image->bytes[10]))) return 0;
    while (scanner.offset < scanner.count) {
        switch (scanner.bytes[scanner.offset++]) {
        case 0x21:
            if (!read_extension(image, &scanner)) return 0;
            break;
        case 0x2c:
            if (!read_image(image, &scanner)) return 0;
            break;
        case 0x3b: return image->info.frames > 0;
        default: return 0;
        }
    }
    return 0;
}

// MARK: What giflib calls

static int read_bytes(GifFileType *gif, GifByteType *bytes, int count)
{
    hoard_image *image = gif->UserData;
    const size_t left = image->count - image->gif_offset;
    const size_t length = count < 0 ? 0 : (size_t)count < left ? (size_t)count : left;
    memcpy(bytes, image->bytes + image->gif_offset, length);
    image->gif_offset += length;
    return (int)length;
}

void hoard_gif_read_header(hoard_image *image)
{
    if (!read_blocks(image)) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    // Its tables of codes and of colours.
    hoard_image_reserve(image, 1 << 16);
    int error = 0;
    image->gif = DGifOpen(image, read_bytes, &error);
    if (image->gif == NULL) hoard_image_fail(image, error == D_GIF_ERR_NOT_ENOUGH_MEM ? HOARD_IMAGE_NO_MEMORY : HOARD_IMAGE_DAMAGED);
    image->info.width = (uint32_t)image->gif->SWidth;
    image->info.height = (uint32_t)image->gif->SHeight;
}

// MARK: Frames

static void check(hoard_image *image, int result)
{
    if (result == GIF_ERROR) hoard_image_fail(image, image->gif->Error == D_GIF_ERR_NOT_ENOUGH_MEM ? HOARD_IMAGE_NO_MEMORY : HOARD_IMAGE_DAMAGED);
}

static uint8_t *place(hoard_image *image, uint32_t x, uint32_t y)
{
    return image->canvas + ((size_t)y * image->info.width + x) * 4;
}

/// Takes the last frame away, as it asked for.
static void dispose(hoard_image *image)
{
    for (uint32_t y = 0; y < image->gif_height; y++) {
        uint8_t *row = place(image, image->gif_x, image->gif_y + y);
        const size_t length = (size_t)image->gif_width * 4;
        if (image->gif_disposal == DISPOSE_BACKGROUND) {
            // Programs show nothing there, whatever colour the file calls its background.
            memset(row, 0, length);
        } else if (image->gif_disposal == DISPOSE_PREVIOUS && image->gif_saved != NULL) {
            memcpy(row, image->gif_saved + (row - image->canvas), length);
        }
    }
}

/// Reads up to the next frame. Fills in how it is shown and which colour is transparent.
static void find_frame(hoard_image *image, GraphicsControlBlock *control)
{
    *control = (GraphicsControlBlock){.TransparentColor = NO_TRANSPARENT_COLOR};
    for (;;) {
        GifRecordType type;
        check(image, DGifGetRecordType(image->gif, &type));
        if (type == IMAGE_DESC_RECORD_TYPE) return;
        if (type != EXTENSION_RECORD_TYPE) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
        int function = 0;
        GifByteType *bytes = NULL;
        check(image, DGifGetExtension(image->gif, &function, &bytes));
        if (function == GRAPHICS_EXT_FUNC_CODE && bytes != NULL) DGifExtensionToGCB(bytes[0], bytes + 1, control);
        while (bytes != NULL) check(image, DGifGetExtensionNext(image->gif, &bytes));
    }
}

/// Draws one row of a frame. Colours that the palette does not have are not drawn.
static void draw_row(hoard_image *image, uint32_t y, const ColorMapObject *colors, int transparent)
{
    uint8_t *pixel = place(image, image->gif_x, image->gif_y + y);
    for (uint32_t x = 0; x < image->gif_width; x++, pixel += 4) {
        const int index = image->row[x];
        if (index == transparent || index >= colors->ColorCount) continue;
        const GifColorType color = colors->Colors[index];
        pixel[0] = color.Red;
        pixel[1] = color.Green;
        pixel[2] = color.Blue;
        pixel[3] = 255;
    }
}

static void read_rows(hoard_image *image, uint32_t width, uint32_t height, const ColorMapObject *colors, int transparent)
{
    // Where an interlaced picture's four passes begin, and how far apart their rows are.
    static const uint32_t starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    const int passes = image->gif->Image.Interlace ? 4 : 1;
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t y = passes == 1 ? 0 : starts[pass]; y < height; y += passes == 1 ? 1 : steps[pass]) {
            hoard_image_check_stop(image);
            check(image, DGifGetLine(image->gif, image->row, (int)width));
            // The part of a frame that lies outside the screen is not seen.
            if (y < image->gif_height) draw_row(image, y, colors, transparent);
        }
    }
}

/// The part of a side that lies on the screen.
static uint32_t visible(uint32_t start, uint32_t length, uint32_t screen)
{
    if (start >= screen) return 0;
    return length < screen - start ? length : screen - start;
}

void hoard_gif_read_pixels(hoard_image *image)
{
    hoard_image_take_canvas(image, image->info.width, image->info.height);
    dispose(image);
    GraphicsControlBlock control;
    find_frame(image, &control);
    // giflib keeps a note of each frame, with its colours, for as long as the file is open.
    hoard_image_reserve(image, 2 * sizeof(SavedImage) + 1024);
    check(image, DGifGetImageDesc(image->gif));
    const GifImageDesc *frame = &image->gif->Image;
    const ColorMapObject *colors = frame->ColorMap != NULL ? frame->ColorMap : image->gif->SColorMap;
    if (colors == NULL || frame->Width <= 0 || frame->Height <= 0 || frame->Left < 0 || frame->Top < 0) hoard_image_fail(image, HOARD_IMAGE_DAMAGED);
    // All of a frame is read, also what lies outside the screen.
    if ((uint64_t)frame->Width * (uint64_t)frame->Height > image->limits.pixels) hoard_image_fail(image, HOARD_IMAGE_TOO_LARGE);
    image->gif_x = (uint32_t)frame->Left;
    image->gif_y = (uint32_t)frame->Top;
    image->gif_width = visible(image->gif_x, (uint32_t)frame->Width, image->info.width);
    image->gif_height = visible(image->gif_y, (uint32_t)frame->Height, image->info.height);
    if (image->gif_width == 0) image->gif_height = 0;
    image->gif_disposal = control.DisposalMode;
    // Hundredths of a second.
    image->duration = control.DelayTime > 0 ? (uint32_t)control.DelayTime * 10 : 0;
    if (control.DisposalMode == DISPOSE_PREVIOUS) {
        if (image->gif_saved == NULL) image->gif_saved = hoard_image_take_or_fail(image, image->canvas_length);
        memcpy(image->gif_saved, image->canvas, image->canvas_length);
    }
    hoard_image_give_back(image, image->row);
    image->row = NULL;
    image->row = hoard_image_take_or_fail(image, (uint64_t)frame->Width);
    read_rows(image, (uint32_t)frame->Width, (uint32_t)frame->Height, colors, control.TransparentColor);
    hoard_image_scale(image, image->canvas, (size_t)image->info.width * 4);
}

void hoard_gif_close(hoard_image *image)
{
    int error;
    if (image->gif != NULL) DGifCloseFile(image->gif, &error);
}

#endif
