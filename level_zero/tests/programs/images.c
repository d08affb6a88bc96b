// Images and samplers: made, filled from memory and other images, read and written by a kernel, copied back.
#include "common.h"

enum { WIDTH = 37, HEIGHT = 21 };

static const ze_image_format_t one_float = {ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, ZE_IMAGE_FORMAT_SWIZZLE_R, ZE_IMAGE_FORMAT_SWIZZLE_0, ZE_IMAGE_FORMAT_SWIZZLE_0, ZE_IMAGE_FORMAT_SWIZZLE_1};

static ze_image_handle_t image_of(ze_image_type_t type, uint32_t width, uint32_t height, uint32_t depth, uint32_t layers) {
    ze_image_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
        .type = type,
        .format = {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT, ZE_IMAGE_FORMAT_SWIZZLE_R, ZE_IMAGE_FORMAT_SWIZZLE_G, ZE_IMAGE_FORMAT_SWIZZLE_B, ZE_IMAGE_FORMAT_SWIZZLE_A},
        .width = width,
        .height = height,
        .depth = depth,
        .arraylevels = layers,
    };
    ze_image_handle_t image;
    OK(zeImageCreate(context, device, &desc, &image));
    return image;
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    begin();
    ze_device_image_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    OK(zeDeviceGetImageProperties(device, &properties));
    CHECK(properties.maxImageDims2D >= 8192 && properties.maxSamplers >= 16);
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    OK(zeCommandListCreateImmediate(context, device, &queue, &list));

    // A kernel between two images.
    ze_image_handle_t from = image_of(ZE_IMAGE_TYPE_2D, WIDTH, HEIGHT, 0, 0), to = image_of(ZE_IMAGE_TYPE_2D, WIDTH, HEIGHT, 0, 0);
    static uint8_t in[HEIGHT][WIDTH][4], out[HEIGHT][WIDTH][4];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 4; c++) in[y][x][c] = (uint8_t)(x + 5 * y + 50 * c);
    OK(zeCommandListAppendImageCopyFromMemory(list, from, in, NULL, NULL, 0, NULL));
    ze_sampler_desc_t sampler_desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC, .addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP, .filterMode = ZE_SAMPLER_FILTER_MODE_NEAREST};
    ze_sampler_handle_t sampler;
    OK(zeSamplerCreate(context, device, &sampler_desc, &sampler));
    ze_module_handle_t module = load(arguments[1], "images", NULL);
    ze_kernel_handle_t mirror = kernel_of(module, "mirror");
    OK(zeKernelSetGroupSize(mirror, WIDTH, 1, 1));
    OK(zeKernelSetArgumentValue(mirror, 0, sizeof from, &from));
    OK(zeKernelSetArgumentValue(mirror, 1, sizeof to, &to));
    OK(zeKernelSetArgumentValue(mirror, 2, sizeof sampler, &sampler));
    ze_group_count_t rows = {1, HEIGHT, 1};
    OK(zeCommandListAppendLaunchKernel(list, mirror, &rows, NULL, 0, NULL));
    OK(zeCommandListAppendImageCopyToMemory(list, out, to, NULL, NULL, 0, NULL));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 4; c++) CHECK(out[y][x][c] == (in[y][WIDTH - 1 - x][c] == 255 ? 255 : in[y][WIDTH - 1 - x][c] + 1));

    // A part of one image into another, and out of that.
    ze_image_region_t here = {3, 4, 0, 10, 5, 1}, there = {20, 11, 0, 10, 5, 1};
    OK(zeCommandListAppendImageCopyRegion(list, to, from, &there, &here, NULL, 0, NULL));
    static uint8_t part[5][10][4];
    OK(zeCommandListAppendImageCopyToMemory(list, part, to, &there, NULL, 0, NULL));
    for (int y = 0; y < 5; y++) CHECK(!memcmp(part[y], in[y + 4][3], sizeof part[y]));
    OK(zeCommandListAppendImageCopy(list, to, from, NULL, 0, NULL));
    OK(zeCommandListAppendImageCopyToMemory(list, out, to, NULL, NULL, 0, NULL));
    CHECK(!memcmp(in, out, sizeof in));

    // Layers, and slices.
    ze_image_handle_t layers = image_of(ZE_IMAGE_TYPE_2DARRAY, 4, 3, 0, 2), box = image_of(ZE_IMAGE_TYPE_3D, 4, 3, 2, 0), line = image_of(ZE_IMAGE_TYPE_1DARRAY, 12, 0, 0, 2);
    ze_image_handle_t shapes[] = {layers, box, line};
    for (int i = 0; i < 3; i++) {
        OK(zeCommandListAppendImageCopyFromMemory(list, shapes[i], in, NULL, NULL, 0, NULL));
        memset(out, 0, sizeof out);
        OK(zeCommandListAppendImageCopyToMemory(list, out, shapes[i], NULL, NULL, 0, NULL));
        CHECK(!memcmp(in, out, 4 * 24) && ((uint8_t *)out)[4 * 24] == 0);
        ze_image_region_t second = i == 2 ? (ze_image_region_t){0, 1, 0, 12, 1, 1} : (ze_image_region_t){0, 0, 1, 4, 3, 1};
        OK(zeCommandListAppendImageCopyToMemory(list, out, shapes[i], &second, NULL, 0, NULL));
        CHECK(!memcmp((uint8_t *)in + 4 * 12, out, 4 * 12));
    }

    // A filter: between 0 and 1 in a picture of one row, whose neighbours are the border's.
    ze_image_desc_t line_desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .format = one_float, .width = 2, .height = 1};
    ze_image_handle_t gradient;
    OK(zeImageCreate(context, device, &line_desc, &gradient));
    float ends[2] = {0, 1}, *mixtures = shared(9 * sizeof(float));
    OK(zeCommandListAppendImageCopyFromMemory(list, gradient, ends, NULL, NULL, 0, NULL));
    ze_sampler_desc_t smooth_desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC, .addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP, .filterMode = ZE_SAMPLER_FILTER_MODE_LINEAR};
    ze_sampler_handle_t smooth;
    OK(zeSamplerCreate(context, device, &smooth_desc, &smooth));
    ze_kernel_handle_t blend = kernel_of(module, "blend");
    OK(zeKernelSetGroupSize(blend, 9, 1, 1));
    OK(zeKernelSetArgumentValue(blend, 0, sizeof gradient, &gradient));
    OK(zeKernelSetArgumentValue(blend, 1, sizeof smooth, &smooth));
    OK(zeKernelSetArgumentValue(blend, 2, sizeof mixtures, &mixtures));
    ze_group_count_t once = {1, 1, 1};
    OK(zeCommandListAppendLaunchKernel(list, blend, &once, NULL, 0, NULL));
    static const float expected[9] = {0, 0, 0, .25f, .5f, .75f, 1, 1, 1};
    CHECK(!memcmp(mixtures, expected, sizeof expected));

    // A view: the same bytes as whole numbers, and as long as the view lives.
    line_desc.format.type = ZE_IMAGE_FORMAT_TYPE_UINT;
    ze_image_handle_t view;
    OK(zeImageViewCreateExp(context, device, &line_desc, gradient, &view));
    OK(zeImageDestroy(gradient));
    uint32_t bits[2];
    OK(zeCommandListAppendImageCopyToMemory(list, bits, view, NULL, NULL, 0, NULL));
    CHECK(bits[0] == 0 && bits[1] == 0x3f800000);
    ze_image_memory_properties_exp_t memory = {.stype = ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES};
    OK(zeImageGetMemoryPropertiesExp(view, &memory));
    CHECK(memory.size >= 8 && memory.rowPitch >= 8 && memory.slicePitch >= 8);

    // Rows and slices with gaps.
    uint8_t spaced[2][4][32];
    memset(spaced, 7, sizeof spaced);
    OK(zeCommandListAppendImageCopyFromMemory(list, box, in, NULL, NULL, 0, NULL));
    OK(zeCommandListAppendImageCopyToMemoryExt(list, spaced, box, NULL, 32, 128, NULL, 0, NULL));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++) CHECK(!memcmp(spaced[z][y], (uint8_t *)in + (z * 3 + y) * 16, 16) && spaced[z][y][16] == 7);
    OK(zeCommandListAppendImageCopyFromMemoryExt(list, layers, spaced, NULL, 32, 128, NULL, 0, NULL));
    OK(zeCommandListAppendImageCopyToMemory(list, out, layers, NULL, NULL, 0, NULL));
    CHECK(!memcmp(in, out, 4 * 24));

    // Mistakes.
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeCommandListAppendImageCopyToMemoryExt(list, spaced, box, NULL, 15, 0, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_POINTER, zeCommandListAppendImageCopyToMemory(list, NULL, to, NULL, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, zeCommandListAppendImageCopyToMemory(list, out, gradient, NULL, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeImageViewCreateExp(context, device, &line_desc, to, &gradient));
    ze_image_handle_t nothing = NULL;
    OK(zeKernelSetArgumentValue(mirror, 0, sizeof nothing, &nothing));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeCommandListAppendLaunchKernel(list, mirror, &rows, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, zeKernelSetArgumentValue(mirror, 0, 4, &to));
    smooth_desc.addressMode = ZE_SAMPLER_ADDRESS_MODE_MIRROR + 1;
    EXPECT(ZE_RESULT_ERROR_INVALID_ENUMERATION, zeSamplerCreate(context, device, &smooth_desc, &sampler));
    line_desc.type = ZE_IMAGE_TYPE_BUFFER + 1;
    EXPECT(ZE_RESULT_ERROR_INVALID_ENUMERATION, zeImageCreate(context, device, &line_desc, &gradient));
    ze_image_region_t beyond = {30, 0, 0, 10, 1, 1};
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeCommandListAppendImageCopyToMemory(list, out, to, &beyond, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_OVERLAPPING_REGIONS, zeCommandListAppendImageCopyRegion(list, to, to, &here, &here, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_SIZE, zeCommandListAppendImageCopy(list, to, layers, NULL, 0, NULL));
    EXPECT(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, zeKernelSetArgumentValue(mirror, 0, sizeof sampler, &sampler));
    EXPECT(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeKernelSetArgumentValue(mirror, 0, sizeof box, &box));
    ze_image_desc_t odd = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_NV12}, .width = 4, .height = 4};
    ze_image_handle_t none;
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, zeImageCreate(context, device, &odd, &none));
    ze_image_properties_t of_image = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    OK(zeImageGetProperties(device, &odd, &of_image));
    CHECK(of_image.samplerFilterFlags == 0);
    odd.format = one_float;
    OK(zeImageGetProperties(device, &odd, &of_image));
    CHECK(of_image.samplerFilterFlags == (ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT | ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR));
    odd.width = 1 << 20;
    EXPECT(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, zeImageCreate(context, device, &odd, &none));

    OK(zeSamplerDestroy(sampler));
    OK(zeSamplerDestroy(smooth));
    ze_image_handle_t all[] = {from, to, layers, box, line, view};
    for (int i = 0; i < 6; i++) OK(zeImageDestroy(all[i]));
    puts("pictures are right");
    return 0;
}
