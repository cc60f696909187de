/* Compiles a pair from the header alone and prints what a driver programs: the test compares the lines. */
#include <gpucc.h>
#include <stdio.h>
#include <string.h>

static const char *const vertex_text =
    "struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat) k: u32, @location(2) no: f32 }\n"
    "@vertex fn vs(@location(0) at: vec2f, @builtin(instance_index) i: u32) -> V {\n"
    "  return V(vec4f(at, 0, 1), at, i, 1.0); }\n";
static const char *const fragment_text =
    "override gain: f32 = 1;\n"
    "struct P { a: f32, b: f32 } var<immediate> p: P;\n"
    "@group(1) @binding(2) var t: texture_2d<f32>;\n"
    "@group(1) @binding(3) var s: sampler;\n"
    "@fragment fn fs(@location(0) uv: vec2f, @location(1) @interpolate(flat) k: u32) -> @location(0) vec4f {\n"
    "  if uv.x < p.b { discard; } return textureSample(t, s, uv) * f32(k) * gain; }\n";

static int heard;

static void hear(void *user, const gpucc_log_row *row)
{
    *(int *)user += row->status == GPUCC_INVALID;
}

#define ASK(call) do { if ((call) != GPUCC_OK) { fprintf(stderr, "line %d: status\n", __LINE__); return 1; } } while (0)

static int show(const gpucc_program *p)
{
    gpucc_program_info info;
    info.size = sizeof info;
    ASK(gpucc_program_get(p, &info));
    printf("%s: stage %u, uses %u\n", info.entry, (unsigned)info.stage, (unsigned)info.uses);
    for (size_t i = 0; i < info.binding_count; i++) {
        gpucc_binding b;
        b.size = sizeof b;
        ASK(gpucc_program_binding(p, i, &b));
        printf("binding %s: group %u binding %u kind %u\n", b.name, (unsigned)b.group, (unsigned)b.binding, (unsigned)b.kind);
    }
    for (size_t i = 0; i < info.immediate_word_count; i++)
        printf("immediate word %u of %u bytes\n", (unsigned)info.immediate_words[i], (unsigned)info.immediate_bytes);
    for (size_t i = 0; i < info.input_count + info.output_count; i++) {
        gpucc_slot s;
        s.size = sizeof s;
        if (i < info.input_count)
            ASK(gpucc_program_input(p, i, &s));
        else
            ASK(gpucc_program_output(p, i - info.input_count, &s));
        printf("%s %u %u: components %u, interpolation %u\n", i < info.input_count ? "in" : "out", (unsigned)s.kind,
               (unsigned)s.number, (unsigned)s.components, (unsigned)s.interpolation);
    }
    gpucc_pipeline state;
    state.size = sizeof state;
    ASK(gpucc_program_pipeline(p, &state));
    printf("%s, %u samples, target %s\n", state.topology, (unsigned)state.samples, state.targets[0].format);
    const void *code;
    size_t bytes;
    ASK(gpucc_program_code(p, &code, &bytes));
    if (!code || !bytes || gpucc_program_state(p, info.state_count, NULL) != GPUCC_USAGE)
        return 1;
    return 0;
}

int main(int argc, char **argv)
{
    gpucc_log *log = gpucc_log_new(hear, &heard);
    gpucc_override gain = { "gain", 2.0 };
    gpucc_options vs, fs;
    memset(&vs, 0, sizeof vs);
    vs.size = sizeof vs;
    vs.target = argc > 1 ? argv[1] : "gcn";
    vs.opt_level = 2;
    vs.log = log;
    vs.name = "pair.vert";
    fs = vs;
    fs.name = "pair.frag";
    fs.overrides = &gain;
    fs.override_count = 1;
    gpucc_target target;
    memset(&target, 0, sizeof target);
    target.format = "bgra8unorm";
    target.write = 15;
    gpucc_vertex_attribute attribute = { "float32x2", 0, 0 };
    gpucc_vertex_buffer buffer = { "vertex", &attribute, 1, 8 };
    gpucc_pipeline state;
    memset(&state, 0, sizeof state);
    state.size = sizeof state;
    state.vertex = &buffer;
    state.vertex_count = 1;
    state.targets = &target;
    state.target_count = 1;
    state.topology = "triangle-strip";
    gpucc_container *c;
    char *message;
    /* Wrong first: no such variable, in line 2 of the fragment stage. */
    static const char bad[] = "@fragment fn fs() -> @location(0) vec4f {\n  return nothing; }\n";
    int status = gpucc_compile_pair(vertex_text, strlen(vertex_text), &vs, bad, sizeof bad - 1, &fs, &state, &c, &message);
    gpucc_log_row row;
    row.size = sizeof row;
    if (status != GPUCC_INVALID || c || gpucc_log_count(log) != 1 || heard != 1 || gpucc_log_get(log, 0, &row))
        return 2;
    printf("%s:%u:%u: %s\n", row.file, (unsigned)row.line, (unsigned)row.column, row.code);
    gpucc_text_free(message);
    gpucc_log_clear(log);
    status = gpucc_compile_pair(vertex_text, strlen(vertex_text), &vs, fragment_text, strlen(fragment_text), &fs, &state, &c,
                                &message);
    if (status) {
        fprintf(stderr, "%s\n", message);
        return status;
    }
    gpucc_reflection *all;
    ASK(gpucc_reflect(gpucc_container_data(c), gpucc_container_size(c), &all, &message));
    gpucc_container_free(c);
    for (size_t i = 0; i < gpucc_reflection_count(all); i++)
        if (show(gpucc_reflection_program(all, i)))
            return 3;
    gpucc_reflection_free(all);
    gpucc_log_free(log);
    return 0;
}
