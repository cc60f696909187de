// Runs compute modules on the first Vulkan device, all in one process. Each line of the standard input is
// MODULE INPUT OUTPUT BYTES: set 0 has the input at binding 0 and a zeroed buffer of so many bytes at binding 1, which is written to OUTPUT.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define TRY(call) \
    do { \
        VkResult result = (call); \
        if (result != VK_SUCCESS) { \
            fprintf(stderr, "%s: %d\n", #call, result); \
            exit(1); \
        } \
    } while (0)

static VkDevice device;
static uint32_t memory_type;

static void *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size + 8);
    if (fread(bytes, 1, *size, file) != *size) exit(1);
    fclose(file);
    return bytes;
}

typedef struct {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *bytes;
    size_t size;
} Buffer;

static Buffer buffer(size_t size) {
    Buffer b = {.size = size};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    TRY(vkCreateBuffer(device, &info, 0, &b.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, b.buffer, &needs);
    VkMemoryAllocateInfo room = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = memory_type};
    TRY(vkAllocateMemory(device, &room, 0, &b.memory));
    TRY(vkBindBufferMemory(device, b.buffer, b.memory, 0));
    TRY(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.bytes));
    memset(b.bytes, 0, size);
    return b;
}

static void drop(Buffer b) {
    vkDestroyBuffer(device, b.buffer, 0);
    vkFreeMemory(device, b.memory, 0);
}

int main(void) {
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo creates = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    TRY(vkCreateInstance(&creates, 0, &instance));
    uint32_t count = 1;
    VkPhysicalDevice physical;
    VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (count == 0 || (found != VK_SUCCESS && found != VK_INCOMPLETE)) return 1;
    // All features that it has.
    VkPhysicalDeviceVulkan12Features f12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features f11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f11};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo made = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queues};
    TRY(vkCreateDevice(physical, &made, 0, &device));
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkPhysicalDeviceMemoryProperties memories;
    vkGetPhysicalDeviceMemoryProperties(physical, &memories);
    VkFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    while ((memories.memoryTypes[memory_type].propertyFlags & host) != host) memory_type++;

    VkDescriptorSetLayoutBinding bindings[2];
    for (uint32_t k = 0; k < 2; k++)
        bindings[k] = (VkDescriptorSetLayoutBinding){k, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0};
    VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    VkDescriptorSetLayout set_layout;
    TRY(vkCreateDescriptorSetLayout(device, &set_info, 0, &set_layout));
    VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
    VkPipelineLayout layout;
    TRY(vkCreatePipelineLayout(device, &layout_info, 0, &layout));
    VkDescriptorPoolSize sizes = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &sizes};
    VkDescriptorPool pool;
    TRY(vkCreateDescriptorPool(device, &pool_info, 0, &pool));
    VkDescriptorSetAllocateInfo set_room = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
    VkDescriptorSet set;
    TRY(vkAllocateDescriptorSets(device, &set_room, &set));
    VkCommandPoolCreateInfo commands_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    VkCommandPool commands_pool;
    TRY(vkCreateCommandPool(device, &commands_info, 0, &commands_pool));
    VkCommandBufferAllocateInfo commands_room = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands_pool, .commandBufferCount = 1};
    VkCommandBuffer commands;
    TRY(vkAllocateCommandBuffers(device, &commands_room, &commands));

    char module_path[1024], input_path[1024], output_path[1024];
    size_t bytes;
    while (scanf("%1023s %1023s %1023s %zu", module_path, input_path, output_path, &bytes) == 4) {
        size_t code_size, input_size;
        void *code = contents(module_path, &code_size), *input = contents(input_path, &input_size);
        VkShaderModuleCreateInfo code_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code_size, .pCode = code};
        VkShaderModule module;
        TRY(vkCreateShaderModule(device, &code_info, 0, &module));
        VkComputePipelineCreateInfo pipeline_info = {
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                      .module = module,
                      .pName = "main"},
            .layout = layout};
        VkPipeline pipeline;
        TRY(vkCreateComputePipelines(device, 0, 1, &pipeline_info, 0, &pipeline));
        Buffer buffers[2] = {buffer(input_size), buffer(bytes)};
        memcpy(buffers[0].bytes, input, input_size);
        for (uint32_t k = 0; k < 2; k++) {
            VkDescriptorBufferInfo whole = {buffers[k].buffer, 0, buffers[k].size};
            VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = set,
                                          .dstBinding = k,
                                          .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                          .pBufferInfo = &whole};
            vkUpdateDescriptorSets(device, 1, &write, 0, 0);
        }
        VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        TRY(vkBeginCommandBuffer(commands, &begin));
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, 0);
        vkCmdDispatch(commands, 1, 1, 1);
        TRY(vkEndCommandBuffer(commands));
        VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
        TRY(vkQueueSubmit(queue, 1, &submit, 0));
        TRY(vkQueueWaitIdle(queue));
        FILE *out = fopen(output_path, "wb");
        if (!out || fwrite(buffers[1].bytes, 1, bytes, out) != bytes) return 1;
        fclose(out);
        drop(buffers[0]);
        drop(buffers[1]);
        vkDestroyPipeline(device, pipeline, 0);
        vkDestroyShaderModule(device, module, 0);
        free(code);
        free(input);
    }
    return 0;
}
