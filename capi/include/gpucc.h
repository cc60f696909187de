/* The compiler gpucc and the machines that execute its code, for programs in C. Link with libgpucc_capi (.so or .a).
 *
 * Functions return a status: 0, or the exit code that the command `gpucc` has for the fault. On a fault, *message is a text for people,
 * with line and column where a shader is wrong, which gpucc_text_free gives back; `message` may be NULL, and is set to NULL without a
 * fault. Every function may be called on any thread. Panics of the library become GPUCC_BUG. */
#ifndef GPUCC_H
#define GPUCC_H

#include <stddef.h>
#include <stdint.h>

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

/* Options of a compilation. Set `size` to sizeof(gpucc_options); fields that later versions add behind the last one are then
   taken as 0. An older library refuses a newer struct where one of the fields that it does not know is not 0. */
typedef struct gpucc_options {
    size_t size;
    const char *target; /* family[:generation], as for the command's --target: "gcn:gfx7" */
    const char *entry;  /* the entry point; NULL: all of them, in one container */
    uint32_t language;  /* GPUCC_WGSL ... */
    uint32_t opt_level; /* 0 to 3; the command's default is 2 */
    uint32_t trusted;   /* not 0: accesses are in bounds and workgroup memory is zero, the caller promises (--robust off) */
} gpucc_options;

/* A container, as bytes: docs/container.md. */
typedef struct gpucc_container gpucc_container;

/* Compiles a shader. *container is set on GPUCC_OK, and to NULL otherwise. */
int gpucc_compile(const void *source, size_t bytes, const gpucc_options *options, gpucc_container **container, char **message);

/* The bytes of a container, which live as long as it. */
const void *gpucc_container_data(const gpucc_container *container);
size_t gpucc_container_size(const gpucc_container *container);
void gpucc_container_free(gpucc_container *container);

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

void gpucc_text_free(char *text);

/* The version of the library, such as "0.1.0". It lives as long as the program. */
const char *gpucc_version(void);

#ifdef __cplusplus
}
#endif

#endif
