//! Every function of the header with every choice of NULL pointers, and every struct with every size, on two threads at once: a program in C
//! that is made of the header. What must be there and is not, and what is too small, is `GPUCC_USAGE`; everything else is done.

use std::fmt::Write;

use crate::declared::{Field, Header};
use crate::header::header;
use crate::{build, run};

/// What the calls are made with, and how answers are judged.
const HEAD: &str = r#"
#include <gpucc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SOURCE[] =
    "struct U { scale: f32, more: vec4f }\n"
    "@group(0) @binding(0) var<uniform> u: U;\n"
    "struct V { @builtin(position) p: vec4f, @location(0) c: vec2f }\n"
    "@vertex fn vs(@builtin(vertex_index) i: u32) -> V { let x = f32(i); return V(vec4f(x - 1.0, x * x - 1.0, 0.5, 1.0), vec2f(x)); }\n"
    "@fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c * u.scale, u.more.xy); }\n";
static const char COMPUTE[] = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
                              "@compute @workgroup_size(1) fn main() { o[0] = 7u; }\n";
static const char COMPUTED[] =
    "@group(0) @binding(0) var<uniform> u: vec4f;\n"
    "@group(0) @binding(1) var<storage, read_write> o: array<f32>;\n"
    "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) { o[i] = u.x * u.y; }\n";
static const char SCENE[] = "format = \"scene-1\"\n[buffers]\nb = { u32 = [1, 2] }\n[[outputs]]\nname = \"b\"\nbuffer = \"b\"\n";

/* What one thread works with. */
typedef struct world {
    int wrong;
    const char *name; /* of the function that is called */
    gpucc_log *log;
    gpucc_container *container, *compute, *computed;
    gpucc_reflection *reflection, *of_computed;
    const gpucc_program *vertex, *fragment, *stepped;
    gpucc_outputs *outputs;
    const gpucc_options *options;
    const gpucc_pipeline *pipeline;
    const gpucc_draw_options *draw_options;
    const gpucc_draw_call *draw_call;
    const gpucc_buffer *buffers;
    uint32_t grid[3];
    /* where functions write */
    char *message;
    char key[65];
    uint32_t effect;
    gpucc_container *made;
    gpucc_reflection *read;
    gpucc_outputs *drawn;
    const void *data;
    size_t bytes;
} world;

static void fail(world *w, const char *what, unsigned long detail, int status)
{
    printf("%s: %s %lu: status %d, %s\n", w->name, what, detail, status, w->message ? w->message : "no message");
    w->wrong = 1;
}

static void listen(void *user, const gpucc_log_row *row)
{
    (void)user;
    (void)row;
}

/* Before a call: whatever it writes holds something else. */
static void begin(world *w, const char *name)
{
    w->name = name;
    w->message = NULL;
    w->made = (gpucc_container *)w;
    w->read = (gpucc_reflection *)w;
    w->drawn = (gpucc_outputs *)w;
}

/* After a call: the status is the one that is expected, a message is there with a fault alone, and so is a result without one. */
static void end(world *w, const char *what, unsigned long detail, int status, int expected, int takes_message)
{
    if (status != expected || (takes_message && !status != !w->message))
        fail(w, what, detail, status);
    gpucc_text_free(w->message);
    w->message = NULL;
    if ((void *)w->made != (void *)w) {
        if (!status != !!w->made)
            fail(w, "a container", detail, status);
        gpucc_container_free(w->made);
    }
    if ((void *)w->read != (void *)w) {
        if (!status != !!w->read)
            fail(w, "a reflection", detail, status);
        gpucc_reflection_free(w->read);
    }
    if ((void *)w->drawn != (void *)w) {
        if (!status != !!w->drawn)
            fail(w, "outputs", detail, status);
        gpucc_outputs_free(w->drawn);
    }
}

/* A struct in exactly so many bytes: of what is given as much as fits, then `rest`. */
static void *sized(const void *given, size_t has, size_t size, int rest)
{
    size_t room = size < sizeof size ? sizeof size : size;
    unsigned char *own = malloc(room);
    memset(own, rest, room);
    if (given)
        memcpy(own, given, has < size ? has : size);
    memcpy(own, &size, sizeof size);
    return own;
}
"#;

/// The objects of a thread, made before the calls and freed behind them.
const MAIN: &str = r#"
static void *work(void *to)
{
    world *w = to;
    memset(w, 0, sizeof *w);
    w->log = gpucc_log_new(NULL, NULL);
    gpucc_target target = { .format = "rgba8unorm", .write = 15 };
    gpucc_pipeline pipeline = { .size = sizeof pipeline, .targets = &target, .target_count = 1 };
    gpucc_options options = { .size = sizeof options, .target = "gcn:gfx7", .opt_level = 2, .log = w->log };
    gpucc_draw_options draw_options = { .size = sizeof draw_options, .log = w->log };
    if (gpucc_compile("?", 1, &options, &w->container, NULL) != GPUCC_INVALID || gpucc_log_count(w->log) == 0)
        return NULL;
    options.log = NULL;
    int status = gpucc_compile_pair(SOURCE, sizeof SOURCE - 1, &options, SOURCE, sizeof SOURCE - 1, &options, &pipeline,
                                    &w->container, &w->message);
    status |= gpucc_compile(COMPUTE, sizeof COMPUTE - 1, &options, &w->compute, NULL);
    gpucc_options vivante = { .size = sizeof vivante, .target = "vivante", .opt_level = 2 };
    status |= gpucc_compile(COMPUTED, sizeof COMPUTED - 1, &vivante, &w->computed, NULL);
    status |= gpucc_reflect(gpucc_container_data(w->computed), gpucc_container_size(w->computed), &w->of_computed, NULL);
    w->stepped = gpucc_reflection_program(w->of_computed, 0);
    status |= gpucc_reflect(gpucc_container_data(w->container), gpucc_container_size(w->container), &w->reflection, NULL);
    status |= gpucc_draw(SCENE, sizeof SCENE - 1, &draw_options, &w->outputs, NULL);
    w->vertex = gpucc_reflection_program(w->reflection, 0);
    w->fragment = gpucc_reflection_program(w->reflection, 1);
    uint32_t texels[16] = { 0 }, numbers[8] = { 0 };
    gpucc_bytes surface = { texels, sizeof texels };
    gpucc_buffer buffer = { 0, 0, numbers, sizeof numbers };
    gpucc_draw_call call = { .size = sizeof call };
    call.vertex.data = (void *)(size_t)gpucc_container_data(w->container);
    call.vertex.bytes = gpucc_container_size(w->container);
    call.fragment = call.vertex;
    call.buffers = &buffer;
    call.buffer_count = 1;
    call.targets = &surface;
    call.target_count = 1;
    call.width = call.height = 4;
    call.vertex_count = 3;
    w->options = &options;
    w->pipeline = &pipeline;
    w->draw_options = &draw_options;
    w->draw_call = &call;
    w->buffers = &buffer;
    w->grid[0] = w->grid[1] = w->grid[2] = 1;
    if (status) {
        w->name = "preparation";
        fail(w, "status", 0, status);
        return NULL;
    }
    calls(w);
    gpucc_outputs_free(w->outputs);
    gpucc_reflection_free(w->reflection);
    gpucc_container_free(w->container);
    gpucc_container_free(w->compute);
    gpucc_reflection_free(w->of_computed);
    gpucc_container_free(w->computed);
    gpucc_log_free(w->log);
    if (!w->wrong)
        w->grid[0] = 77;
    return NULL;
}

int main(void)
{
    static world both[2];
    pthread_t other;
    if (pthread_create(&other, NULL, work, &both[1]))
        return 2;
    work(&both[0]);
    pthread_join(other, NULL);
    return !(both[0].grid[0] == 77 && both[1].grid[0] == 77);
}
"#;

/// Arguments that may be NULL.
const OPTIONAL: [&str; 4] = ["message", "entry", "listener", "user"];

/// An argument that is right.
fn right(function: &str, all: &[Field], k: usize) -> String {
    let (ty, name) = &all[k];
    // The bytes in front of a size decide it.
    let source = match function {
        "gpucc_run" | "gpucc_run_with_addresses" => {
            ("gpucc_container_data(w->compute)", "gpucc_container_size(w->compute)")
        }
        "gpucc_draw" => ("SCENE", "sizeof SCENE - 1"),
        "gpucc_variant_key" => ("COMPUTE", "sizeof COMPUTE - 1"),
        "gpucc_reflect" => ("gpucc_container_data(w->container)", "gpucc_container_size(w->container)"),
        _ => ("SOURCE", "sizeof SOURCE - 1"),
    };
    let found = match (&**ty, &**name) {
        ("size_t", "index") => "0",
        ("size_t", "count") => "1",
        ("size_t", _) => source.1,
        ("const void*", _) => source.0,
        ("gpucc_log_fn", _) => "listen",
        ("void*", "user") => "w",
        ("char**", "message") => "&w->message",
        ("char*", _) => "w->key",
        ("const char*", "target") => "\"tesla\"",
        ("uint32_t", _) => "GPUCC_FRAGMENT",
        ("uint32_t*", "effect") => "&w->effect",
        ("const char*", "entry") => "\"main\"",
        ("const uint32_t*", "grid") => "w->grid",
        ("const void**", _) => "&w->data",
        ("size_t*", _) => "&w->bytes",
        ("gpucc_container**", _) => "&w->made",
        ("gpucc_reflection**", _) => "&w->read",
        ("gpucc_outputs**", _) => "&w->drawn",
        ("const gpucc_program*", "vertex") => "w->vertex",
        ("const gpucc_program*", _) if function == "gpucc_program_step" => "w->stepped",
        ("const gpucc_program*", _) => "w->fragment",
        ("const gpucc_pipeline*", _) => "w->pipeline",
        ("const gpucc_options*", _) => "w->options",
        ("const gpucc_draw_options*", _) => "w->draw_options",
        ("const gpucc_draw_call*", _) => "w->draw_call",
        ("const gpucc_buffer*", _) => "w->buffers",
        ("gpucc_log*" | "const gpucc_log*", _) => "w->log",
        ("const gpucc_container*", _) => "w->container",
        ("const gpucc_reflection*", _) => "w->reflection",
        ("const gpucc_outputs*", _) => "w->outputs",
        (row, _) => return format!("&(({}){{ .size = sizeof({0}) }})", row.trim_end_matches('*')),
    };
    found.into()
}

fn is_pointer(header: &Header, ty: &str) -> bool {
    ty.ends_with('*') || header.callbacks.contains_key(ty)
}

/// The condition, in C, that something is missing: `mask` has a bit for each argument that is NULL.
fn missing(all: &[Field], header: &Header) -> String {
    let bit = |name: &str| 1u32 << all.iter().position(|a| a.1 == name).expect("an argument");
    let always = |a: &&Field| is_pointer(header, &a.0) && !OPTIONAL.contains(&&*a.1);
    if all.iter().any(|a| a.1 == "fragment_options") {
        let own = all
            .iter()
            .filter(|a| matches!(&*a.1, "vertex" | "vertex_options" | "container" | "vertex_key" | "fragment_key"));
        let own = own.fold(0, |m, a| m | bit(&a.1));
        let (fragment, options, state) = (bit("fragment"), bit("fragment_options"), bit("state"));
        return format!("(mask & {own}) || (mask & {fragment} ? mask & {state} : mask & {options})");
    }
    format!("mask & {}", all.iter().filter(always).fold(0, |m, a| m | bit(&a.1)))
}

/// The call with the arguments as they are, but for one.
fn call(function: &str, all: &[Field], instead: &dyn Fn(usize) -> Option<String>) -> String {
    let args = (0..all.len()).map(|k| instead(k).unwrap_or_else(|| right(function, all, k)));
    format!("{function}({})", args.collect::<Vec<_>>().join(", "))
}

/// All calls of a function.
fn calls(header: &Header, name: &str, out: &mut String) -> std::fmt::Result {
    let (gives, all) = &header.functions[name];
    let pointers: Vec<usize> = (0..all.len()).filter(|&k| is_pointer(header, &all[k].0)).collect();
    if name.ends_with("_free") {
        return writeln!(out, "    {name}(NULL);");
    }
    let nulls = call(name, all, &|k| {
        let bit = 1u32 << k;
        pointers.contains(&k).then(|| format!("mask & {bit} ? NULL : {}", right(name, all, k)))
    });
    let any = pointers.iter().fold(0u32, |m, &k| m | 1 << k);
    let takes = all.iter().position(|a| a.1 == "message").map_or("0".into(), |k| format!("!(mask & {})", 1u32 << k));
    writeln!(out, "    for (unsigned mask = 0; mask < {}; mask++) {{", 1u32 << all.len())?;
    writeln!(out, "        if (mask & ~{any}u)\n            continue;\n        begin(w, \"{name}\");")?;
    let missing = missing(all, header);
    match &**gives {
        "int" => writeln!(
            out,
            "        int s = {nulls};\n        end(w, \"NULL\", mask, s, ({missing}) ? GPUCC_USAGE : GPUCC_OK, {takes});"
        )?,
        "void" => writeln!(out, "        if (mask)\n            {nulls};")?,
        "gpucc_log*" => writeln!(out, "        gpucc_log_free({nulls});")?,
        _ => writeln!(out, "        if (!{nulls} != !!({missing}))\n            fail(w, \"NULL\", mask, -1);")?,
    }
    writeln!(out, "    }}")?;
    // Behind the end of a list.
    if let Some(k) = all.iter().position(|a| a.1 == "index") {
        let far = |n: &'static str| call(name, all, &|j| (j == k).then(|| n.to_string()));
        for n in ["1000000", "(size_t)-1"] {
            match &**gives {
                "int" => writeln!(out, "    end(w, \"index\", 0, {}, GPUCC_USAGE, 0);", far(n))?,
                _ => writeln!(out, "    if ({})\n        fail(w, \"index\", 0, 0);", far(n))?,
            }
        }
    }
    for &k in &pointers {
        let ty = all[k].0.trim_start_matches("const ").trim_end_matches('*');
        if header.structs.get(ty).is_some_and(|f| f[0].1 == "size") && all[k].0.matches('*').count() == 1 {
            sizes(header, name, k, ty, out)?;
        }
    }
    Ok(())
}

/// All sizes of a struct. From some size on all are taken that end behind a word, the whole struct at the latest; what is behind the size stays.
fn sizes(header: &Header, name: &str, k: usize, ty: &str, out: &mut String) -> std::fmt::Result {
    let all = &header.functions[name].1;
    let input = all[k].0.starts_with("const");
    let given = if input { right(name, all, k) } else { "NULL".into() };
    let own = call(name, all, &|j| (j == k).then(|| "p".to_string()));
    let takes = u8::from(all.iter().any(|a| a.1 == "message"));
    let fill = if input { 0 } else { 0xa5 };
    writeln!(
        out,
        "    for (size_t size = 0, taken = 0; size <= sizeof({ty}) + 40; size++) {{
        {ty} *p = sized({given}, sizeof({ty}), size, {fill});
        begin(w, \"{name}\");
        int s = {own};
        taken |= !s || size >= sizeof({ty});
        end(w, \"size\", size, s, taken && size % sizeof size == 0 && size >= 2 * sizeof size ? GPUCC_OK : GPUCC_USAGE, {takes});"
    )?;
    if input {
        writeln!(
            out,
            "        free(p);
        if (size > sizeof({ty})) {{
            p = sized({given}, sizeof({ty}), size, 1);
            begin(w, \"{name}\");
            s = {own};
            end(w, \"a later version\", size, s, GPUCC_USAGE, {takes});
            free(p);
        }}\n    }}"
        )
    } else {
        writeln!(
            out,
            "        size_t said;
        memcpy(&said, p, sizeof said);
        if (said != size)
            fail(w, \"the size is another one\", size, s);
        for (size_t k = sizeof size; k < size; k++)
            if (s && ((unsigned char *)p)[k] != 0xa5)
                fail(w, \"written with a fault\", size, s);
        for (size_t k = sizeof({ty}); k < size; k++)
            if (!s && ((unsigned char *)p)[k])
                fail(w, \"a later field\", size, s);
        free(p);\n    }}"
        )
    }
}

#[test]
fn null_pointers_and_wrong_sizes_are_statuses() {
    let header = header();
    let mut text = String::from(HEAD);
    for name in header.functions.keys() {
        write!(text, "\nstatic void all_{name}(world *w)\n{{\n    (void)w;\n").expect("a text");
        calls(&header, name, &mut text).expect("a text");
        text += "}\n";
    }
    text += "\nstatic void calls(world *w)\n{\n";
    header.functions.keys().for_each(|name| text += &format!("    all_{name}(w);\n"));
    text += "}\n";
    text += MAIN;
    let source = std::env::temp_dir().join(format!("gpucc-capi-{}-calls.c", std::process::id()));
    std::fs::write(&source, text).expect("a file");
    let Some(program) = build(&source, "calls") else { return };
    let (code, out, err) = run(&program, &[]);
    assert_eq!((code, &*out), (Some(0), ""), "{err}");
    std::fs::remove_file(source).and_then(|()| std::fs::remove_file(program)).expect("files go");
}
