/* run SPV ENTRY X,Y,Z SET:BINDING:s|u:FILE ...
 *
 * Runs a compute shader on the first device of the loader. Files of storage buffers are written back. Exits with 0, or with 1 and the call
 * that failed. */
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

#define CHECK(call)                                                     \
    do {                                                                \
        VkResult result = (call);                                       \
        if (result != VK_SUCCESS) {                                     \
            fprintf(stderr, "%s: %d\n", #call, (int)result);            \
            exit(1);                                                    \
        }                                                               \
    } while (0)

struct bound {
    unsigned set, binding;
    VkDescriptorType type;
    const char *file;
    size_t size;
    void *bytes;
    VkBuffer buffer;
};

static void *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    void *bytes = malloc(*size + 1);
    if (fread(bytes, 1, *size, f) != *size) exit(1);
    fclose(f);
    return bytes;
}

static void make_buffer(VkPhysicalDevice physical, VkDevice device, struct bound *b) {
    void *bytes = read_file(b->file, &b->size);
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, NULL, 0, b->size, usage, VK_SHARING_MODE_EXCLUSIVE, 0, NULL};
    CHECK(vkCreateBuffer(device, &info, NULL, &b->buffer));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(device, b->buffer, &need);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(physical, &types);
    VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (!(need.memoryTypeBits >> type & 1) || (types.memoryTypes[type].propertyFlags & wanted) != wanted) type++;
    VkMemoryAllocateInfo take = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, need.size, type};
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(device, &take, NULL, &memory));
    CHECK(vkBindBufferMemory(device, b->buffer, memory, 0));
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &b->bytes));
    for (size_t k = 0; k < b->size; k++) ((char *)b->bytes)[k] = ((char *)bytes)[k];
    free(bytes);
}

int main(int count, char **args) {
    struct bound all[32];
    int n = 0;
    unsigned sets = 0, grid[3];
    if (count < 4 || count - 4 > 32 || sscanf(args[3], "%u,%u,%u", &grid[0], &grid[1], &grid[2]) != 3) return 1;
    VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, NULL, "run", 1, NULL, 0, VK_API_VERSION_1_1};
    VkInstanceCreateInfo make = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, NULL, 0, &app, 0, NULL, 0, NULL};
    VkInstance instance;
    CHECK(vkCreateInstance(&make, NULL, &instance));
    VkPhysicalDevice physical[8];
    uint32_t devices = 8;
    vkEnumeratePhysicalDevices(instance, &devices, physical);
    if (devices == 0) return 1;
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical[0], &properties);
    printf("%s\n", properties.deviceName);
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 0, 1, &priority};
    VkDeviceCreateInfo open = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, NULL, 0, 1, &queues, 0, NULL, 0, NULL, NULL};
    VkDevice device;
    CHECK(vkCreateDevice(physical[0], &open, NULL, &device));
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    for (int k = 4; k < count; k++, n++) {
        char *at = args[k];
        all[n].set = (unsigned)strtoul(at, &at, 10);
        all[n].binding = (unsigned)strtoul(at + 1, &at, 10);
        all[n].type = at[1] == 'u' ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        all[n].file = at + 3;
        if (all[n].set >= sets) sets = all[n].set + 1;
        make_buffer(physical[0], device, &all[n]);
    }
    if (sets > 4) return 1;
    VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 32}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 32}};
    VkDescriptorPoolCreateInfo room = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, 4, 2, sizes};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device, &room, NULL, &pool));
    VkDescriptorSetLayout layouts[4];
    VkDescriptorSet own[4];
    for (unsigned s = 0; s < sets; s++) {
        VkDescriptorSetLayoutBinding bindings[32];
        uint32_t m = 0;
        for (int k = 0; k < n; k++) {
            if (all[k].set != s) continue;
            VkDescriptorSetLayoutBinding b = {all[k].binding, all[k].type, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
            bindings[m++] = b;
        }
        VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, 0, m, bindings};
        CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &layouts[s]));
        VkDescriptorSetAllocateInfo take = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, pool, 1, &layouts[s]};
        CHECK(vkAllocateDescriptorSets(device, &take, &own[s]));
    }
    for (int k = 0; k < n; k++) {
        VkDescriptorBufferInfo range = {all[k].buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, own[all[k].set], all[k].binding, 0, 1,
                                      all[k].type, NULL, &range, NULL};
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
    VkPipelineLayoutCreateInfo shape = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, sets, layouts, 0, NULL};
    VkPipelineLayout layout;
    CHECK(vkCreatePipelineLayout(device, &shape, NULL, &layout));
    size_t size;
    void *spirv = read_file(args[1], &size);
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, size, spirv};
    VkShaderModule module;
    CHECK(vkCreateShaderModule(device, &code, NULL, &module));
    VkPipelineShaderStageCreateInfo stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0,
                                             VK_SHADER_STAGE_COMPUTE_BIT, module, args[2], NULL};
    VkComputePipelineCreateInfo compute = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, NULL, 0, stage, layout, VK_NULL_HANDLE, 0};
    VkPipeline pipeline;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &compute, NULL, &pipeline));
    VkCommandPoolCreateInfo commands = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL, 0, 0};
    VkCommandPool buffers;
    CHECK(vkCreateCommandPool(device, &commands, NULL, &buffers));
    VkCommandBufferAllocateInfo take = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, buffers, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer list;
    CHECK(vkAllocateCommandBuffers(device, &take, &list));
    VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL, 0, NULL};
    CHECK(vkBeginCommandBuffer(list, &begin));
    vkCmdBindPipeline(list, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(list, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, sets, own, 0, NULL);
    vkCmdDispatch(list, grid[0], grid[1], grid[2]);
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(list, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    CHECK(vkEndCommandBuffer(list));
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO, NULL, 0, NULL, NULL, 1, &list, 0, NULL};
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
    for (int k = 0; k < n; k++) {
        if (all[k].type != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) continue;
        FILE *f = fopen(all[k].file, "wb");
        fwrite(all[k].bytes, 1, all[k].size, f);
        fclose(f);
    }
    return 0;
}
