// vkpairs FILE: draws what FILE says with the first Vulkan device, and prints the bytes of each output as a line of hexadecimal digits. FILE is a list of
// words that `pairs.py` writes of a scene: numbers are Vulkan's own, and the order is that of the functions below.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(x) do { VkResult r_ = (x); if (r_ != VK_SUCCESS) { fprintf(stderr, "%s: %d\n", #x, r_); exit(9); } } while (0)
enum { MOST = 16 };

static VkDevice dev;
static VkPhysicalDeviceMemoryProperties memory;
static VkCommandBuffer c;
static FILE *in;
static char word[1 << 20];

static const char *text(void) {
    if (fscanf(in, "%1048575s", word) != 1) exit(2);
    return word;
}
static long num(void) { return strtol(text(), 0, 0); }
static float real(void) { return strtof(text(), 0); }

struct image { VkImage image; VkImageView view; VkFormat format; VkImageAspectFlags aspect; unsigned w, h; } images[MOST];
static VkSampler samplers[MOST];
static struct { VkBuffer buffer; void *at; size_t size; } buffers[MOST];
static struct { VkPipeline pipeline; VkPipelineLayout layout; VkDescriptorSetLayout set; unsigned bindings; } pipelines[MOST];
static VkDescriptorPool pool;

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
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = n ? n : 4,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
            | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT};
    VkBuffer b;
    CHECK(vkCreateBuffer(dev, &info, 0, &b));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(dev, b, &need);
    VkDeviceMemory m = allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    vkBindBufferMemory(dev, b, m, 0);
    CHECK(vkMapMemory(dev, m, 0, VK_WHOLE_SIZE, 0, at));
    return b;
}

// A count of bytes, and their digits; `-` for none.
static VkBuffer filled(size_t *size, void **at) {
    *size = num();
    VkBuffer b = buffer(*size, at);
    const char *hex = text();
    for (size_t k = 0; k < *size && *hex != '-'; k++) {
        unsigned v;
        if (sscanf(hex + 2 * k, "%2x", &v) != 1) exit(2);
        ((unsigned char *)*at)[k] = v;
    }
    return b;
}

static void barrier(VkImageLayout from, const struct image *i) {
    VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, .oldLayout = from, .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = i->image,
        .subresourceRange = {i->aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, 0, 0, 0, 1, &b);
}

// format width height layers levels samples aspect usage bytes-of-a-texel, bytes.
static void image(struct image *i) {
    i->format = num();
    i->w = num();
    i->h = num();
    unsigned layers = num(), levels = num(), samples = num();
    i->aspect = num();
    VkImageUsageFlags usage = num();
    unsigned texel = num();
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = i->format,
        .extent = {i->w, i->h, 1}, .mipLevels = levels, .arrayLayers = layers, .samples = samples, .tiling = VK_IMAGE_TILING_OPTIMAL, .usage = usage};
    CHECK(vkCreateImage(dev, &info, 0, &i->image));
    VkMemoryRequirements need;
    vkGetImageMemoryRequirements(dev, i->image, &need);
    vkBindImageMemory(dev, i->image, allocate(need, 0), 0);
    VkImageViewCreateInfo v = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = i->image,
        .viewType = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D, .format = i->format, .subresourceRange = {i->aspect, 0, levels, 0, layers}};
    CHECK(vkCreateImageView(dev, &v, 0, &i->view));
    size_t size;
    void *at;
    VkBuffer from = filled(&size, &at);
    barrier(VK_IMAGE_LAYOUT_UNDEFINED, i);
    VkDeviceSize begin = 0;
    for (unsigned level = 0; size && level < levels; level++) {
        unsigned w = i->w >> level ? i->w >> level : 1, h = i->h >> level ? i->h >> level : 1;
        VkBufferImageCopy copy = {.bufferOffset = begin, .imageSubresource = {i->aspect, level, 0, layers}, .imageExtent = {w, h, 1}};
        vkCmdCopyBufferToImage(c, from, i->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
        begin += (VkDeviceSize)w * h * layers * texel;
    }
    barrier(VK_IMAGE_LAYOUT_GENERAL, i);
}

static VkShaderModule module(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) { perror(path); exit(8); }
    fseek(f, 0, SEEK_END);
    size_t n = ftell(f);
    rewind(f);
    void *words = malloc(n);
    if (fread(words, 1, n, f) != n) exit(8);
    fclose(f);
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = n, .pCode = words};
    VkShaderModule m;
    CHECK(vkCreateShaderModule(dev, &info, 0, &m));
    return m;
}

static const VkDescriptorType TYPES[] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

static VkStencilOpState stencil_face(uint32_t read, uint32_t write, VkStencilOp fail, VkStencilOp depth_fail, VkStencilOp pass, VkCompareOp compare) {
    return (VkStencilOpState){.failOp = fail, .passOp = pass, .depthFailOp = depth_fail, .compareOp = compare, .compareMask = read, .writeMask = write};
}

// Shaders, specialisation constants, set, vertices, primitives, samples, targets, depth and stencil.
static void pipeline(unsigned at) {
    VkPipelineShaderStageCreateInfo stages[2] = {0};
    VkSpecializationMapEntry entries[2][MOST];
    int32_t values[2][MOST];
    VkSpecializationInfo special[2];
    for (int s = 0; s < 2; s++) {
        stages[s] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = s ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT, .pName = "main", .pSpecializationInfo = special + s};
        stages[s].module = module(text());
        unsigned n = num();
        for (unsigned k = 0; k < n; k++) {
            entries[s][k] = (VkSpecializationMapEntry){num(), 4 * k, 4};
            values[s][k] = num();
        }
        special[s] = (VkSpecializationInfo){n, entries[s], 4 * n, values[s]};
    }
    VkDescriptorSetLayoutBinding lb[MOST];
    unsigned n = num();
    for (unsigned k = 0; k < n; k++) {
        unsigned binding = num(), type = num();
        lb[k] = (VkDescriptorSetLayoutBinding){binding, TYPES[type], 1, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0};
    }
    VkDescriptorSetLayoutCreateInfo sli = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = n, .pBindings = lb};
    CHECK(vkCreateDescriptorSetLayout(dev, &sli, 0, &pipelines[at].set));
    VkPushConstantRange range = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 64};
    VkPipelineLayoutCreateInfo pli = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &pipelines[at].set,
        .pushConstantRangeCount = 1, .pPushConstantRanges = &range};
    CHECK(vkCreatePipelineLayout(dev, &pli, 0, &pipelines[at].layout));
    VkVertexInputBindingDescription vb[MOST];
    VkVertexInputAttributeDescription va[MOST];
    unsigned vbs = num();
    for (unsigned k = 0; k < vbs; k++) { vb[k].binding = num(); vb[k].stride = num(); vb[k].inputRate = num(); }
    unsigned vas = num();
    for (unsigned k = 0; k < vas; k++) { va[k].location = num(); va[k].binding = num(); va[k].format = num(); va[k].offset = num(); }
    VkPipelineVertexInputStateCreateInfo vi = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = vbs, .pVertexBindingDescriptions = vb, .vertexAttributeDescriptionCount = vas, .pVertexAttributeDescriptions = va};
    VkPipelineInputAssemblyStateCreateInfo ia = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    ia.topology = num();
    ia.primitiveRestartEnable = num();
    VkPipelineRasterizationStateCreateInfo rs = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    rs.frontFace = num();
    rs.cullMode = num();
    VkPipelineMultisampleStateCreateInfo ms = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    ms.rasterizationSamples = num();
    VkSampleMask mask = num();
    ms.pSampleMask = &mask;
    VkPipelineColorBlendAttachmentState ba[MOST] = {0};
    VkFormat formats[MOST];
    unsigned targets = num();
    for (unsigned k = 0; k < targets; k++) {
        formats[k] = num();
        ba[k].colorWriteMask = num();
        ba[k].blendEnable = num();
        ba[k].srcColorBlendFactor = num(); ba[k].dstColorBlendFactor = num(); ba[k].colorBlendOp = num();
        ba[k].srcAlphaBlendFactor = num(); ba[k].dstAlphaBlendFactor = num(); ba[k].alphaBlendOp = num();
    }
    VkPipelineColorBlendStateCreateInfo bs = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = targets, .pAttachments = ba};
    VkPipelineDepthStencilStateCreateInfo ds = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkFormat depth = num();
    VkImageAspectFlags aspect = num();
    ds.depthTestEnable = num();
    ds.depthWriteEnable = num();
    ds.depthCompareOp = num();
    ds.stencilTestEnable = num();
    uint32_t read = num(), write = num();
    for (int f = 0; f < 2; f++) {
        VkStencilOp fail = num(), depth_fail = num(), pass = num();
        VkCompareOp compare = num();
        *(f ? &ds.back : &ds.front) = stencil_face(read, write, fail, depth_fail, pass, compare);
    }
    VkPipelineViewportStateCreateInfo vs = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
    VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_BLEND_CONSTANTS, VK_DYNAMIC_STATE_STENCIL_REFERENCE};
    VkPipelineDynamicStateCreateInfo dy = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, .dynamicStateCount = 4, .pDynamicStates = dynamic};
    VkPipelineRenderingCreateInfo pri = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = targets, .pColorAttachmentFormats = formats,
        .depthAttachmentFormat = aspect & VK_IMAGE_ASPECT_DEPTH_BIT ? depth : 0, .stencilAttachmentFormat = aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? depth : 0};
    VkGraphicsPipelineCreateInfo gi = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &pri, .stageCount = 2, .pStages = stages, .pVertexInputState = &vi,
        .pInputAssemblyState = &ia, .pViewportState = &vs, .pRasterizationState = &rs, .pMultisampleState = &ms, .pDepthStencilState = &ds, .pColorBlendState = &bs,
        .pDynamicState = &dy, .layout = pipelines[at].layout};
    CHECK(vkCreateGraphicsPipelines(dev, 0, 1, &gi, 0, &pipelines[at].pipeline));
}

// pipeline; bindings; vertex buffers; index buffer and its type; counts; viewport, scissor, blend constant, stencil reference; push constants.
static void draw(void) {
    unsigned p = num(), n = num();
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[p].pipeline);
    VkDescriptorSetAllocateInfo dai = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &pipelines[p].set};
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(dev, &dai, &set));
    for (unsigned k = 0; k < n; k++) {
        unsigned binding = num(), type = num(), what = num(), sampler = num();
        VkDescriptorImageInfo ii = {type ? 0 : samplers[sampler], type ? 0 : images[what].view, VK_IMAGE_LAYOUT_GENERAL};
        VkDescriptorBufferInfo bi = {type ? buffers[what].buffer : 0, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = binding, .descriptorCount = 1,
            .descriptorType = TYPES[type], .pImageInfo = &ii, .pBufferInfo = &bi};
        vkUpdateDescriptorSets(dev, 1, &w, 0, 0);
    }
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[p].layout, 0, 1, &set, 0, 0);
    n = num();
    for (unsigned k = 0; k < n; k++) {
        unsigned slot = num();
        VkDeviceSize none = 0;
        vkCmdBindVertexBuffers(c, slot, 1, &buffers[num()].buffer, &none);
    }
    long index = num(), wide = num();
    unsigned count = num(), instances = num(), first = num(), base = num(), first_instance = num();
    float v[6], k4[4];
    for (int k = 0; k < 6; k++) v[k] = real();
    // y points up, as in a scene.
    VkViewport vp = {v[0], v[1] + v[3], v[2], -v[3], v[4], v[5]};
    VkRect2D sc;
    sc.offset.x = num(); sc.offset.y = num(); sc.extent.width = num(); sc.extent.height = num();
    for (int k = 0; k < 4; k++) k4[k] = real();
    vkCmdSetViewport(c, 0, 1, &vp);
    vkCmdSetScissor(c, 0, 1, &sc);
    vkCmdSetBlendConstants(c, k4);
    vkCmdSetStencilReference(c, VK_STENCIL_FACE_FRONT_AND_BACK, num());
    uint32_t push[MOST];
    n = num();
    for (unsigned k = 0; k < n; k++) push[k] = strtoul(text(), 0, 0);
    if (n) vkCmdPushConstants(c, pipelines[p].layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4 * n, push);
    if (index >= 0) {
        vkCmdBindIndexBuffer(c, buffers[index].buffer, 0, wide ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(c, count, instances, first, (int32_t)base, first_instance);
    } else vkCmdDraw(c, count, instances, first, first_instance);
}

// Colour attachments with what they are resolved to, their mode and what they are cleared to; depth and stencil; draws.
static void pass(void) {
    VkRenderingAttachmentInfo colour[MOST], deep = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    unsigned n = num(), w = 0, h = 0;
    for (unsigned k = 0; k < n; k++) {
        struct image *i = images + num();
        w = i->w; h = i->h;
        long resolve = num();
        colour[k] = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = i->view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
        if (resolve >= 0) {
            colour[k].resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
            colour[k].resolveImageView = images[resolve].view;
            colour[k].resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
        }
        for (int e = 0; e < 4; e++) colour[k].clearValue.color.uint32[e] = strtoul(text(), 0, 0);
    }
    VkRenderingInfo ri = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {w, h}}, .layerCount = 1, .colorAttachmentCount = n, .pColorAttachments = colour};
    long depth = num();
    float cleared = real();
    unsigned stencil = num();
    if (depth >= 0) {
        deep.imageView = images[depth].view;
        deep.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
        deep.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        deep.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        deep.clearValue.depthStencil = (VkClearDepthStencilValue){cleared, stencil};
        if (images[depth].aspect & VK_IMAGE_ASPECT_DEPTH_BIT) ri.pDepthAttachment = &deep;
        if (images[depth].aspect & VK_IMAGE_ASPECT_STENCIL_BIT) ri.pStencilAttachment = &deep;
    }
    vkCmdBeginRendering(c, &ri);
    for (unsigned k = num(); k; k--) draw();
    vkCmdEndRendering(c);
    for (unsigned k = 0; k < MOST; k++) if (images[k].image) barrier(VK_IMAGE_LAYOUT_GENERAL, images + k);
}

static void start(void) {
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo ici = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkInstance instance;
    CHECK(vkCreateInstance(&ici, 0, &instance));
    VkPhysicalDevice pd;
    uint32_t one = 1;
    vkEnumeratePhysicalDevices(instance, &one, &pd);
    if (!one) exit(7);
    VkPhysicalDeviceVulkan13Features f13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceFeatures2 f2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f13};
    vkGetPhysicalDeviceFeatures2(pd, &f2);
    float priority = 1;
    VkDeviceQueueCreateInfo qi = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo di = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f2, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qi};
    CHECK(vkCreateDevice(pd, &di, 0, &dev));
    vkGetPhysicalDeviceMemoryProperties(pd, &memory);
    VkCommandPoolCreateInfo cpi = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool commands;
    CHECK(vkCreateCommandPool(dev, &cpi, 0, &commands));
    VkCommandBufferAllocateInfo cai = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands, .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(dev, &cai, &c));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vkBeginCommandBuffer(c, &begin);
    VkDescriptorPoolSize sizes[3];
    for (int k = 0; k < 3; k++) sizes[k] = (VkDescriptorPoolSize){TYPES[k], 64};
    VkDescriptorPoolCreateInfo dpi = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = MOST, .poolSizeCount = 3, .pPoolSizes = sizes};
    CHECK(vkCreateDescriptorPool(dev, &dpi, 0, &pool));
}

int main(int argc, char **argv) {
    in = argc == 2 ? fopen(argv[1], "r") : 0;
    if (!in) return 2;
    start();
    for (unsigned k = 0, n = num(); k < n; k++) image(images + k);
    for (unsigned k = 0, n = num(); k < n; k++) {
        VkFilter filter = num();
        VkSamplerAddressMode wrap = num();
        VkSamplerCreateInfo si = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = filter, .minFilter = filter,
            .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST, .addressModeU = wrap, .addressModeV = wrap, .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, .maxLod = 32};
        CHECK(vkCreateSampler(dev, &si, 0, samplers + k));
    }
    for (unsigned k = 0, n = num(); k < n; k++) buffers[k].buffer = filled(&buffers[k].size, &buffers[k].at);
    for (unsigned k = 0, n = num(); k < n; k++) pipeline(k);
    for (unsigned k = num(); k; k--) pass();
    struct { void *at; size_t size; } out[MOST];
    unsigned outs = num();
    for (unsigned k = 0; k < outs; k++) {
        struct image *i = images + num();
        VkImageAspectFlags aspect = num();
        out[k].size = (size_t)i->w * i->h * num();
        VkBuffer to = buffer(out[k].size, &out[k].at);
        VkBufferImageCopy copy = {.imageSubresource = {aspect, 0, 0, 1}, .imageExtent = {i->w, i->h, 1}};
        vkCmdCopyImageToBuffer(c, i->image, VK_IMAGE_LAYOUT_GENERAL, to, 1, &copy);
    }
    vkEndCommandBuffer(c);
    VkQueue queue;
    vkGetDeviceQueue(dev, 0, 0, &queue);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    CHECK(vkQueueSubmit(queue, 1, &submit, 0));
    CHECK(vkQueueWaitIdle(queue));
    for (unsigned k = 0; k < outs; k++) {
        for (size_t b = 0; b < out[k].size; b++) printf("%02x", ((unsigned char *)out[k].at)[b]);
        printf("\n");
    }
    return 0;
}
