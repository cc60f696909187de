/* Compiles a shader that adds two buffers, executes it, and prints the words of its output buffer, one a line:
 *
 *     cargo build --release -p gpucc-capi
 *     cc -I capi/include capi/examples/run.c -L target/release -lgpucc_capi -Wl,-rpath,target/release -o run_c
 *     ./run_c examples/vecadd.wgsl gcn:gfx8
 */
#include <gpucc.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(const char *what, int status, char *message)
{
    fprintf(stderr, "%s: %s\n", what, message ? message : "no message");
    gpucc_text_free(message);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s SHADER.wgsl [TARGET]\n", argv[0]);
        return GPUCC_USAGE;
    }
    FILE *file = fopen(argv[1], "rb");
    if (!file) {
        perror(argv[1]);
        return GPUCC_USAGE;
    }
    static char source[1 << 20];
    size_t bytes = fread(source, 1, sizeof source, file);
    fclose(file);

    gpucc_options options = {
        .size = sizeof options,
        .target = argc > 2 ? argv[2] : "gcn",
        .language = GPUCC_WGSL,
        .opt_level = 2,
    };
    gpucc_container *container;
    char *message;
    int status = gpucc_compile(source, bytes, &options, &container, &message);
    if (status != GPUCC_OK)
        return failed(argv[1], status, message);

    uint32_t a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, c[4] = {0};
    gpucc_buffer buffers[] = {{0, 0, a, sizeof a}, {0, 1, b, sizeof b}, {0, 2, c, sizeof c}};
    const uint32_t grid[3] = {1, 1, 1};
    status = gpucc_run(gpucc_container_data(container), gpucc_container_size(container), NULL, grid, buffers, 3, &message);
    gpucc_container_free(container);
    if (status != GPUCC_OK)
        return failed("run", status, message);
    for (int i = 0; i < 4; i++)
        printf("%u\n", (unsigned)c[i]);
    return GPUCC_OK;
}
