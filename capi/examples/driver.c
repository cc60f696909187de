/* A driver in small: it fills descriptors, constants and state of compiled programs from their reflection alone, runs compute programs and
 * draws two triangles with a texture.
 *
 *     cargo build --release -p gpucc-capi
 *     cc -I capi/include capi/examples/driver.c -L target/release -lgpucc_capi -Wl,-rpath,target/release -o driver_c
 *     cd capi/examples && ../../driver_c gcn:gfx7 textured.vert.wgsl textured.frag.wgsl scale.wgsl -o out.ppm
 *
 * or, with containers that somebody has compiled: driver_c FILE.bin... -o out.ppm */
#include <gpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 48, TEXELS = 8, WORDS = 64, GROUPS = 4, MOST = 16 };

/* ---- What the application sets, by the names in the shaders ---- */

static const struct {
    const char *name;
    unsigned count;
    float values[4];
} floats[] = {
    { "scale", 2, { 0.9f, 0.8f, 0, 0 } },
    { "tint", 4, { 1, 0.75f, 0.5f, 1 } },
    { "gain", 1, { 0.875f, 0, 0, 0 } },
    { "shift", 1, { 0.125f, 0, 0, 0 } },
};

static const struct {
    const char *name;
    uint32_t value;
} words[] = { { "factor", 3 }, { "offset", 1000 } };

static const struct {
    const char *name;
    float values[3][2];
} attributes[] = {
    { "position", { { -0.9f, -0.9f }, { 0.9f, -0.9f }, { 0, 0.9f } } },
    { "uv", { { 0, 2 }, { 2, 2 }, { 1, 0 } } },
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- Help ---- */

static int failed(const char *what, int status, char *message)
{
    fprintf(stderr, "%s: %s\n", what, message ? message : "no message");
    gpucc_text_free(message);
    return status;
}

/* A file as bytes; NULL if it cannot be read. */
static void *load(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t room = 1 << 16;
    char *data = malloc(room);
    *bytes = 0;
    while (data) {
        *bytes += fread(data + *bytes, 1, room - *bytes, file);
        if (*bytes < room)
            break;
        char *more = realloc(data, room *= 2);
        if (!more)
            free(data);
        data = more;
    }
    fclose(file);
    return data;
}

static int ends(const char *text, const char *with)
{
    size_t a = strlen(text), b = strlen(with);
    return a >= b && !strcmp(text + a - b, with);
}

/* ---- Descriptors and constants ---- */

/* What is bound for a draw or a dispatch. */
typedef struct bound {
    gpucc_buffer buffers[MOST];
    gpucc_texture textures[MOST];
    gpucc_sampler samplers[MOST];
    gpucc_bytes immediates;
    size_t buffer_count, texture_count, sampler_count;
} bound;

static void release(bound *b)
{
    for (size_t i = 0; i < b->buffer_count; i++)
        free(b->buffers[i].data);
    for (size_t i = 0; i < b->texture_count; i++)
        free(b->textures[i].data);
    free(b->immediates.data);
    memset(b, 0, sizeof *b);
}

/* Writes the members of a buffer that the application knows. */
static void set_members(const gpucc_program *p, const gpucc_program_info *info, uint32_t binding, char *data, size_t bytes)
{
    for (size_t i = 0; i < info->member_count; i++) {
        gpucc_member m;
        m.size = sizeof m;
        if (gpucc_program_member(p, i, &m) || m.binding != binding)
            continue;
        for (size_t k = 0; k < COUNT(floats); k++)
            if (!strcmp(m.name, floats[k].name) && m.offset + 4 * floats[k].count <= bytes)
                memcpy(data + m.offset, floats[k].values, 4 * floats[k].count);
        for (size_t k = 0; k < COUNT(words); k++)
            if (!strcmp(m.name, words[k].name) && m.offset + 4 <= bytes)
                memcpy(data + m.offset, &words[k].value, 4);
    }
}

static int bind_buffer(const gpucc_program *p, const gpucc_program_info *info, uint32_t index, const gpucc_binding *r, bound *to)
{
    for (size_t i = 0; i < to->buffer_count; i++)
        if (to->buffers[i].group == r->group && to->buffers[i].binding == r->binding)
            return GPUCC_OK;
    size_t bytes = r->bytes;
    if (r->kind == GPUCC_STORAGE && bytes < 4 * WORDS)
        bytes = 4 * WORDS;
    uint32_t *data = calloc(bytes / 4 + 1, 4);
    if (!data || to->buffer_count == MOST)
        return GPUCC_USAGE;
    if (r->kind == GPUCC_STORAGE)
        for (uint32_t i = 0; i < bytes / 4; i++)
            data[i] = i;
    else
        set_members(p, info, index, (char *)data, bytes);
    gpucc_buffer *b = &to->buffers[to->buffer_count++];
    b->group = r->group;
    b->binding = r->binding;
    b->data = data;
    b->bytes = bytes;
    return GPUCC_OK;
}

static int bind_texture(const gpucc_binding *r, bound *to)
{
    static const unsigned char colours[2][4] = { { 250, 200, 120, 255 }, { 30, 60, 90, 255 } };
    unsigned char *data = malloc(4 * TEXELS * TEXELS);
    if (!data || to->texture_count == MOST || r->dimension != GPUCC_2D)
        return GPUCC_USAGE;
    for (int y = 0; y < TEXELS; y++)
        for (int x = 0; x < TEXELS; x++)
            memcpy(data + 4 * (y * TEXELS + x), colours[(x / 2 + y / 2) % 2], 4);
    gpucc_texture *t = &to->textures[to->texture_count++];
    memset(t, 0, sizeof *t);
    t->data = data;
    t->bytes = 4 * TEXELS * TEXELS;
    t->format = "rgba8unorm";
    t->group = r->group;
    t->binding = r->binding;
    t->dimension = r->dimension;
    t->width = t->height = TEXELS;
    return GPUCC_OK;
}

/* Binds something at each place that a program names, once. */
static int bind(const gpucc_program *p, const gpucc_program_info *info, bound *to)
{
    for (size_t i = 0; i < info->binding_count; i++) {
        gpucc_binding r;
        r.size = sizeof r;
        int status = gpucc_program_binding(p, i, &r);
        if (status)
            return status;
        if (r.kind == GPUCC_UNIFORM || r.kind == GPUCC_STORAGE) {
            status = bind_buffer(p, info, (uint32_t)i, &r, to);
        } else if (r.kind == GPUCC_TEXTURE) {
            status = bind_texture(&r, to);
        } else if (r.kind == GPUCC_SAMPLER && to->sampler_count < MOST) {
            gpucc_sampler *s = &to->samplers[to->sampler_count++];
            memset(s, 0, sizeof *s);
            s->address = "repeat";
            s->group = r.group;
            s->binding = r.binding;
        } else {
            status = GPUCC_UNSUPPORTED;
        }
        if (status)
            return status;
    }
    if (info->immediate_bytes && !to->immediates.data) {
        to->immediates.data = calloc(info->immediate_bytes, 1);
        to->immediates.bytes = info->immediate_bytes;
        if (!to->immediates.data)
            return GPUCC_USAGE;
        set_members(p, info, UINT32_MAX, to->immediates.data, info->immediate_bytes);
    }
    return GPUCC_OK;
}

/* ---- What a driver programs, for people ---- */

static void show(const gpucc_program *p, const gpucc_program_info *info)
{
    static const char *const stages[] = { "compute", "vertex", "fragment" };
    printf("%s (%s): %u bytes of scratch, %u of workgroup memory\n", info->entry, stages[info->stage],
           (unsigned)info->scratch_bytes, (unsigned)info->shared_bytes);
    for (size_t i = 0; i < info->register_count; i++) {
        gpucc_registers r = { .size = sizeof r };
        if (!gpucc_program_registers(p, i, &r))
            printf("  %s: %u\n", r.name, (unsigned)r.count);
    }
    for (size_t i = 0; i < info->binding_count; i++) {
        gpucc_binding r = { .size = sizeof r };
        if (!gpucc_program_binding(p, i, &r))
            printf("  group %u binding %u: %s, kind %u, slot %u\n", (unsigned)r.group, (unsigned)r.binding, r.name,
                   (unsigned)r.kind, (unsigned)r.slot);
    }
    for (size_t i = 0; i < info->preload_count; i++) {
        gpucc_preload r = { .size = sizeof r };
        if (!gpucc_program_preload(p, i, &r))
            printf("  %s = %s\n", r.place, r.meaning);
    }
    for (size_t i = 0; i < info->input_count + info->output_count; i++) {
        gpucc_slot r = { .size = sizeof r };
        int is_input = i < info->input_count;
        if (!(is_input ? gpucc_program_input(p, i, &r) : gpucc_program_output(p, i - info->input_count, &r)))
            printf("  %s %s: %s\n", is_input ? "in" : "out", r.name ? r.name : "-", r.place);
    }
    for (size_t i = 0; i < info->word_count; i++) {
        gpucc_word r = { .size = sizeof r };
        if (!gpucc_program_word(p, i, &r))
            printf("  %s = 0x%08x\n", r.name, (unsigned)r.value);
    }
    for (size_t i = 0; i < info->state_count; i++) {
        gpucc_state r = { .size = sizeof r };
        if (!gpucc_program_state(p, i, &r))
            printf("  %s = 0x%08x in 0x%08x\n", r.name, (unsigned)r.value, (unsigned)r.mask);
    }
}

/* ---- Running ---- */

/* Runs a compute program and prints the words of its storage buffers. */
static int compute(const gpucc_program *p, const gpucc_program_info *info, gpucc_bytes container)
{
    bound b;
    memset(&b, 0, sizeof b);
    char *message = NULL;
    int status = bind(p, info, &b);
    const uint32_t grid[3] = { GROUPS, 1, 1 };
    if (!status)
        status = gpucc_run(container.data, container.bytes, info->entry, grid, b.buffers, b.buffer_count, &message);
    for (size_t i = 0; !status && i < info->binding_count; i++) {
        gpucc_binding r = { .size = sizeof r };
        if (gpucc_program_binding(p, i, &r) || r.kind != GPUCC_STORAGE)
            continue;
        for (size_t k = 0; k < b.buffer_count; k++)
            if (b.buffers[k].group == r.group && b.buffers[k].binding == r.binding)
                for (size_t w = 0; w < b.buffers[k].bytes / 4; w++)
                    printf("word %u\n", (unsigned)((uint32_t *)b.buffers[k].data)[w]);
    }
    release(&b);
    return status ? failed(info->entry, status, message) : GPUCC_OK;
}

/* The vertex buffers of a pipeline, with the attributes that the program's inputs name. */
static int vertices(const gpucc_program *p, const gpucc_program_info *info, const gpucc_pipeline *state, gpucc_bytes *to)
{
    for (size_t i = 0; i < state->vertex_count; i++) {
        to[i].bytes = 3 * (size_t)state->vertex[i].stride;
        to[i].data = calloc(to[i].bytes + 1, 1);
        if (!to[i].data)
            return GPUCC_USAGE;
    }
    for (size_t i = 0; i < info->input_count; i++) {
        gpucc_slot s = { .size = sizeof s };
        if (gpucc_program_input(p, i, &s) || s.kind != GPUCC_AT_LOCATION || !s.name)
            continue;
        for (size_t v = 0; v < state->vertex_count; v++) {
            const gpucc_vertex_buffer *b = &state->vertex[v];
            for (size_t k = 0; k < b->attribute_count; k++) {
                const gpucc_vertex_attribute *a = &b->attributes[k];
                if (a->location != s.number || strcmp(a->format, "float32x2"))
                    continue;
                for (size_t n = 0; n < COUNT(attributes); n++)
                    for (size_t at = 0; !strcmp(attributes[n].name, s.name) && at < 3; at++)
                        memcpy((char *)to[v].data + at * b->stride + a->offset, attributes[n].values[at], 8);
            }
        }
    }
    return GPUCC_OK;
}

static int write_picture(const char *path, const unsigned char *texels)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return GPUCC_USAGE;
    fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        fwrite(texels + 4 * i, 1, 3, file);
    return fclose(file) ? GPUCC_USAGE : GPUCC_OK;
}

/* Draws with the vertex and the fragment program of a container. */
static int draw(const gpucc_program *vertex, const gpucc_program *fragment, gpucc_bytes container, const char *out)
{
    gpucc_program_info v = { .size = sizeof v }, f = { .size = sizeof f };
    gpucc_pipeline state = { .size = sizeof state };
    bound b;
    memset(&b, 0, sizeof b);
    gpucc_bytes buffers[MOST] = { { NULL, 0 } };
    char *message = NULL;
    int status = gpucc_program_get(vertex, &v);
    status = status ? status : gpucc_program_get(fragment, &f);
    status = status ? status : gpucc_program_pipeline(fragment, &state);
    if (!status && (state.vertex_count > MOST || state.target_count != 1 || strcmp(state.targets[0].format, "rgba8unorm")))
        status = GPUCC_UNSUPPORTED;
    /* Nothing that is read may be missing; what nobody reads may be left out. */
    for (size_t i = 0; !status; i++) {
        gpucc_varying row = { .size = sizeof row };
        if (gpucc_varying_get(vertex, fragment, i, &row))
            break;
        printf("  location %u: unread %u\n", (unsigned)row.location, (unsigned)row.unread);
        if (row.missing)
            status = GPUCC_INVALID;
    }
    status = status ? status : bind(vertex, &v, &b);
    status = status ? status : bind(fragment, &f, &b);
    status = status ? status : vertices(vertex, &v, &state, buffers);
    unsigned char *texels = calloc(WIDTH * HEIGHT, 4);
    gpucc_bytes target = { texels, 4 * WIDTH * HEIGHT };
    gpucc_draw_call call;
    memset(&call, 0, sizeof call);
    call.size = sizeof call;
    call.vertex = call.fragment = container;
    call.vertex_entry = v.entry;
    call.fragment_entry = f.entry;
    call.buffers = b.buffers;
    call.buffer_count = b.buffer_count;
    call.textures = b.textures;
    call.texture_count = b.texture_count;
    call.samplers = b.samplers;
    call.sampler_count = b.sampler_count;
    call.immediates = b.immediates;
    call.vertex_buffers = buffers;
    call.vertex_buffer_count = state.vertex_count;
    call.targets = &target;
    call.target_count = 1;
    call.width = WIDTH;
    call.height = HEIGHT;
    call.vertex_count = 3;
    call.instance_count = 2;
    if (!status && texels)
        status = gpucc_draw_programs(&call, &message);
    if (!status)
        status = write_picture(out, texels);
    free(texels);
    for (size_t i = 0; i < MOST; i++)
        free(buffers[i].data);
    release(&b);
    return status ? failed("draw", status, message) : GPUCC_OK;
}

/* Does with a container whatever its programs are for. */
static int drive(gpucc_bytes container, const char *out)
{
    gpucc_reflection *all;
    char *message;
    int status = gpucc_reflect(container.data, container.bytes, &all, &message);
    if (status)
        return failed("container", status, message);
    const gpucc_program *vertex = NULL, *fragment = NULL;
    for (size_t i = 0; !status && i < gpucc_reflection_count(all); i++) {
        const gpucc_program *p = gpucc_reflection_program(all, i);
        gpucc_program_info info = { .size = sizeof info };
        status = gpucc_program_get(p, &info);
        if (status)
            break;
        show(p, &info);
        if (info.stage == GPUCC_COMPUTE)
            status = compute(p, &info, container);
        else if (info.stage == GPUCC_VERTEX && !vertex)
            vertex = p;
        else if (info.stage == GPUCC_FRAGMENT)
            fragment = p;
    }
    if (!status && vertex && fragment && out)
        status = draw(vertex, fragment, container, out);
    gpucc_reflection_free(all);
    return status;
}

/* ---- Compiling, where sources are given ---- */

static void hear(void *user, const gpucc_log_row *row)
{
    (void)user;
    fprintf(stderr, "%s:%u:%u: %s: %s\n", row->file ? row->file : "-", (unsigned)row->line, (unsigned)row->column, row->code,
            row->text);
}

static uint32_t language(const char *path)
{
    return ends(path, ".spv") ? GPUCC_SPIRV
         : ends(path, ".comp") ? GPUCC_GLSL_COMPUTE
         : ends(path, ".vert") ? GPUCC_GLSL_VERTEX
         : ends(path, ".frag") ? GPUCC_GLSL_FRAGMENT
                               : GPUCC_WGSL;
}

static int compile(const char *target, char **paths, int count, const char *out)
{
    void *sources[3] = { NULL, NULL, NULL };
    size_t bytes[3] = { 0, 0, 0 };
    gpucc_options options[3];
    gpucc_log *log = gpucc_log_new(hear, NULL);
    int status = GPUCC_OK;
    memset(options, 0, sizeof options);
    for (int i = 0; i < count; i++) {
        sources[i] = load(paths[i], &bytes[i]);
        if (!sources[i])
            status = failed(paths[i], GPUCC_USAGE, NULL);
        options[i].size = sizeof options[i];
        options[i].target = target;
        options[i].language = language(paths[i]);
        options[i].opt_level = 2;
        options[i].log = log;
        options[i].name = paths[i];
        options[i].knows_wide = 1; /* the texture has texels of 32 bits */
    }
    gpucc_container *pair = NULL, *alone = NULL;
    if (!status)
        status = gpucc_compile_pair(sources[0], bytes[0], &options[0], sources[1], bytes[1], &options[1], NULL, &pair, NULL);
    if (!status && count > 2)
        status = gpucc_compile(sources[2], bytes[2], &options[2], &alone, NULL);
    for (int i = 0; !status && i < 2; i++) {
        const gpucc_container *c = i ? pair : alone;
        gpucc_bytes b = { (void *)(size_t)gpucc_container_data(c), gpucc_container_size(c) };
        if (c)
            status = drive(b, out);
    }
    gpucc_container_free(pair);
    gpucc_container_free(alone);
    gpucc_log_free(log);
    for (int i = 0; i < 3; i++)
        free(sources[i]);
    return status;
}

int main(int argc, char **argv)
{
    const char *out = NULL;
    char *files[MOST];
    int count = 0, status = GPUCC_OK;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-o") && i + 1 < argc)
            out = argv[++i];
        else if (count < MOST)
            files[count++] = argv[i];
    }
    if (count > 0 && ends(files[0], ".bin")) {
        for (int i = 0; !status && i < count; i++) {
            gpucc_bytes b;
            b.data = load(files[i], &b.bytes);
            status = b.data ? drive(b, out) : failed(files[i], GPUCC_USAGE, NULL);
            free(b.data);
        }
        return status;
    }
    if (count == 3 || count == 4)
        return compile(files[0], files + 1, count - 1, out);
    fprintf(stderr, "usage: %s TARGET VERT FRAG [COMP] [-o out.ppm], or %s FILE.bin... [-o out.ppm]\n", argv[0], argv[0]);
    return GPUCC_USAGE;
}
