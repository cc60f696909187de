// vkdraw SCENE: draws one triangle on a picture of 8 by 8 pixels of four signed words with the first Vulkan device, and prints the words of the lower left
// quarter, row by row from the top. SCENE is a text: `vertex FILE`, `fragment FILE`, `entries NAME NAME`, and for each texture `texture BINDING FORMAT WIDTH HEIGHT LAYERS
// LEVELS FILTER WRAP FILE`, FILTER `nearest` or `linear`, WRAP `repeat`, `mirror` or `clamp`; a texture is a combined image and sampler of set 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(x) do { VkResult r_ = (x); if (r_ != VK_SUCCESS) { fprintf(stderr, "%s: %d\n", #x, r_); exit(9); } } while (0)
enum { SIZE = 8, MOST = 8 };

static VkDevice dev;
static VkPhysicalDeviceMemoryProperties memory;

static void *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) { perror(path); exit(8); }
    fseek(f, 0, SEEK_END);
    *n = ftell(f);
    rewind(f);
    void *b = malloc(*n + 16);
    if (fread(b, 1, *n, f) != *n) exit(8);
    fclose(f);
    return b;
}

static VkDeviceMemory allocate(VkMemoryRequirements need, VkMemoryPropertyFlags flags) {
    for (uint32_t k = 0; k < memory.memoryTypeCount; k++) {
        if (!(need.memoryTypeBits >> k & 1) || (memory.memoryTypes[k].propertyFlags & flags) != flags) continue;
        VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size, .memoryTypeIndex = k};
        VkDeviceMemory m;
        CHECK(vkAllocateMemory(dev, &info, 0, &m));
        return m;
    }
    exit(7);
}

static VkBuffer buffer(size_t n, void **at) {
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = n,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer b;
    CHECK(vkCreateBuffer(dev, &info, 0, &b));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(dev, b, &need);
    VkDeviceMemory m = allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    vkBindBufferMemory(dev, b, m, 0);
    CHECK(vkMapMemory(dev, m, 0, VK_WHOLE_SIZE, 0, at));
    return b;
}

static VkImage image(VkFormat format, uint32_t w, uint32_t h, uint32_t layers, uint32_t levels, VkImageUsageFlags usage) {
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format,
        .extent = {w, h, 1}, .mipLevels = levels, .arrayLayers = layers, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage};
    VkImage i;
    CHECK(vkCreateImage(dev, &info, 0, &i));
    VkMemoryRequirements need;
    vkGetImageMemoryRequirements(dev, i, &need);
    vkBindImageMemory(dev, i, allocate(need, 0), 0);
    return i;
}

static VkImageView view(VkImage i, VkFormat format, uint32_t layers, uint32_t levels, int arrayed) {
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = i,
        .viewType = arrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D, .format = format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, levels, 0, layers}};
    VkImageView v;
    CHECK(vkCreateImageView(dev, &info, 0, &v));
    return v;
}

static void barrier(VkCommandBuffer c, VkImage i, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, .oldLayout = from, .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = i,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, 0, 0, 0, 1, &b);
}

static VkFormat format_of(const char *name) {
    static const struct { const char *name; VkFormat format; } all[] = {{"rgba8unorm", VK_FORMAT_R8G8B8A8_UNORM}, {"rgba8uint", VK_FORMAT_R8G8B8A8_UINT},
        {"rgba8sint", VK_FORMAT_R8G8B8A8_SINT}, {"r32float", VK_FORMAT_R32_SFLOAT}, {"r32uint", VK_FORMAT_R32_UINT}, {"r8unorm", VK_FORMAT_R8_UNORM}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) if (!strcmp(all[k].name, name)) return all[k].format;
    fprintf(stderr, "no format %s\n", name);
    exit(6);
}

static VkShaderModule module(const char *path) {
    size_t n;
    void *words = read_file(path, &n);
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = n, .pCode = words};
    VkShaderModule m;
    CHECK(vkCreateShaderModule(dev, &info, 0, &m));
    return m;
}

struct texture { unsigned binding, w, h, layers, levels; VkFormat format; int linear; VkSamplerAddressMode wrap; char file[400]; VkImage image; VkBuffer from; };

int main(int argc, char **argv) {
    char vertex[400] = "", fragment[400] = "", names[2][100] = {"main", "main"}, line[1200];
    struct texture t[MOST];
    unsigned n = 0;
    FILE *scene = argc == 2 ? fopen(argv[1], "r") : 0;
    if (!scene) return 2;
    while (fgets(line, sizeof line, scene)) {
        char format[40], filter[40], wrap[40];
        struct texture *x = t + n;
        if (sscanf(line, "vertex %399s", vertex) == 1 || sscanf(line, "fragment %399s", fragment) == 1) continue;
        if (sscanf(line, "entries %99s %99s", names[0], names[1]) == 2) continue;
        if (n == MOST || sscanf(line, "texture %u %39s %u %u %u %u %39s %39s %399s", &x->binding, format, &x->w, &x->h, &x->layers, &x->levels, filter, wrap, x->file) != 9) return 2;
        x->format = format_of(format);
        x->linear = !strcmp(filter, "linear");
        x->wrap = !strcmp(wrap, "repeat") ? VK_SAMPLER_ADDRESS_MODE_REPEAT : !strcmp(wrap, "mirror") ? VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
        n++;
    }
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo ici = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkInstance instance;
    CHECK(vkCreateInstance(&ici, 0, &instance));
    VkPhysicalDevice pd;
    uint32_t one = 1;
    vkEnumeratePhysicalDevices(instance, &one, &pd);
    if (!one) return 7;
    VkPhysicalDeviceVulkan13Features f13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceFeatures2 f2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f13};
    vkGetPhysicalDeviceFeatures2(pd, &f2);
    float priority = 1;
    VkDeviceQueueCreateInfo qi = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo di = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f2, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qi};
    CHECK(vkCreateDevice(pd, &di, 0, &dev));
    VkQueue queue;
    vkGetDeviceQueue(dev, 0, 0, &queue);
    vkGetPhysicalDeviceMemoryProperties(pd, &memory);

    const VkFormat target = VK_FORMAT_R32G32B32A32_SINT;
    VkImage picture = image(target, SIZE, SIZE, 1, 1, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    VkImageView picture_view = view(picture, target, 1, 1, 0);
    void *words;
    VkBuffer out = buffer(SIZE * SIZE * 16, &words);

    VkDescriptorSetLayoutBinding lb[MOST];
    for (unsigned k = 0; k < n; k++) lb[k] = (VkDescriptorSetLayoutBinding){t[k].binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, 0};
    VkDescriptorSetLayoutCreateInfo sli = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = n, .pBindings = lb};
    VkDescriptorSetLayout sl;
    CHECK(vkCreateDescriptorSetLayout(dev, &sli, 0, &sl));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, MOST};
    VkDescriptorPoolCreateInfo dpi = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool dp;
    CHECK(vkCreateDescriptorPool(dev, &dpi, 0, &dp));
    VkDescriptorSetAllocateInfo dai = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = dp, .descriptorSetCount = 1, .pSetLayouts = &sl};
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(dev, &dai, &set));
    for (unsigned k = 0; k < n; k++) {
        struct texture *x = t + k;
        size_t bytes;
        void *data = read_file(x->file, &bytes), *at;
        x->from = buffer(bytes, &at);
        memcpy(at, data, bytes);
        x->image = image(x->format, x->w, x->h, x->layers, x->levels, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
        VkFilter filter = x->linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
        VkSamplerCreateInfo si = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = filter, .minFilter = filter,
            .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST, .addressModeU = x->wrap, .addressModeV = x->wrap, .addressModeW = x->wrap, .maxLod = 32};
        VkDescriptorImageInfo info = {.imageView = view(x->image, x->format, x->layers, x->levels, x->layers > 1), .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
        CHECK(vkCreateSampler(dev, &si, 0, &info.sampler));
        VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = x->binding, .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .pImageInfo = &info};
        vkUpdateDescriptorSets(dev, 1, &w, 0, 0);
    }
    VkPipelineLayoutCreateInfo pli = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &sl};
    VkPipelineLayout layout;
    CHECK(vkCreatePipelineLayout(dev, &pli, 0, &layout));
    VkPipelineShaderStageCreateInfo stages[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_VERTEX_BIT, .module = module(vertex), .pName = names[0]},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = module(fragment), .pName = names[1]}};
    VkPipelineVertexInputStateCreateInfo vi = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo ia = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    // y points up, as in a scene.
    VkViewport vp = {0, SIZE, SIZE, -SIZE, 0, 1};
    VkRect2D all = {{0, 0}, {SIZE, SIZE}};
    VkPipelineViewportStateCreateInfo vs = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .pViewports = &vp, .scissorCount = 1, .pScissors = &all};
    VkPipelineRasterizationStateCreateInfo rs = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo ms = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState ba = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo bs = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &ba};
    VkPipelineRenderingCreateInfo pri = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = 1, .pColorAttachmentFormats = &target};
    VkGraphicsPipelineCreateInfo gi = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &pri, .stageCount = 2, .pStages = stages, .pVertexInputState = &vi,
        .pInputAssemblyState = &ia, .pViewportState = &vs, .pRasterizationState = &rs, .pMultisampleState = &ms, .pColorBlendState = &bs, .layout = layout};
    VkPipeline pipeline;
    CHECK(vkCreateGraphicsPipelines(dev, 0, 1, &gi, 0, &pipeline));

    VkCommandPoolCreateInfo cpi = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    CHECK(vkCreateCommandPool(dev, &cpi, 0, &pool));
    VkCommandBufferAllocateInfo cai = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    VkCommandBuffer c;
    CHECK(vkAllocateCommandBuffers(dev, &cai, &c));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vkBeginCommandBuffer(c, &begin);
    for (unsigned k = 0; k < n; k++) {
        struct texture *x = t + k;
        barrier(c, x->image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        unsigned texel = x->format == VK_FORMAT_R8_UNORM ? 1 : 4;
        VkDeviceSize at = 0;
        for (unsigned level = 0; level < x->levels; level++) {
            unsigned w = x->w >> level ? x->w >> level : 1, h = x->h >> level ? x->h >> level : 1;
            VkBufferImageCopy copy = {.bufferOffset = at, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, x->layers}, .imageExtent = {w, h, 1}};
            vkCmdCopyBufferToImage(c, x->from, x->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
            at += (VkDeviceSize)w * h * x->layers * texel;
        }
        barrier(c, x->image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    }
    barrier(c, picture, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    VkRenderingAttachmentInfo ai = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = picture_view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingInfo ri = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = all, .layerCount = 1, .colorAttachmentCount = 1, .pColorAttachments = &ai};
    vkCmdBeginRendering(c, &ri);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, 0);
    vkCmdDraw(c, 3, 1, 0, 0);
    vkCmdEndRendering(c);
    barrier(c, picture, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {SIZE, SIZE, 1}};
    vkCmdCopyImageToBuffer(c, picture, VK_IMAGE_LAYOUT_GENERAL, out, 1, &copy);
    vkEndCommandBuffer(c);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    CHECK(vkQueueSubmit(queue, 1, &submit, 0));
    CHECK(vkQueueWaitIdle(queue));
    for (int y = SIZE / 2; y < SIZE; y++) for (int k = 0; k < SIZE * 2; k++) printf("%x%c", ((uint32_t *)words)[y * SIZE * 4 + k], k % 16 == 15 ? '\n' : ' ');
    return 0;
}
