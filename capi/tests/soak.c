/* Compiles, reflects and runs again and again, right and wrong input: `soak N THREADS` prints the pages that the second half of the rounds added to
 * those that the process has. */
#include <gpucc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const targets[] = { "gcn:gfx7", "tesla", "valhall", "vivante:gc7000" };
static const char *const sources[] = {
    "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
    "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3u) { o[g.x] += g.x * 3u; }\n",
    "@compute @workgroup_size(1) fn main() { let x = nothing; }\n",
    "enable f16;\n@group(0) @binding(0) var<storage, read_write> o: array<f64>;\n",
    "\xff\xfe\x00 not text",
};
enum { SOURCES = sizeof sources / sizeof *sources };

static long pages(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long all = 0, resident = 0;
    if (file && fscanf(file, "%ld %ld", &all, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident;
}

static void hear(void *user, const gpucc_log_row *row)
{
    *(long *)user += row->line;
}

/* One round; not 0 if something is not as it should be. */
static int once(unsigned n)
{
    const char *source = sources[n / 4 % SOURCES];
    long lines = 0;
    gpucc_log *log = gpucc_log_new(hear, &lines);
    gpucc_options o;
    memset(&o, 0, sizeof o);
    o.size = sizeof o;
    o.target = targets[n % 4];
    o.opt_level = n % 3;
    o.log = log;
    gpucc_container *c = NULL;
    char *message = NULL;
    int status = gpucc_compile(source, strlen(source), &o, &c, n % 2 ? &message : NULL);
    int wrong = (status == GPUCC_OK) != (n / 4 % SOURCES == 0) || (status == GPUCC_OK) != (c != NULL) || status == GPUCC_BUG;
    gpucc_text_free(message);
    if (c) {
        gpucc_reflection *r = NULL;
        uint32_t data[8] = { 0 };
        gpucc_buffer b = { 0, 0, data, sizeof data };
        const uint32_t grid[3] = { 2, 1, 1 };
        wrong |= gpucc_reflect(gpucc_container_data(c), gpucc_container_size(c), &r, NULL) != GPUCC_OK;
        wrong |= gpucc_reflection_count(r) != 1;
        wrong |= gpucc_run(gpucc_container_data(c), gpucc_container_size(c), NULL, grid, &b, 1, NULL) != GPUCC_OK;
        wrong |= data[7] != 21;
        /* Half a container is none. */
        wrong |= gpucc_reflect(gpucc_container_data(c), gpucc_container_size(c) / 2, NULL, NULL) != GPUCC_USAGE;
        gpucc_reflection_free(r);
    } else {
        wrong |= gpucc_log_count(log) == 0;
    }
    gpucc_container_free(c);
    gpucc_log_free(log);
    return wrong;
}

static unsigned rounds;

static void *work(void *first)
{
    for (unsigned n = *(unsigned *)first; n < rounds; n += 2)
        if (once(n))
            return first;
    return NULL;
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    if (threads == 2) {
        pthread_t other;
        unsigned even = 0, odd = 1;
        void *a, *b = NULL;
        if (pthread_create(&other, NULL, work, &odd))
            return 2;
        a = work(&even);
        pthread_join(other, &b);
        return a || b;
    }
    long half = 0;
    for (unsigned n = 0; n < rounds; n++) {
        if (n == rounds / 2)
            half = pages();
        if (once(n)) {
            fprintf(stderr, "round %u\n", n);
            return 1;
        }
    }
    printf("%ld\n", pages() - half);
    return 0;
}
