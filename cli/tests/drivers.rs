//! The tables of `docs/drivers.md` for drivers: every fact is carried under a name that is there in Rust, in C and in `inspect --json`, follows
//! from one, or has a reason why there is none.

use serde_json::Value;

use crate::common::{Scratch, expect};

fn file(path: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
    std::fs::read_to_string(format!("{root}{path}")).expect("a file of the repository")
}

/// Rows of the tables below a heading, their cells without blanks at the ends.
fn rows<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let section = page.split(&format!("\n## {heading}\n")).nth(1).expect("the heading");
    let section = section.split("\n## ").next().unwrap_or(section);
    let lines = section.lines().filter(|l| l.starts_with('|') && !l.starts_with("|---"));
    lines.skip(1).map(|l| l.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

/// What stands between a pair of backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

const TABLES: [&str; 5] = [
    "All drivers",
    "Panfrost: `pan_shader_info`",
    "RADV: `radv_shader_info`, `ac_shader_config`",
    "Nouveau: `nv50_ir_prog_info`, `nv50_ir_prog_info_out`",
    "Etnaviv: `etna_shader_variant`",
];

/// Nothing is missing: a row says where the fact is, how it follows, or why there is none.
#[test]
fn every_field_of_the_drivers_is_carried_derived_or_has_a_reason() {
    let page = file("docs/drivers.md");
    let known: Vec<&str> = rows(&page, "Where each fact is").iter().flat_map(|r| quoted(r[0])).collect();
    let mut count = 0;
    for table in TABLES {
        for row in rows(&page, table) {
            let [_, here] = row[..] else { panic!("{row:?}") };
            count += 1;
            let (kind, rest) = here.split_once(':').unwrap_or_else(|| panic!("{row:?}"));
            match kind {
                "no" => assert!(rest.split_whitespace().count() > 3, "no reason: {row:?}"),
                "derived" => assert!(quoted(rest).any(|name| known.contains(&name)), "of nothing: {row:?}"),
                "carried" => {
                    // Names in front of a semicolon are those that carry it.
                    let own = rest.split(';').next().unwrap_or(rest);
                    let names: Vec<&str> = quoted(own).collect();
                    assert!(!names.is_empty(), "no name: {row:?}");
                    let strange = names.iter().find(|n| !known.contains(*n) && !own.contains("with the name `"));
                    assert_eq!(strange, None, "{row:?}");
                }
                _ => panic!("neither carried nor derived nor a reason: {row:?}"),
            }
        }
    }
    assert!(count > 70, "{count} rows");
}

/// Whether a struct of Rust's text has a field, or its methods a function.
fn has_in_rust(text: &str, name: &str) -> bool {
    let (of, name) = name.split_once("::").unwrap_or(("Program", name));
    let body = |head: &str| text.split(head).nth(1).map(|b| b.split("\n}").next().unwrap_or(b));
    let field = body(&format!("pub struct {of} {{")).is_some_and(|b| b.contains(&format!("    pub {name}: ")));
    let method = body(&format!("\nimpl {of} {{")).is_some_and(|b| b.contains(&format!("pub fn {name}(&self)")));
    field || method || text.contains(&format!("\npub fn {name}("))
}

/// Whether the header has a function `name()`, a field `struct.field` or a constant.
fn has_in_c(header: &str, name: &str) -> bool {
    if let Some(function) = name.strip_suffix("()") {
        return header.contains(&format!("{function}("));
    }
    let Some((of, field)) = name.split_once('.') else { return header.contains(&format!("{name} = ")) };
    let body = header.split(&format!("typedef struct {of} {{")).nth(1).and_then(|b| b.split("\n}").next());
    let ends = [format!("{field};"), format!("{field}[")];
    let words = body.into_iter().flat_map(str::split_whitespace).map(|w| w.trim_start_matches('*'));
    words.into_iter().any(|w| ends.iter().any(|e| w.starts_with(e.as_str())))
}

/// Whether a value has a path: `entries[].uses.discard`.
fn has_path(value: &Value, path: &str) -> bool {
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    let (key, is_list) = step.strip_suffix("[]").map_or((step, false), |k| (k, true));
    let Some(found) = value.get(key) else { return false };
    match (is_list, rest) {
        (false, "") => true,
        (false, _) => has_path(found, rest),
        (true, _) => found.as_array().is_some_and(|all| all.iter().any(|v| rest.is_empty() || has_path(v, rest))),
    }
}

#[test]
fn every_fact_is_there_in_rust_in_c_and_in_json() {
    let s = Scratch::new("drivers");
    let pair = s.write(
        "pair.wgsl",
        "struct U { scale: f32, more: vec4f }
        struct P { a: f32, b: f32 }
        var<immediate> p: P;
        @group(0) @binding(0) var<uniform> u: U;
        @group(0) @binding(1) var t: texture_2d<f32>;
        @group(0) @binding(2) var s: sampler;
        struct V { @builtin(position) at: vec4f, @location(0) uv: vec2f }
        @vertex fn vs(@location(0) at: vec4f) -> V { return V(at * u.scale, at.xy); }
        @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv) * u.more * p.b; }",
    );
    let compute = s.write(
        "compute.wgsl",
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) i: vec3u) { o[i.x] = i.x; }",
    );
    let bin = s.path("a.bin");
    let mut found = Vec::new();
    for (source, target) in [(&pair, "gcn:gfx7"), (&pair, "valhall"), (&compute, "gcn:gfx7")] {
        expect(&[source, "--target", target, "-o", &bin], 0, "");
        let json: Value = serde_json::from_str(&expect(&["inspect", "--json", &bin], 0, "")).expect("an object");
        found.push(json);
    }
    let (page, rust, header) = (file("docs/drivers.md"), file("gpucc/src/reflect.rs"), file("capi/include/gpucc.h"));
    let table = rows(&page, "Where each fact is");
    assert!(table.len() > 60, "{} rows", table.len());
    for row in &table {
        let [own, c, json] = row[..] else { panic!("{row:?}") };
        assert!(quoted(own).all(|n| has_in_rust(&rust, n)), "Rust has no {own}");
        assert!(quoted(c).all(|n| has_in_c(&header, n)) && quoted(c).count() == 1, "C has no {c}");
        if !json.starts_with("no: ") {
            let path = quoted(json).next().expect("a path");
            assert!(found.iter().any(|v| has_path(v, path)), "`inspect --json` has no {json}");
        }
    }
    // The other way round: what a program has in Rust stands in the table.
    let names: Vec<&str> = table.iter().flat_map(|r| quoted(r[0])).collect();
    let body = rust.split("pub struct Program {").nth(1).and_then(|b| b.split("\n}").next()).expect("the struct");
    let fields = body.lines().filter_map(|l| l.trim().strip_prefix("pub ")?.split_once(':').map(|f| f.0));
    let hidden: Vec<&str> = fields.filter(|f| !names.contains(f) && *f != "entry_index").collect();
    assert!(hidden.is_empty(), "the table lacks {hidden:?}");
}
