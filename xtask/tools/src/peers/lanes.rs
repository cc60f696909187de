//! Gain of operations between lanes: instructions that machines execute for a reduction and a soft-max, beside the same through
//! workgroup memory.

use std::fmt::Write;

use gpucc::{CodegenOptions, Target};
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec;

/// Invocations of the one workgroup.
const N: usize = 256;

const HEAD: &str = "@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
var<workgroup> part: array<f32, 256>;
@compute @workgroup_size(256) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) n: u32,
    @builtin(subgroup_invocation_id) l: u32) {
  let v = a[i];
";

/// A tree of barriers that leaves the result in `part[0]`; `$` is what is done with two values.
const TREE: &str = "  workgroupBarrier();
  for (var s = 128u; s > 0u; s >>= 1u) {
    if i < s { part[i] = $; }
    workgroupBarrier();
  }
";

/// A program, in workgroup memory and with operations between lanes.
struct Pair {
    name: &'static str,
    memory: String,
    lanes: String,
}

fn pairs() -> [Pair; 2] {
    let sum = TREE.replace('$', "part[i] + part[i + s]");
    let most = TREE.replace('$', "max(part[i], part[i + s])");
    let store = "  if l == 0u { part[i / n] = x; }\n  workgroupBarrier();\n";
    let again = |of: &str, none: &str| {
        format!("  let w = part[min(l, 256u / n - 1u)];\n  let r = {of}(select({none}, w, l < 256u / n));\n")
    };
    [
        Pair {
            name: "reduction",
            memory: format!("  part[i] = v;\n{sum}  o[i] = part[0];\n}}\n"),
            lanes: format!("  let x = subgroupAdd(v);\n{store}{}  o[i] = r;\n}}\n", again("subgroupAdd", "0.0")),
        },
        Pair {
            name: "soft-max",
            memory: format!(
                "  part[i] = v;\n{most}  let e = exp(v - part[0]);\n  workgroupBarrier();\n  part[i] = e;\n{sum}  o[i] = e / part[0];\n}}\n"
            ),
            lanes: format!(
                "  var x = subgroupMax(v);\n{store}{}  let e = exp(v - r);\n  workgroupBarrier();\n  x = subgroupAdd(e);\n{store}{}  \
                 o[i] = e / r2;\n}}\n",
                again("subgroupMax", "-3e38"),
                again("subgroupAdd", "0.0")
                    .replace("let w", "let w2")
                    .replace(", w,", ", w2,")
                    .replace("let r", "let r2"),
            ),
        },
    ]
}

fn executed(body: &str, target: Target) -> Result<(u64, Vec<f32>), String> {
    let text = format!("enable subgroups;\n{HEAD}{body}");
    let module = exec::lower(&text, "main", &[]).map_err(|p| p.to_string())?;
    let values: Vec<u32> = (0..N as u32).map(|i| ((i * 73 % 251) as f32 / 32.0).to_bits()).collect();
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &values).with_u32(0, 1, &[0; N]);
    let codegen = CodegenOptions::default();
    let report = exec::run(&module, "main", exec::on(target), &codegen, &mut d, &RunOptions::default())
        .map_err(|p| format!("{target}: {p}"))?;
    let out = d.words(0, 1).unwrap_or_default();
    Ok((report.instructions, out.into_iter().map(f32::from_bits).collect()))
}

/// The section of the page.
///
/// # Errors
/// A program does not run, or its two forms differ.
pub fn section(o: &mut String) -> Result<(), String> {
    o.push_str(
        "\n## Operations between lanes, beside workgroup memory\n\nInstructions that the machines execute (one for each subgroup that issues it) for one workgroup of \
         256 invocations at level 2: a sum and a soft-max of 256 floats, by a tree of barriers in workgroup memory, and by `subgroupAdd` and \
         `subgroupMax` with one word of workgroup memory for each subgroup.\n\n| target | program | workgroup memory | between lanes | ratio |\n\
         |---|---|--:|--:|--:|\n",
    );
    for target in Target::parse_list("gcn:gfx8,gcn:gfx6,valhall:v10,tesla:nva3")? {
        for p in pairs() {
            let (memory, one) = executed(&p.memory, target)?;
            let (lanes, two) = executed(&p.lanes, target)?;
            if one.iter().zip(&two).any(|(a, b)| (a - b).abs() > a.abs() * 1e-4) {
                return Err(format!("{} on {target}: its two forms differ", p.name));
            }
            let ratio = lanes as f64 / memory as f64;
            let _ = writeln!(o, "| {target} | {} | {memory} | {lanes} | {ratio:.2} |", p.name);
        }
    }
    Ok(())
}
