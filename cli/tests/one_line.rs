//! The README's listings of one line of a shader on four families are what the command prints. `GPUCC_WRITE_PAGE=1` writes them anew.

use crate::common::{Scratch, expect};

const BEGIN: &str = "<!-- listings -->\n";
const END: &str = "<!-- end of listings -->";

/// The families in the order of the page, and the line.
const FAMILIES: [(&str, &str); 4] =
    [("valhall", "ARM Mali Valhall"), ("tesla", "NVIDIA Tesla"), ("gcn", "AMD GCN"), ("vivante", "Vivante GC")];
const LINE: &str = "o[i] = sqrt(a[i]) * 0.5 + 1.0;";

/// Instructions of a listing without addresses and bytes.
fn instructions(listing: &str) -> String {
    let lines = listing.lines().filter(|l| l.starts_with("    "));
    let code = lines.map(|l| l.split(" ; ").next().unwrap_or(l).trim());
    code.map(|l| format!("{}\n", l.replace('&', "&amp;").replace('<', "&lt;"))).collect()
}

#[test]
fn the_listings_of_the_page_are_of_now() {
    let s = Scratch::new("one-line");
    let shader = s.path("line.wgsl");
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
    let i = id.x;
    {LINE}
}}
"
    );
    std::fs::write(&shader, text).expect("a file");
    let mut table = format!("{BEGIN}```wgsl\n{LINE}\n```\n\n<table>\n");
    for row in FAMILIES.chunks(2) {
        table += "<tr>";
        for (family, name) in row {
            let listing = expect(&[&shader, "--target", family, "--robust", "off", "-S"], 0, "");
            let code = instructions(&listing);
            assert!(code.lines().count() > 3, "{family}: {listing}");
            table += &format!("<td>{name}\n<pre>\n{code}</pre></td>\n");
        }
        table += "</tr>\n";
    }
    table += "</table>\n\n";
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let old = std::fs::read_to_string(&page).expect("the page");
    let (head, rest) = old.split_once(BEGIN).expect("where listings begin");
    let (_, tail) = rest.split_once(END).expect("where they end");
    let new = format!("{head}{table}{END}{tail}");
    if std::env::var_os("GPUCC_WRITE_PAGE").is_some() {
        std::fs::write(&page, &new).expect("the page");
    }
    assert!(
        new == old || std::env::var_os("GPUCC_WRITE_PAGE").is_some(),
        "README.md has other listings; now:\n{table}"
    );
}
