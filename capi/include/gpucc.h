/* The compiler gpucc and the machines that execute its code, for programs in C. Link with libgpucc (pkg-config gpucc), or with
 * libgpucc_capi.so or .a of a build; the static one wants -lm -lpthread -ldl besides.
 *
 * Functions return a status: 0, or the exit code that the command `gpucc` has for the fault. On a fault, *message is a text for people,
 * with line and column where a shader is wrong, which gpucc_text_free gives back; `message` may be NULL, and is set to NULL without a
 * fault. Every function may be called on any thread. Panics of the library become GPUCC_BUG.
 *
 * A struct that begins with `size` grows behind its last field. Set it to the size of the struct before a call, whether the struct is
 * given or filled. What an older caller does not have is taken as 0 and is not written; what a newer one has besides must be 0 and is set
 * to 0. Texts are UTF-8. A text or list that a function gives lives as long as the object that it was asked of. */
#ifndef GPUCC_H
#define GPUCC_H

#include <stddef.h>
#include <stdint.h>

#define GPUCC_VERSION_MAJOR 0
#define GPUCC_VERSION_MINOR 1
#define GPUCC_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GPUCC_OK = 0,
    GPUCC_INVALID = 1,     /* the shader or container is wrong, or a run ended in a trap */
    GPUCC_USAGE = 2,       /* an argument is wrong */
    GPUCC_UNSUPPORTED = 3, /* not supported on this target: docs/support.md */
    GPUCC_BUG = 70         /* the compiler is broken */
};

enum {
    GPUCC_WGSL = 0,
    GPUCC_SPIRV = 1,
    GPUCC_GLSL_COMPUTE = 2,
    GPUCC_GLSL_VERTEX = 3,
    GPUCC_GLSL_FRAGMENT = 4
};

/* ---- Messages as a list ---- */

/* Messages of one call or of several: warnings too, of calls that succeed. One thread uses it at a time. */
typedef struct gpucc_log gpucc_log;

typedef struct gpucc_log_row {
    size_t size;
    const char *code;   /* keeps its meaning between versions: docs/support.md lists those of refusals */
    const char *text;   /* a sentence, and notes a line each */
    const char *file;   /* the source that the place is in, "" of one without a name; NULL without a place */
    const char *target; /* of what is wrong for one target alone; NULL otherwise */
    uint32_t status;    /* GPUCC_INVALID ...; 0 of a warning */
    uint32_t line;      /* from 1; 0 without a place */
    uint32_t column;    /* in characters, from 1 */
} gpucc_log_row;

/* Called for each message as it comes. The row lives until it returns. */
typedef void (*gpucc_log_fn)(void *user, const gpucc_log_row *row);

/* `listener` may be NULL. */
gpucc_log *gpucc_log_new(gpucc_log_fn listener, void *user);
size_t gpucc_log_count(const gpucc_log *log);
int gpucc_log_get(const gpucc_log *log, size_t index, gpucc_log_row *row);
void gpucc_log_clear(gpucc_log *log);
void gpucc_log_free(gpucc_log *log);

/* ---- State of a render pipeline ---- */

/* Names of formats, comparisons and so on are those of WebGPU, as in scenes (docs/scene-format.md). */
typedef struct gpucc_vertex_attribute {
    const char *format; /* "float32x2" */
    uint64_t offset;    /* bytes from the start of an element */
    uint32_t location;
} gpucc_vertex_attribute;

typedef struct gpucc_vertex_buffer {
    const char *step; /* "vertex", "instance"; NULL: no buffer in this slot */
    const gpucc_vertex_attribute *attributes;
    size_t attribute_count;
    uint64_t stride;
} gpucc_vertex_buffer;

typedef struct gpucc_blend_component {
    const char *operation; /* "add" */
    const char *src;       /* "src-alpha" */
    const char *dst;
} gpucc_blend_component;

typedef struct gpucc_target {
    const char *format;          /* "rgba8unorm"; NULL: no target at this location */
    gpucc_blend_component color; /* without an operation nothing is blended */
    gpucc_blend_component alpha;
    uint32_t write; /* red 1, green 2, blue 4, alpha 8 */
} gpucc_target;

typedef struct gpucc_stencil_face {
    const char *compare;    /* NULL: "always" */
    const char *fail;       /* NULL: "keep", as the two below */
    const char *depth_fail;
    const char *pass;
} gpucc_stencil_face;

typedef struct gpucc_depth_stencil {
    const char *format;
    const char *depth_compare; /* NULL: "always" */
    gpucc_stencil_face front;
    gpucc_stencil_face back;
    uint32_t depth_write;
    uint32_t read_mask;
    uint32_t write_mask;
} gpucc_depth_stencil;

/* What code must know of a sampler where the chip lacks comparison. */
typedef struct gpucc_sampler_facts {
    const char *compare; /* NULL: it does not compare */
    const char *filter;  /* "nearest", "linear" */
    uint32_t group;
    uint32_t binding;
} gpucc_sampler_facts;

typedef struct gpucc_pipeline {
    size_t size;
    const gpucc_vertex_buffer *vertex; /* by slot */
    size_t vertex_count;
    const gpucc_target *targets; /* by location */
    size_t target_count;
    const gpucc_sampler_facts *samplers;
    size_t sampler_count;
    const gpucc_depth_stencil *depth; /* NULL: no such attachment */
    const char *topology;             /* NULL: "triangle-list" */
    const char *strip_index;          /* "uint16", "uint32"; NULL: no index ends a strip */
    const char *front_face;           /* NULL: "ccw" */
    const char *cull;                 /* NULL: "none" */
    uint32_t samples;                 /* 0: 1 */
    uint32_t excluded_samples;        /* that may not be written, a bit each */
    uint32_t alpha_to_coverage;
    uint32_t unclipped_depth;
    int32_t bias_constant;
    float bias_slope;
    float bias_clamp;
} gpucc_pipeline;

/* ---- Inputs and outputs of a stage ---- */

enum {
    GPUCC_AT_LOCATION = 0,
    GPUCC_AT_POSITION = 1,
    GPUCC_AT_CLIP_DISTANCE = 2,
    GPUCC_AT_DEPTH = 3,
    GPUCC_AT_SAMPLE_MASK = 4,
    GPUCC_AT_LAYER = 5,
    GPUCC_AT_VIEWPORT = 6,
    GPUCC_AT_POINT_SIZE = 7,
    GPUCC_AT_POINT_COORD = 8, /* the place of a fragment in its point, which no vertex gives */
    GPUCC_AT_CULL_DISTANCE = 9,
    GPUCC_AT_STENCIL = 10, /* the stencil reference of a fragment */
    GPUCC_AT_BARYCENTRIC = 11, /* the shares of the second and third vertex, which no vertex gives */
    GPUCC_AT_PRIMITIVE_INDEX = 12, /* the number of the primitive, which a vertex hands on */
    GPUCC_AT_VERTEX_NUMBER = 13 /* a number that no other vertex of the primitive has, handed on likewise */
};
enum { GPUCC_PERSPECTIVE = 0, GPUCC_LINEAR = 1, GPUCC_FLAT = 2, GPUCC_OVER_W = 3,
       GPUCC_VERTEX0 = 4, GPUCC_VERTEX1 = 5, GPUCC_VERTEX2 = 6 };
enum { GPUCC_CENTER = 0, GPUCC_CENTROID = 1, GPUCC_SAMPLE = 2 };
enum {
    GPUCC_UNPACKED = 0,
    GPUCC_HALF16 = 1,
    GPUCC_UNORM16 = 2,
    GPUCC_SNORM16 = 3,
    GPUCC_UINT16 = 4,
    GPUCC_SINT16 = 5
};

/* An input or output, as the source and as the hardware have it. */
typedef struct gpucc_slot {
    size_t size;
    const char *name;  /* in the source; NULL where the container or the source has none */
    const char *place; /* where its first component is */
    uint32_t file;
    uint32_t index;
    uint32_t lane;
    uint32_t kind;       /* GPUCC_AT_LOCATION ... */
    uint32_t number;     /* of the location or clip distance */
    uint32_t blend_src;  /* 1 for the second source of a blend */
    uint32_t components; /* a bit each */
    uint32_t is_integer;
    uint32_t interpolation; /* GPUCC_PERSPECTIVE ... */
    uint32_t sampling;      /* GPUCC_CENTER ... */
    uint32_t packing;       /* GPUCC_UNPACKED ... */
} gpucc_slot;

/* ---- Compiling ---- */

typedef struct gpucc_override {
    const char *name; /* or numeric id */
    double value;
} gpucc_override;

/* A specialisation constant by its id. One that the module does not have is passed over, as in Vulkan. */
typedef struct gpucc_constant {
    uint64_t bits; /* of its type; a bool is true unless all are 0 */
    uint32_t id;
} gpucc_constant;

/* The format of a storage image of SPIR-V that says none. */
typedef struct gpucc_image_format {
    const char *format;
    uint32_t group;
    uint32_t binding;
} gpucc_image_format;

typedef struct gpucc_place {
    uint32_t group;
    uint32_t binding;
} gpucc_place;

/* Options of a compilation. */
typedef struct gpucc_options {
    size_t size;
    const char *target; /* family[:generation], as for the command's --target: "gcn:gfx7" */
    const char *entry;  /* the entry point; NULL: all of them, in one container */
    uint32_t language;  /* GPUCC_WGSL ... */
    uint32_t opt_level; /* 0 to 3; the command's default is 2 */
    uint32_t trusted;   /* not 0: accesses are in bounds and workgroup memory is zero, the caller promises (--robust off) */
    gpucc_log *log;     /* where messages go; may be NULL */
    const char *name;   /* of the source in messages; its folder is the first one of #include. May be NULL */
    const gpucc_override *overrides;
    size_t override_count;
    const gpucc_constant *constants;
    size_t constant_count;
    const gpucc_image_format *image_formats;
    size_t image_format_count;
    const char *const *includes; /* further folders of #include (GLSL) */
    size_t include_count;
    const char *const *defines; /* "NAME" or "NAME=VALUE" (GLSL) */
    size_t define_count;
    const gpucc_place *wide; /* with knows_wide: the textures whose texels may have 128 bits. Some chips fetch these in parts */
    size_t wide_count;
    const gpucc_pipeline *pipeline; /* of vertex and fragment entries; NULL: as the command without --pipeline */
    uint32_t zeroes;                /* workgroup memory is zeroed although `trusted` */
    uint32_t knows_wide;
    uint32_t subgroup_size; /* lanes that compute entries are compiled for; 0: those of the target */
    uint32_t reader;        /* 0: the best there is; 1: naga; 2: glslangValidator or none (GLSL) */
    const gpucc_slot *other; /* of a vertex or fragment entry alone: what the other stage reads or gives, as its source declares it; `kind`,
                                `number`, `components`, `is_integer`, `interpolation` and `sampling` of each count. NULL: it reads all or gives all */
    size_t other_count;
    uint32_t other_tests_early; /* the fragment stage demands depth and stencil tests in front of it */
} gpucc_options;

/* A container, as bytes: docs/container.md. */
typedef struct gpucc_container gpucc_container;

/* Compiles a shader. *container is set on GPUCC_OK, and to NULL otherwise. */
int gpucc_compile(const void *source, size_t bytes, const gpucc_options *options, gpucc_container **container, char **message);

/* Compiles the stages of a pipeline, each with what the other reads or gives: one container with both. The options of both have one
   target and one level, and no `pipeline`. `state` may be NULL: a target of rgba8unorm for each output, and one vertex buffer with
   32-bit components. Without a fragment stage (fragment is NULL, and its options) depth and stencil alone are written. */
int gpucc_compile_pair(const void *vertex, size_t vertex_bytes, const gpucc_options *vertex_options, const void *fragment,
                       size_t fragment_bytes, const gpucc_options *fragment_options, const gpucc_pipeline *state,
                       gpucc_container **container, char **message);

/* A key for caches of containers, as 64 digits and a zero: a hash of everything that gpucc_compile's container depends on. It is the same on
   every machine, and another one for each version of the library. The source is read for it, not compiled. */
int gpucc_key(const void *source, size_t bytes, const gpucc_options *options, char *key, char **message);

/* Pieces of the state of a pipeline, which a driver may know late. */
enum {
    GPUCC_STATE_VERTEX_LAYOUT = 0,
    GPUCC_STATE_POINTS = 1,
    GPUCC_STATE_TOPOLOGY = 2,
    GPUCC_STATE_FRONT_FACE = 3,
    GPUCC_STATE_CULL = 4,
    GPUCC_STATE_UNCLIPPED_DEPTH = 5,
    GPUCC_STATE_DEPTH_BIAS = 6,
    GPUCC_STATE_TARGET_FORMATS = 7,
    GPUCC_STATE_WRITE_MASKS = 8,
    GPUCC_STATE_BLENDING = 9,
    GPUCC_STATE_DEPTH_STENCIL = 10,
    GPUCC_STATE_SAMPLES = 11,
    GPUCC_STATE_SAMPLE_MASK = 12,
    GPUCC_STATE_ALPHA_TO_COVERAGE = 13,
    GPUCC_STATE_SAMPLERS = 14
};

/* The most that a piece changes of a program. */
enum { GPUCC_CHANGES_NOTHING = 0, GPUCC_CHANGES_WORDS = 1, GPUCC_CHANGES_CODE = 2 };

/* What a piece of state (GPUCC_STATE_...) changes of programs of a stage on a target: GPUCC_CHANGES_CODE is a variant of the program. */
int gpucc_effect(const char *target, uint32_t stage, uint32_t piece, uint32_t *effect, char **message);

/* As gpucc_key, of one entry and of the pieces of state alone that its program depends on: two states with one such key have programs with the
   same code, words and interface. */
int gpucc_variant_key(const void *source, size_t bytes, const gpucc_options *options, char *key, char **message);

/* The variant keys of the programs that gpucc_compile_pair makes; that of the fragment program is "" where there is none. */
int gpucc_pair_keys(const void *vertex, size_t vertex_bytes, const gpucc_options *vertex_options, const void *fragment, size_t fragment_bytes,
                    const gpucc_options *fragment_options, const gpucc_pipeline *state, char *vertex_key, char *fragment_key,
                    char **message);

/* The bytes of a container, which live as long as it. */
const void *gpucc_container_data(const gpucc_container *container);
size_t gpucc_container_size(const gpucc_container *container);
void gpucc_container_free(gpucc_container *container);

/* ---- Reflection: what a driver programs (docs/drivers.md) ---- */

typedef struct gpucc_reflection gpucc_reflection;
typedef struct gpucc_program gpucc_program; /* lives as long as its reflection */

enum { GPUCC_COMPUTE = 0, GPUCC_VERTEX = 1, GPUCC_FRAGMENT = 2 };

/* The part of an entry's work that a program does. */
enum { GPUCC_MAIN = 0, GPUCC_POSITION = 1, GPUCC_VARYING = 2 };

enum {
    GPUCC_USES_DISCARD = 1,
    GPUCC_USES_DEPTH = 2,          /* it gives a depth */
    GPUCC_USES_SAMPLE_MASK = 4,    /* it gives a mask of samples */
    GPUCC_USES_SAMPLE_SHADING = 8, /* it runs once for each sample */
    GPUCC_USES_EARLY_TESTS = 16,   /* depth and stencil are tested in front of it */
    GPUCC_USES_SIDE_EFFECTS = 32,  /* it writes memory that others see */
    GPUCC_USES_HELPERS = 64,       /* it needs whole quads */
    GPUCC_USES_BARRIERS = 128,
    GPUCC_USES_TARGETS = 256, /* it reads what pixels of colour targets hold */
    GPUCC_USES_DENORMS = 512, /* compiled with subnormal f32 kept */
    GPUCC_USES_TRUST = 1024   /* compiled with `trusted` */
};

/* A promise about the depth that a fragment program gives, against the one that the fragment has. */
enum { GPUCC_DEPTH_ANY = 0, GPUCC_DEPTH_GREATER = 1, GPUCC_DEPTH_LESS = 2, GPUCC_DEPTH_UNCHANGED = 3 };

typedef struct gpucc_program_info {
    size_t size;
    const char *entry;
    const char *occupancy_unit;      /* "waves", "threads"; NULL: the family has no such number */
    const uint32_t *immediate_words; /* words of the immediate data (push constants) that are preloaded by themselves, ascending */
    size_t immediate_word_count;
    size_t register_count;
    size_t binding_count;
    size_t preload_count;
    size_t input_count;
    size_t output_count;
    size_t word_count;
    size_t state_count;
    size_t member_count;
    uint64_t input_mask;  /* a bit for each location: read */
    uint64_t output_mask; /* given */
    uint64_t flat_mask;   /* read flat */
    uint64_t packed_mask; /* read as pairs of 16 bits */
    uint32_t entry_index;
    uint32_t stage;             /* GPUCC_COMPUTE ... */
    uint32_t role;              /* GPUCC_MAIN ... */
    uint32_t workgroup_size[3]; /* of other stages 0 or 1 each */
    uint32_t subgroup_size;
    uint32_t shared_bytes;
    uint32_t scratch_bytes; /* of one invocation */
    uint32_t spills;        /* of the whole entry; all ones where the container has no statistics */
    uint32_t reloads;
    uint32_t occupancy;
    uint32_t uses;                /* GPUCC_USES_DISCARD ... */
    uint32_t immediate_bytes;     /* of the block; 0 without one */
    uint32_t immediate_slot;      /* of the family */
    uint32_t immediate_in_memory; /* the block is read through an address or a descriptor that is preloaded */
    uint32_t immediate_first;     /* the bytes of the block that are read: the first one */
    uint32_t immediate_end;       /* and the one behind the last; all ones where an index decides */
    uint32_t depth_layout;        /* GPUCC_DEPTH_ANY ... */
    uint32_t clip_mask;           /* clip distances that are given, a bit each */
    uint32_t group_mask;          /* bind groups that are used, a bit each */
    uint32_t may_merge_workgroups;
    uint32_t uniform_buffers; /* counts, elements of arrays one by one */
    uint32_t storage_buffers;
    uint32_t textures;
    uint32_t storage_textures;
    uint32_t samplers;
    uint32_t uniform_words; /* preloaded words of uniform files */
    size_t statistic_count;
    const char *const *reads; /* values of the launch and the rasteriser that the code reads: "frag_coord", "front_facing" */
    size_t read_count;
    uint64_t texture_mask; /* a bit for each slot below 64 of sampled textures */
    uint64_t sampler_mask; /* of samplers */
    uint32_t padded_code_bytes; /* that a driver uploads for the code: docs/drivers.md */
    uint32_t barrier_count;
    uint32_t input_locations; /* bits of input_mask */
    uint32_t output_locations;
    size_t step_count;
} gpucc_program_info;

typedef struct gpucc_registers {
    size_t size;
    const char *name;
    uint32_t file;
    uint32_t count; /* in units of the family */
} gpucc_registers;

enum { GPUCC_UNIFORM = 0, GPUCC_STORAGE = 1, GPUCC_TEXTURE = 2, GPUCC_STORAGE_TEXTURE = 3, GPUCC_SAMPLER = 4 };
enum { GPUCC_READ = 1, GPUCC_WRITE = 2, GPUCC_READ_WRITE = 3 };
enum { GPUCC_1D = 0, GPUCC_2D = 1, GPUCC_3D = 2, GPUCC_CUBE = 3 };
enum { GPUCC_FLOAT = 0, GPUCC_SINT = 1, GPUCC_UINT = 2, GPUCC_DEPTH = 3, GPUCC_EXTERNAL = 4 };

typedef struct gpucc_binding {
    size_t size;
    const char *name;    /* in the source; NULL where the container has no names */
    const char *format;  /* of a storage texture; NULL of others */
    const char *variant; /* "whole"; others are descriptors that the family's page defines */
    uint32_t group;
    uint32_t binding;
    uint32_t element; /* of an array of buffers, each of which has a binding here; 0 of others */
    uint32_t kind;    /* GPUCC_UNIFORM ... */
    uint32_t access;  /* GPUCC_READ ... */
    uint32_t count;   /* elements of a binding array */
    uint32_t bytes;   /* least size of a buffer */
    uint32_t slot;    /* of the family */
    uint32_t dimension;
    uint32_t texels; /* GPUCC_FLOAT ... */
    uint32_t is_array;
    uint32_t is_multisampled;
    uint32_t is_comparison;
    uint32_t variant_number;
    uint32_t first; /* the bytes of a buffer that are touched: the first one */
    uint32_t end;   /* and the one behind the last; all ones where an index decides, 0 where nothing is known */
} gpucc_binding;

/* A member of a buffer that has no members itself, where the container has names. */
typedef struct gpucc_member {
    size_t size;
    const char *name;      /* the path in the buffer: "a", "a.b", "lights[].color"; "" where the buffer is no structure */
    const char *type_name; /* of one element, in WGSL's words: "vec3<f32>" */
    uint32_t binding;      /* place of the buffer among the bindings; all ones of the immediate data */
    uint32_t offset;
    uint32_t bytes; /* of one element */
    uint32_t count; /* elements of the outermost array that it lies in; 1 without one, 0 where the buffer decides */
    uint32_t stride;
} gpucc_member;

/* A value that must be in place before the first instruction: register files first. */
typedef struct gpucc_preload {
    size_t size;
    const char *place;   /* in the words of the family: "v0" */
    const char *meaning; /* the source in words */
    uint32_t file;
    uint32_t index;
    uint32_t lane;
    uint32_t is_uniform; /* filled once for a draw or dispatch; others for each subgroup or invocation */
    uint32_t source;     /* its number, and w, a, b beside it: docs/container.md */
    uint32_t w;
    uint32_t a;
    uint32_t b;
} gpucc_preload;

/* An operand of a step: a source by its number, and w, a, b beside it. */
typedef struct gpucc_operand {
    uint32_t source;
    uint32_t w;
    uint32_t a;
    uint32_t b;
} gpucc_operand;

/* A computation of the launch, before the first invocation: preloads and later steps name its result by its number (LNCH in docs/container.md). */
typedef struct gpucc_step {
    size_t size;
    const char *op;      /* "fmul" */
    const char *meaning; /* the same with its operands, in words */
    uint32_t operand_count;
    gpucc_operand operands[3];
} gpucc_step;

/* A location between two programs. */
typedef struct gpucc_varying {
    size_t size;
    uint32_t location;
    uint32_t output;  /* place in the outputs of the vertex program; all ones where it gives none */
    uint32_t input;   /* place in the inputs of the fragment program; all ones where it reads none */
    uint32_t unread;  /* components that are given and nobody reads, a bit each */
    uint32_t missing; /* components that are read and nobody gives, a bit each */
} gpucc_varying;

/* A word of the family, by name. */
typedef struct gpucc_word {
    size_t size;
    const char *name;
    uint32_t value;
} gpucc_word;

/* A number that the compiler says of the entry: docs/command-line.md has their units and meanings. */
typedef struct gpucc_statistic {
    size_t size;
    const char *name;
    uint64_t value;
} gpucc_statistic;

/* A hardware register that the program wants set. */
typedef struct gpucc_state {
    size_t size;
    const char *name;
    uint32_t space;
    uint32_t reg;
    uint32_t value;
    uint32_t mask; /* bits that count; the others are the driver's */
} gpucc_state;

/* Reads a container. *reflection is set on GPUCC_OK, and to NULL otherwise. */
int gpucc_reflect(const void *container, size_t bytes, gpucc_reflection **reflection, char **message);
void gpucc_reflection_free(gpucc_reflection *reflection);

/* Programs, in the order of entries and of the programs of each. */
size_t gpucc_reflection_count(const gpucc_reflection *reflection);
const gpucc_program *gpucc_reflection_program(const gpucc_reflection *reflection, size_t index);

/* Fill a struct; an index behind the last one is GPUCC_USAGE. */
int gpucc_program_get(const gpucc_program *program, gpucc_program_info *info);
int gpucc_program_registers(const gpucc_program *program, size_t index, gpucc_registers *row);
int gpucc_program_binding(const gpucc_program *program, size_t index, gpucc_binding *row);
int gpucc_program_preload(const gpucc_program *program, size_t index, gpucc_preload *row);
int gpucc_program_step(const gpucc_program *program, size_t index, gpucc_step *row);
int gpucc_program_input(const gpucc_program *program, size_t index, gpucc_slot *row);
int gpucc_program_output(const gpucc_program *program, size_t index, gpucc_slot *row);
int gpucc_program_word(const gpucc_program *program, size_t index, gpucc_word *row);
int gpucc_program_state(const gpucc_program *program, size_t index, gpucc_state *row);
int gpucc_program_member(const gpucc_program *program, size_t index, gpucc_member *row);
int gpucc_program_statistic(const gpucc_program *program, size_t index, gpucc_statistic *row);

/* The locations between a vertex and a fragment program, upwards. */
int gpucc_varying_get(const gpucc_program *vertex, const gpucc_program *fragment, size_t index, gpucc_varying *row);

/* The state that the program was compiled for. GPUCC_USAGE of a compute program. */
int gpucc_program_pipeline(const gpucc_program *program, gpucc_pipeline *state);

/* The machine code of the program, and the constant bytes that it reads. */
int gpucc_program_code(const gpucc_program *program, const void **data, size_t *bytes);
int gpucc_program_constants(const gpucc_program *program, const void **data, size_t *bytes);

/* ---- Running ---- */

/* A bound buffer. The run writes to `data`. */
typedef struct gpucc_buffer {
    uint32_t group;
    uint32_t binding;
    void *data;
    size_t bytes;
} gpucc_buffer;

/* Executes a compute entry point of a container on the machine of its target, with so many workgroups in x, y and z. `entry` may be NULL if
 * there is one alone. Buffers hold what the run has written, also when it ends in a trap. No two buffers may overlap. */
int gpucc_run(const void *container, size_t bytes, const char *entry, const uint32_t grid[3], const gpucc_buffer *buffers,
              size_t count, char **message);

/* As gpucc_run, of a program with pointers that are addresses (`buffer_reference`): the buffer at place `k` of the list lies at
 * gpucc_buffer_address(k), an address of eight bytes that the caller writes wherever the program looks for it. Buffers that are reached by
 * address alone need a group and binding that nothing else has. At most 128 buffers. */
int gpucc_run_with_addresses(const void *container, size_t bytes, const char *entry, const uint32_t grid[3],
                             const gpucc_buffer *buffers, size_t count, char **message);

/* The address of the buffer at a place of the list: the same in every run. 0 if no buffer can be there. */
uint64_t gpucc_buffer_address(size_t index);

typedef struct gpucc_bytes {
    void *data;
    size_t bytes;
} gpucc_bytes;

/* A bound texture. The draw writes to `data` where the program stores texels. */
typedef struct gpucc_texture {
    void *data; /* rows, then layers or slices, then levels, nothing between them */
    size_t bytes;
    const char *format;
    uint32_t group;
    uint32_t binding;
    uint32_t dimension; /* GPUCC_1D ... */
    uint32_t width;
    uint32_t height;
    uint32_t layers; /* or depth; of a cube 6 for each. 0: 1 */
    uint32_t levels; /* 0: 1 */
} gpucc_texture;

typedef struct gpucc_sampler {
    const char *filter;        /* "nearest", "linear"; NULL: nearest */
    const char *mipmap_filter; /* the same between levels */
    const char *address;       /* "clamp-to-edge", "repeat", "mirror-repeat"; NULL: the first */
    const char *compare;       /* NULL: it does not compare */
    uint32_t group;
    uint32_t binding;
} gpucc_sampler;

/* One draw. Targets hold what was there before, tightly packed, the samples of a pixel one behind the other. */
typedef struct gpucc_draw_call {
    size_t size;
    gpucc_bytes vertex;          /* the container with the vertex program */
    gpucc_bytes fragment;        /* that with the fragment program, which may be the same; no bytes: there is none */
    const char *vertex_entry;    /* NULL: the only one of its stage */
    const char *fragment_entry;
    const gpucc_buffer *buffers; /* of both programs, as the textures and samplers */
    size_t buffer_count;
    const gpucc_texture *textures;
    size_t texture_count;
    const gpucc_sampler *samplers;
    size_t sampler_count;
    const gpucc_bytes *vertex_buffers; /* by slot */
    size_t vertex_buffer_count;
    const gpucc_bytes *targets; /* by location */
    size_t target_count;
    gpucc_bytes depth;
    gpucc_bytes immediates;
    gpucc_bytes indices;      /* no bytes: vertices are counted */
    const char *index_format; /* NULL: "uint16" */
    uint32_t width;
    uint32_t height;
    uint32_t vertex_count; /* or indices */
    uint32_t instance_count; /* 0: 1 */
    uint32_t first_vertex;   /* or place of the first index */
    uint32_t first_instance;
    int32_t base_vertex;
    uint32_t stencil_reference;
    float blend_constant[4];
} gpucc_draw_call;

/* Draws on the machine of the containers' target, in the pipeline that they were compiled for. */
int gpucc_draw_programs(const gpucc_draw_call *call, char **message);

typedef struct gpucc_draw_options {
    size_t size;
    const char *target; /* as for gpucc_options; NULL or "interp": the oracle */
    const char *folder; /* that files of the scene are relative to; NULL: that of the process */
    const char *name;   /* of the scene in messages; may be NULL */
    gpucc_log *log;     /* may be NULL */
    uint32_t opt_level;
    uint32_t oracle; /* not 0: outputs are compared with those of the oracle to the bit; a difference is GPUCC_BUG */
    uint64_t steps;  /* that all programs of the scene may take together, else GPUCC_INVALID; 0: 10,000,000,000 */
} gpucc_draw_options;

/* An output of a scene: a level of a texture, or bytes of a buffer. */
typedef struct gpucc_output {
    size_t size;
    const char *name;
    const char *format; /* NULL of a buffer */
    const void *data;   /* rows from the top, tightly packed */
    size_t bytes;
    uint32_t width; /* 0 of a buffer */
    uint32_t height;
} gpucc_output;

typedef struct gpucc_outputs gpucc_outputs;

/* Draws a scene (docs/scene-format.md), in TOML or JSON: its text in, its outputs out. */
int gpucc_draw(const void *scene, size_t bytes, const gpucc_draw_options *options, gpucc_outputs **outputs, char **message);
size_t gpucc_outputs_count(const gpucc_outputs *outputs);
int gpucc_outputs_get(const gpucc_outputs *outputs, size_t index, gpucc_output *row);
void gpucc_outputs_free(gpucc_outputs *outputs);

void gpucc_text_free(char *text);

/* The version of the library, such as "0.1.0". It lives as long as the program. */
const char *gpucc_version(void);

#ifdef __cplusplus
}
#endif

#endif
