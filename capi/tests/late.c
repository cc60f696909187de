/* A driver that knows the other stage by a description and state late: stages compiled alone fit as the pair does, keys of variants tell
 * states apart that programs depend on, and no others. */
#include <gpucc.h>
#include <stdio.h>
#include <string.h>

static const char VERTEX[] =
    "struct V { @builtin(position) p: vec4f, @location(0) a: vec4f, @location(1) unread: vec4f, @location(2) @interpolate(flat) k: u32 }\n"
    "@vertex fn vs(@location(0) p: vec4f, @builtin(instance_index) i: u32) -> V { return V(p, p * 2.0, p.wzyx, i); }\n";
static const char FRAGMENT[] =
    "@fragment fn fs(@location(0) a: vec2f, @location(2) @interpolate(flat) k: u32, @builtin(front_facing) front: bool,\n"
    "    @builtin(position) at: vec4f) -> @location(0) vec4f {\n"
    "    return select(vec4f(a, f32(k), at.z), vec4f(0.5), front); }\n";

static int line;
#define CHECK(is)                                                                                                                        \
    do {                                                                                                                                 \
        if (!(is) && !line)                                                                                                              \
            line = __LINE__;                                                                                                             \
    } while (0)

static gpucc_container *compile(const char *text, const gpucc_options *options, gpucc_reflection **facts)
{
    gpucc_container *made = NULL;
    char *message = NULL;
    *facts = NULL;
    if (gpucc_compile(text, strlen(text), options, &made, &message)) {
        fprintf(stderr, "%s\n", message);
        gpucc_text_free(message);
        return NULL;
    }
    CHECK(!gpucc_reflect(gpucc_container_data(made), gpucc_container_size(made), facts, NULL));
    return made;
}

static int same_code(const gpucc_program *a, const gpucc_program *b)
{
    const void *x, *y;
    size_t n, m;
    return !gpucc_program_code(a, &x, &n) && !gpucc_program_code(b, &y, &m) && n == m && n > 0 && !memcmp(x, y, n);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    gpucc_vertex_attribute attribute = { .format = "float32x4" };
    gpucc_vertex_buffer buffer = { .step = "vertex", .attributes = &attribute, .attribute_count = 1, .stride = 16 };
    gpucc_target target = { .format = "rgba8unorm", .write = 15 };
    gpucc_pipeline state = { .size = sizeof state, .vertex = &buffer, .vertex_count = 1, .targets = &target, .target_count = 1 };
    gpucc_options options = { .size = sizeof options, .target = argv[1], .opt_level = 2 };
    gpucc_container *pair;
    gpucc_reflection *both, *first, *second;
    CHECK(!gpucc_compile_pair(VERTEX, strlen(VERTEX), &options, FRAGMENT, strlen(FRAGMENT), &options, &state, &pair, NULL));
    CHECK(!gpucc_reflect(gpucc_container_data(pair), gpucc_container_size(pair), &both, NULL));

    /* Each stage alone, with what the source of the other declares. */
    gpucc_slot read[2] = { { .number = 0, .components = 3 }, { .number = 2, .components = 1, .is_integer = 1, .interpolation = GPUCC_FLAT } };
    gpucc_slot given[4] = { { .kind = GPUCC_AT_POSITION, .components = 15 },
                            { .number = 0, .components = 15 },
                            { .number = 1, .components = 15 },
                            { .number = 2, .components = 1, .is_integer = 1 } };
    gpucc_options alone = options;
    alone.pipeline = &state;
    alone.other = read;
    alone.other_count = 2;
    gpucc_container *v = compile(VERTEX, &alone, &first);
    alone.other = given;
    alone.other_count = 4;
    gpucc_container *f = compile(FRAGMENT, &alone, &second);
    size_t count = gpucc_reflection_count(first);
    CHECK(count + gpucc_reflection_count(second) == gpucc_reflection_count(both));
    for (size_t k = 0; k < gpucc_reflection_count(both); k++) {
        const gpucc_program *own = k < count ? gpucc_reflection_program(first, k) : gpucc_reflection_program(second, k - count);
        CHECK(same_code(own, gpucc_reflection_program(both, k)));
    }
    /* Without a description all is given. */
    gpucc_reflection *whole;
    alone.other = NULL;
    alone.other_count = 0;
    gpucc_container *w = compile(VERTEX, &alone, &whole);
    gpucc_program_info info = { .size = sizeof info };
    CHECK(!gpucc_program_get(gpucc_reflection_program(whole, 0), &info) && info.output_mask == 7);
    CHECK(!gpucc_program_get(gpucc_reflection_program(first, 0), &info) && info.output_mask == 5);

    /* What the fragment program is. */
    const gpucc_program *program = gpucc_reflection_program(both, gpucc_reflection_count(both) - 1);
    CHECK(!gpucc_program_get(program, &info) && info.flat_mask == 4 && info.input_locations == 2 && info.output_locations == 1);
    int facing = 0;
    for (size_t k = 0; k < info.read_count; k++)
        facing |= !strcmp(info.reads[k], "front_facing");
    CHECK(facing);
    const void *code;
    size_t bytes;
    CHECK(!gpucc_program_code(program, &code, &bytes) && info.padded_code_bytes >= bytes && info.padded_code_bytes < bytes + 256);
    gpucc_statistic row = { .size = sizeof row };
    CHECK(info.statistic_count > 4 && !gpucc_program_statistic(program, 0, &row) && !strcmp(row.name, "instructions") && row.value > 0);

    /* Keys of variants. */
    char keys[6][65];
#define KEYS(n)                                                                                                                          \
    CHECK(!gpucc_pair_keys(VERTEX, strlen(VERTEX), &options, FRAGMENT, strlen(FRAGMENT), &options, &state, keys[n], keys[n + 1], NULL))
    KEYS(0);
    state.cull = "back";
    KEYS(2);
    CHECK(!strcmp(keys[0], keys[2]) && !strcmp(keys[1], keys[3]) && strcmp(keys[0], keys[1]));
    target.format = "rg16float";
    KEYS(4);
    CHECK(!strcmp(keys[0], keys[4]) && strcmp(keys[1], keys[5]));
    /* Tesla's arrays convert whatever the driver says, the others' code knows formats. */
    int fixed = !strncmp(argv[1], "tesla", 5);
    alone.other = read;
    alone.other_count = 2;
    CHECK(!gpucc_variant_key(VERTEX, strlen(VERTEX), &alone, keys[4], NULL));
    attribute.format = "unorm8x4";
    CHECK(!gpucc_variant_key(VERTEX, strlen(VERTEX), &alone, keys[2], NULL) && (strcmp(keys[4], keys[2]) == 0) == fixed);
    state.cull = NULL;
    CHECK(!gpucc_variant_key(VERTEX, strlen(VERTEX), &alone, keys[3], NULL) && !strcmp(keys[2], keys[3]));
    CHECK(!gpucc_key(VERTEX, strlen(VERTEX), &alone, keys[0], NULL));
    state.cull = "back";
    CHECK(!gpucc_key(VERTEX, strlen(VERTEX), &alone, keys[1], NULL) && strcmp(keys[0], keys[1]));
    uint32_t effect = 9;
    CHECK(!gpucc_effect(argv[1], GPUCC_FRAGMENT, GPUCC_STATE_CULL, &effect, NULL) && effect == GPUCC_CHANGES_NOTHING);
    CHECK(!gpucc_effect(argv[1], GPUCC_FRAGMENT, GPUCC_STATE_TARGET_FORMATS, &effect, NULL) && effect == GPUCC_CHANGES_CODE);
    CHECK(!gpucc_effect(argv[1], GPUCC_VERTEX, GPUCC_STATE_VERTEX_LAYOUT, &effect, NULL));
    CHECK(effect == (fixed ? (uint32_t)GPUCC_CHANGES_NOTHING : (uint32_t)GPUCC_CHANGES_CODE));
    CHECK(gpucc_effect(argv[1], 3, 0, &effect, NULL) == GPUCC_USAGE && gpucc_effect(argv[1], 1, 15, &effect, NULL) == GPUCC_USAGE);

    /* A description that is none. */
    gpucc_slot wrong[4] = { { .components = 0 }, { .components = 1, .kind = 14 }, { .components = 1, .number = 256 }, { .components = 1, .sampling = 3 } };
    for (int k = 0; k < 4; k++) {
        gpucc_container *none;
        alone.other = &wrong[k];
        alone.other_count = 1;
        CHECK(gpucc_compile(VERTEX, strlen(VERTEX), &alone, &none, NULL) == GPUCC_USAGE && !none);
    }
    gpucc_reflection_free(both);
    gpucc_reflection_free(first);
    gpucc_reflection_free(second);
    gpucc_reflection_free(whole);
    gpucc_container_free(pair);
    gpucc_container_free(v);
    gpucc_container_free(f);
    gpucc_container_free(w);
    if (line)
        fprintf(stderr, "line %d\n", line);
    return line != 0;
}
