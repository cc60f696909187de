//! Questions that people ask about shaders in public, of RGA, malioc and Compiler Explorer. Each is answered by the data of `gpucc explain`,
//! and expected values come from the source, the statistics or the family's tables.

use serde_json::Value;

use crate::common::{Scratch, expect, workspace};

/// The explanation of a shader on a target.
fn explained(s: &Scratch, text: &str, target: &str) -> Value {
    let shader = s.write("a.wgsl", text);
    let said = expect(&["explain", &shader, "--target", target, "--json"], 0, "");
    let page: Value = serde_json::from_str(&said).expect("a page");
    page["columns"][0].clone()
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

fn number(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("no number: {of}"))
}

/// Remarks at a line.
fn remarks(column: &Value, line: u64, kind: &str) -> Vec<String> {
    let here = list(column, "remarks").iter().filter(|r| r["line"] == line && r["kind"] == kind);
    here.map(|r| format!("{}: {}", r["pass"].as_str().unwrap_or(""), r["message"].as_str().unwrap_or(""))).collect()
}

/// A shader with so many values that live at once: line 3 + k loads value k.
fn crowded(n: usize) -> String {
    let mut out = String::from(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {\n",
    );
    (0..n).for_each(|k| out += &format!("    let v{k} = o[g.x + {k}u];\n"));
    out += "    workgroupBarrier();\n    storageBarrier();\n    var sum = 0u;\n";
    (0..n).for_each(|k| out += &format!("    sum = (sum * 31u) ^ v{k};\n"));
    out + "    o[g.x] = sum;\n}\n"
}

/// Loops, branches and accesses on lines of their own.
const FLOW: &str = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32, 16>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
    var sum = 0.0;
    for (var k = 0u; k < 4u; k++) {
        sum = sum + t[k];
    }
    for (var k = 0u; k < u32(o[0]); k++) {
        sum = sum * o[g.x + k] + 1.0;
    }
    if sum > 4.0 { sum = 3.0; }
    if sum < 1.0 { o[g.x] = 3.0; }
    sum += t[g.x & 15u];
    o[g.x] = sum;
}
";

/// Of RGA: which number of waves, what keeps it there, and how much less of what gives one more. 256 registers of a lane are given in
/// pieces of four.
#[test]
fn why_is_occupancy_5_and_what_would_help() {
    let s = Scratch::new("question-occupancy");
    let c = explained(&s, &crowded(42), "gcn:gfx8");
    let (vgprs, waves) = (number(&c["stats"]["vgprs"]), number(&c["stats"]["waves"]));
    assert_eq!(waves, 256 / vgprs.next_multiple_of(4), "{vgprs}");
    assert_eq!(c["limiter"], "vgprs");
    assert_eq!(c["occupancy"][0], format!("{waves} waves at once, limited by vgprs"));
    let room = 256 / (waves + 1) / 4 * 4;
    let wanted = match vgprs - room {
        1 => format!("1 vector register fewer gives {} waves", waves + 1),
        n => format!("{n} vector registers fewer give {} waves", waves + 1),
    };
    assert!(list(&c, "occupancy").iter().any(|o| *o == wanted), "{wanted}: {}", c["occupancy"]);
}

/// Of RGA: which line has the most live registers; it is behind the last load and before the first is used up.
#[test]
fn which_line_needs_the_most_registers() {
    let s = Scratch::new("question-live");
    let n = 30;
    let c = explained(&s, &crowded(n), "gcn:gfx8");
    let lines = c["lines"].as_object().expect("lines");
    let live = |l: &Value| l["live_v"].as_u64().unwrap_or(0);
    let most = lines.values().map(live).max().expect("a line");
    let vgprs = number(&c["stats"]["vgprs"]);
    assert!(most <= vgprs && 2 * most > vgprs, "{most} of {vgprs}");
    // It lies between the loads and the last sum.
    let end = 2 * n as u64 + 6;
    let at = lines.iter().filter(|l| live(l.1) == most).filter_map(|l| l.0.parse::<u64>().ok());
    assert!(at.clone().count() > 0 && at.clone().all(|l| (3..=end).contains(&l)), "{:?}", at.collect::<Vec<_>>());
}

/// Of malioc: which line spills. As many values as the statistics count, at lines that make or use values.
#[test]
fn which_line_spills() {
    let s = Scratch::new("question-spills");
    for target in ["valhall:v10", "tesla:nva3"] {
        let c = explained(&s, &crowded(140), target);
        for name in ["spills", "reloads"] {
            let lines = c["spilled"][name].as_object().expect("lines");
            let sum: u64 = lines.values().map(number).sum();
            assert_eq!(sum, number(&c["stats"][name]), "{target} {name}: {lines:?}");
            assert!(sum > 20 && lines.keys().all(|l| (3..=286).contains(&l.parse().unwrap_or(0))), "{lines:?}");
        }
        let (line, _) = c["spilled"]["spills"].as_object().and_then(|l| l.iter().next()).expect("a line");
        let said = remarks(&c, line.parse().expect("a number"), "missed");
        assert!(said.iter().any(|r| r.contains(" because registers ran out: ")), "{said:?}");
        // Each has its reason: what the registers hold instead, which is nearly all there are. A value that is stored was made, and
        // what is loaded is read.
        let reasons = list(&c, "spills");
        assert_eq!(reasons.len() as u64, number(&c["stats"]["spills"]) + number(&c["stats"]["reloads"]), "{target}");
        for r in reasons {
            let (held, all) = (number(&r["held"]), number(&r["registers"]));
            assert!(all == number(&c["stats"]["registers"]) && held <= all && held + 4 >= all, "{target}: {r}");
            assert_eq!(list(r, "live").len() as u64, held, "{target}: {r}");
            assert_eq!(list(r, "of").len(), 1, "{target}: {r}");
            assert!(list(r, "live").iter().all(|l| (2..=286).contains(&number(&l["line"]))), "{target}: {r}");
        }
    }
}

/// Of RGA: what a wait waits for, and who needs it.
#[test]
fn what_does_this_wait_for() {
    let s = Scratch::new("question-waits");
    for (target, wait, load) in [("gcn:gfx8", "s_waitcnt", "buffer_load"), ("valhall:v10", ".wait", "LOAD")] {
        let c = explained(&s, FLOW, target);
        let code = list(&c, "instructions");
        let at = |a: &Value| code.iter().position(|i| i["address"] == *a).unwrap_or_else(|| panic!("nothing at {a}"));
        let text = |k: usize| code[k]["text"].as_str().unwrap_or_default();
        let mut seen = 0;
        for (k, i) in code.iter().enumerate() {
            for w in list(i, "waits_for") {
                let (from, to) = (at(&w["result_of"]), at(&w["needed_by"]));
                assert!(text(k).contains(wait) && from <= k && k < to, "{target}: {} {w}", text(k));
                seen += usize::from(text(from).contains(load));
                // Whoever needs it names a register that it gives.
                let result = list(&code[from], "result")[0].as_str().unwrap_or_default().to_string();
                let digits = result.trim_start_matches(|c: char| c.is_ascii_alphabetic());
                assert!(text(to).contains(digits), "{target}: {result} in {}", text(to));
            }
        }
        assert!(seen >= 3, "{target}: {code:?}");
    }
}

/// A result is a register, not the type that some listings have in front of it.
#[test]
fn results_are_registers() {
    let s = Scratch::new("question-results");
    let c = explained(&s, FLOW, "tesla:nva3");
    let loads: Vec<&Value> = list(&c, "instructions").iter().filter(|i| !list(i, "result").is_empty()).collect();
    assert!(loads.len() >= 3, "{loads:?}");
    for i in loads {
        let result = list(i, "result")[0].as_str().unwrap_or_default();
        assert!(
            result.starts_with('r') && i["text"].as_str().is_some_and(|t| t.contains(&format!("${result}"))),
            "{i}"
        );
    }
}

/// Of RGA and Compiler Explorer: is this load scalar? Where all invocations read one place the result is in scalar registers.
#[test]
fn is_this_load_scalar() {
    let s = Scratch::new("question-scalar");
    let c = explained(&s, FLOW, "gcn:gfx8");
    let file = |line: u64| {
        let here = list(&c, "instructions").iter().filter(|i| i["line"] == line);
        let results = here.filter_map(|i| list(i, "result").first()?.as_str()?.chars().next());
        results.collect::<Vec<char>>()
    };
    assert_eq!((file(6), file(9), file(13)), (vec!['s'], vec!['v'], vec!['v']));
}

/// Of Compiler Explorer's remarks: why was my loop not unrolled?
#[test]
fn why_was_my_loop_not_unrolled() {
    let s = Scratch::new("question-unroll");
    for target in ["gcn:gfx8", "tesla:nva3", "valhall:v10", "vivante:gc3000"] {
        let c = explained(&s, FLOW, target);
        assert_eq!(remarks(&c, 5, "done"), ["unroll: unrolled: each of 4 rounds is a copy of the body"], "{target}");
        let kept = remarks(&c, 8, "missed");
        assert!(kept.contains(&"unroll: not unrolled: no constant says how many rounds it has".into()), "{kept:?}");
    }
    let c = explained(&s, &FLOW.replace("k < 4u", "k < 400u"), "gcn:gfx8");
    let kept = remarks(&c, 5, "missed");
    assert!(kept.iter().any(|r| r.starts_with("unroll: not unrolled: it has 400 rounds, more than 64")), "{kept:?}");
}

/// Of malioc: did this branch become a select, and if not, why?
#[test]
fn did_the_branch_become_a_select() {
    let s = Scratch::new("question-select");
    for target in ["gcn:gfx8", "valhall:v10"] {
        let c = explained(&s, FLOW, target);
        assert_eq!(
            remarks(&c, 11, "done"),
            ["if-convert: the branch became selects: both ways are computed"],
            "{target}"
        );
        let kept = remarks(&c, 12, "missed");
        assert!(kept.contains(&"if-convert: the branch stays: one way stores to memory".into()), "{kept:?}");
        // A level that makes none says so.
        let shader = s.write("b.wgsl", FLOW);
        let said = expect(&["explain", &shader, "--target", target, "-O", "1"], 0, "remarks:");
        assert!(
            said.contains("line 11: missed by if-convert: the branch stays: this level does not make selects"),
            "{said}"
        );
    }
}

/// Of WebGPU's users: is there a bounds check on this access, and who removed it? A mask of 15 stays inside of 16 elements.
#[test]
fn is_this_access_checked() {
    let s = Scratch::new("question-checks");
    let c = explained(&s, FLOW, "valhall:v10");
    let guards = |line: u64, operation: &str| {
        let here = list(&c, "accesses").iter().filter(|a| a["line"] == line && a["operation"] == operation);
        here.map(|a| (a["place"].clone(), a["guard"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(guards(13, "load"), [("t".into(), "removed".into())], "{}", c["accesses"]);
    assert_eq!(guards(9, "load"), [("o".into(), "check".into())], "{}", c["accesses"]);
    assert_eq!(guards(14, "store"), [("o".into(), "check".into())], "{}", c["accesses"]);
    // Hardware of another family looks at buffers itself.
    let c = explained(&s, FLOW, "gcn:gfx8");
    let store = list(&c, "accesses").iter().find(|a| a["line"] == 14).expect("a store");
    assert_eq!(store["guard"], "machine");
}

/// Accesses of which each has its check removed by another rule, or kept.
const CHECKED: &str = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32, 16>;
var<workgroup> w: array<f32, 256>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_index) l: u32) {
    w[l] = 1.0;
    workgroupBarrier();
    var s = t[g.x & 15u];
    s += t[g.x % 7u];
    s += t[g.x >> 28u];
    s += t[min(g.x, 9u)];
    s += t[select(3u, 5u, g.x > 9u)];
    for (var k = 0u; k < 4u; k++) { s += t[k]; }
    for (var k = 0u; k < 200u; k++) { s = s * w[k] + 1.0; }
    s += t[g.x];
    let b = o[g.y];
    workgroupBarrier();
    o[g.y] = b * s;
    s += t[(g.z & 3u) * 4u + 1u];
    w[g.x] = s;
    o[3] = w[0];
}
";

/// The same with its rule: what is known of the index, by hand from the source.
#[test]
fn by_which_rule_was_this_check_removed() {
    let s = Scratch::new("question-rules");
    for target in ["valhall:v10", "tesla:nva3", "vivante:gc3000"] {
        let c = explained(&s, CHECKED, target);
        let of = |line: u64, operation: &str| {
            let here = list(&c, "accesses").iter().filter(|a| a["line"] == line && a["operation"] == operation);
            let word = |v: &Value| v.as_str().map(String::from);
            here.map(|a| {
                (word(&a["guard"]).unwrap_or_default(), word(&a["rules"][0]).unwrap_or_default(), a["limit"].as_u64())
            })
            .collect::<Vec<_>>()
        };
        let removed = |rule: &str, limit: u64| vec![("removed".to_string(), rule.to_string(), Some(limit))];
        for (line, operation, rule, limit) in [
            (5, "store", "launch", 255),
            (7, "load", "mask", 15),
            (8, "load", "remainder", 15),
            (9, "load", "shift", 15),
            (10, "load", "minimum", 15),
            (11, "load", "choice", 15),
            (12, "load", "constant", 15),
            (13, "load", "counter", 255),
            (18, "load", "mask", 15),
        ] {
            assert_eq!(of(line, operation), removed(rule, limit), "{target} line {line}: {}", c["accesses"]);
        }
        // Nothing is known of an id of the launch; what its limit is for is said too.
        let kept = |limit: Option<u64>| vec![("check".to_string(), String::new(), limit)];
        assert_eq!(of(14, "load"), kept(Some(15)), "{target}: {}", c["accesses"]);
        assert_eq!(of(19, "store"), kept(Some(255)), "{target}: {}", c["accesses"]);
        assert_eq!(of(15, "load"), kept(None), "{target}: {}", c["accesses"]);
        // The store behind it has the same index into the same buffer.
        assert_eq!(of(17, "store"), [("removed".into(), "same".into(), None)], "{target}: {}", c["accesses"]);
        let said = remarks(&c, 17, "done");
        assert!(said.iter().any(|r| r.contains("the same check of line 15 stands before it")), "{said:?}");
    }
}

/// Of malioc: what is it bound by? The unit with the most cycles of all lines.
#[test]
fn what_is_it_bound_by() {
    let s = Scratch::new("question-bound");
    for target in ["gcn:gfx8", "valhall:v10"] {
        let c = explained(&s, FLOW, target);
        let mut sums = std::collections::BTreeMap::<String, u64>::new();
        for (name, n) in c["lines"].as_object().expect("lines").values().filter_map(Value::as_object).flatten() {
            if let Some(unit) = name.strip_prefix("cycles_") {
                *sums.entry(unit.into()).or_default() += number(n);
            }
        }
        let (unit, n) = sums.iter().max_by_key(|s| s.1).expect("a unit");
        let said = c["bound"].as_str().unwrap_or_default();
        assert!(said.starts_with(&format!("bound by {unit}; ")) && said.contains(&format!(": {unit} {n}")), "{said}");
    }
}

/// Of Compiler Explorer: which pass did this? The first that leaves no branch for the loop of four rounds is the one that unrolls.
#[test]
fn which_pass_did_this() {
    let s = Scratch::new("question-passes");
    let c = explained(&s, FLOW, "tesla:nva3");
    let changes = list(&c, "changes");
    let of = |pass: &str| changes.iter().filter(|d| d["pass"] == pass).collect::<Vec<_>>();
    let lines: Vec<&str> = of("unroll").iter().flat_map(|d| list(d, "lines")).filter_map(Value::as_str).collect();
    let (less, more) = (
        lines.iter().filter(|l| l.starts_with('-') && l.contains(" loop merge ")).count(),
        lines.iter().filter(|l| l.starts_with('+') && l.contains(" loop merge ")).count(),
    );
    assert_eq!(less, more + 1, "{lines:?}");
    for form in ["IR", "machine code"] {
        assert!(changes.iter().any(|d| d["form"] == form), "{form}");
    }
    assert!(!of("allocate").is_empty() || changes.iter().all(|d| d["added"].is_u64()), "{changes:?}");
}

/// Of RenderDoc's and RGA's users: where does this register come from, who reads it, and how long does it live?
#[test]
fn where_does_this_register_come_from() {
    let s = Scratch::new("question-registers");
    for target in ["gcn:gfx8", "tesla:nva3", "valhall:v10", "vivante:gc3000"] {
        let c = explained(&s, FLOW, target);
        let values = list(&c, "values");
        assert!(values.len() > 10, "{target}: {values:?}");
        for v in values {
            let reads: Vec<u64> = list(v, "reads").iter().map(|r| number(&r["at"])).collect();
            assert_eq!(number(&v["last"]), reads.iter().copied().chain([number(&v["at"])]).max().unwrap_or(0), "{v}");
        }
        // What line 9 loads is read in line 9 alone, where it is multiplied.
        let loads = values
            .iter()
            .filter(|v| v["line"] == 9 && v["made_by"].as_str().is_some_and(|m| m.contains("Ld") || m.contains("oad")));
        let loads: Vec<&Value> = loads.collect();
        assert!(
            !loads.is_empty() && loads.iter().all(|v| list(v, "reads").iter().all(|r| r["line"] == 9)),
            "{target}: {loads:?}"
        );
        // The counter of that loop is made before it and in it, and its test reads both.
        let counters = values.iter().filter(|v| v["line"] == 8 && list(v, "reads").iter().any(|r| r["line"] == 9));
        assert!(counters.count() > 0, "{target}: {values:?}");
    }
}

/// Of malioc: what is the longest path? Eight multiplications of which each needs the one before are a chain, eight that need nothing of
/// each other are none.
#[test]
fn what_is_the_longest_chain() {
    let s = Scratch::new("question-chain");
    let of = |body: &str, target: &str| {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {{\n    let a = o[g.x];\n    let b = o[g.x + 1u];\n{body}}}\n"
        );
        let c = explained(&s, &text, target);
        let values = list(&c, "values");
        let chain: Vec<&Value> = list(&c, "chain").iter().map(|k| &values[number(k) as usize]).collect();
        // Each reads the one before.
        for pair in chain.windows(2) {
            assert!(list(pair[0], "reads").iter().any(|r| r["at"] == pair[1]["at"]), "{target}: {pair:?}");
        }
        chain.len()
    };
    for target in ["gcn:gfx8", "tesla:nva3", "valhall:v10", "vivante:gc3000"] {
        let long = of(&format!("    var x = a;\n{}    o[g.x] = x;\n", "    x = x * b + a;\n".repeat(8)), target);
        let short: String = (0..8).map(|k| format!("    o[g.x + {k}u] = a * {k}.5 + b;\n")).collect();
        let short = of(&short, target);
        assert!(long >= 9 && long >= short + 4, "{target}: {long} {short}");
    }
}

/// Of malioc's and RGA's users: why is there a move? Two values that change places in a loop cannot both stay where they are, and
/// a vector that is stored has its components beside each other.
#[test]
fn why_is_there_a_copy() {
    let s = Scratch::new("question-copies");
    let text = "@group(0) @binding(0) var<storage, read_write> o: array<vec4f>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
    var a = o[g.x];
    var b = o[g.x + 1];
    for (var k = 0u; k < u32(o[0].x); k++) {
        let t = a;
        a = b * 2.0;
        b = t;
    }
    o[g.x] = vec4f(a.x, b.y, 1.0, a.z);
}
";
    for target in ["gcn:gfx8", "tesla:nva3", "valhall:v10", "vivante:gc3000"] {
        let c = explained(&s, text, target);
        let values = list(&c, "values");
        let copies: Vec<&Value> = values.iter().filter(|v| v["copy"].is_object()).collect();
        let reasons: Vec<&str> = copies.iter().filter_map(|v| v["copy"]["reason"].as_str()).collect();
        // Every move that is left has a reason.
        let moves = values.iter().filter(|v| v["made_by"].as_str().is_some_and(|m| m.contains("Mov")));
        assert_eq!(moves.count(), copies.len(), "{target}");
        assert!(reasons.contains(&"carried") && reasons.contains(&"constant"), "{target}: {reasons:?}");
        for v in &copies {
            let line = number(&v["copy"]["line"]);
            assert!((3..=10).contains(&line), "{target}: {v}");
            let is_read = !list(v, "reads").is_empty();
            assert_eq!(is_read, v["copy"]["reason"] != "machine", "{target}: {v}");
        }
        // The swap of the loop is carried to its next round.
        let said = remarks(&c, 5, "missed");
        assert!(said.iter().any(|r| r.contains("code behind a branch has it in this register")), "{target}: {said:?}");
    }
}

/// Remarks are messages for programs: JSON, one a line, and SARIF.
#[test]
fn remarks_are_messages_for_programs() {
    let s = Scratch::new("question-messages");
    let shader = s.write("a.wgsl", FLOW);
    let run = |form: &str| {
        let o = crate::common::gpucc().args(["explain", &shader, "--target", "gcn", "--message-format", form]).output();
        String::from_utf8(o.expect("the command starts").stderr).expect("a text")
    };
    let json = run("json");
    let notes: Vec<Value> = json.lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
    let unroll = notes.iter().find(|n| n["code"] == "unroll" && n["line"] == 8).expect("a remark");
    assert_eq!(
        (&unroll["severity"], &unroll["notes"][0], &unroll["target"]),
        (&"note".into(), &"missed".into(), &"gcn:gfx8".into())
    );
    let sarif: Value = serde_json::from_str(&run("sarif")).expect("a document");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), notes.len());
    let one = results.iter().find(|r| r["ruleId"] == "if-convert").expect("a result");
    assert_eq!(one["level"], "note");
    assert!(one["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64(), "{one}");
    assert!(run("human").is_empty());
}

/// Of RenderDoc's users: how often does this line run? The loop has the rounds that the buffer says, and all instructions together are those
/// that `run --stats` counts.
#[test]
fn how_often_does_this_line_run() {
    let s = Scratch::new("question-executed");
    let shader = s.write(
        "a.wgsl",
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < o[64]; k++) {
        o[i] = o[i] * 3u + k;
    }
}
",
    );
    for target in ["gcn:gfx8", "tesla:nva3", "valhall:v10", "vivante:gc3000"] {
        for rounds in [0, 5] {
            let buffer = format!("0:0=zero:256+u32:{rounds}");
            let input = ["explain", &shader, "--target", target, "--buf", &buffer, "--grid", "1", "--json"];
            let page: Value = serde_json::from_str(&expect(&input, 0, "")).expect("a page");
            let c = &page["columns"][0];
            assert_eq!(c["counts"], "executed");
            assert!(page["command"].as_str().is_some_and(|c| c.ends_with(&format!(" --grid 1 --buf {buffer}"))));
            let code = list(c, "instructions");
            let memory = |i: &&Value| i["line"] == 4 && list(i, "marks").contains(&"memory".into());
            let stores: Vec<&Value> = code.iter().filter(memory).filter(|i| list(i, "result").is_empty()).collect();
            assert_eq!(stores.len(), 1, "{target}: {stores:?}");
            assert_eq!(number(&stores[0]["lanes"]), 64 * rounds, "{target}: {stores:?}");
            // All instructions of all lines are those of the run.
            let said = expect(&["run", &shader, "--target", target, "--buf", &buffer, "--stats"], 0, "");
            let said = said.strip_prefix(&format!("{target}: ")).unwrap_or(&said).to_string();
            let n = |name: &str| {
                let (before, _) = said.split_once(name).expect("counts");
                before.rsplit(' ').find_map(|w| w.parse::<u64>().ok()).expect("a number")
            };
            let sum = |of: &str| code.iter().map(|i| i[of].as_u64().unwrap_or(0)).sum::<u64>();
            assert_eq!(sum("executed"), n(" instruction"), "{target}: {said}");
            assert_eq!(sum("lanes"), n(" lane instruction"), "{target}: {said}");
            let by_line = c["lines"].as_object().expect("lines").values().filter_map(|l| l["executed"].as_u64());
            assert_eq!(by_line.sum::<u64>(), sum("executed"), "{target}");
        }
    }
    expect(&["explain", &shader, "--target", "gcn", "--buf", "0:0=zero:256+u32:5"], 0, "executed counts of a run: ");
    expect(&["explain", &shader, "--target", "gcn"], 0, "counts are estimates: nothing ran");
    expect(&["explain", &shader, "--target", "gcn", "--executed"], 2, "no buffer is bound at 0:0");
    let drawn = s.write("b.wgsl", "@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }\n");
    expect(&["explain", &drawn, "--target", "gcn", "--grid", "1"], 2, "fragment entry");
}

/// The same of a scene's frame: its vertex and fragment programs, and its dispatches.
#[test]
fn how_often_does_this_line_run_in_a_frame() {
    // No two pipelines of this one share an entry point. Few stars and a small picture count as well as many do.
    let folder = Scratch::new("question-frames");
    let text = std::fs::read_to_string(workspace().join("examples/scenes/particles.toml")).expect("the scene");
    let mut small = text;
    for (many, few) in [("[640, 360]", "[64, 36]"), ("instanceCount = 9000", "instanceCount = 90"), ("[141]", "[2]")] {
        assert!(small.contains(many), "{many}");
        small = small.replace(many, few);
    }
    for scene in [folder.write("a.toml", small).as_str()] {
        let said = expect(&["explain", scene, "--target", "gcn,tesla,valhall", "--executed", "--json"], 0, "");
        let page: Value = serde_json::from_str(&said).expect("a page");
        for target in ["gcn:gfx8", "tesla:nva3", "valhall:v10"] {
            let s = Scratch::new("question-frame");
            let said = expect(&["render", scene, "--target", target, "--stats", "-o", &s.path("a.png")], 0, "");
            let line = said.lines().find(|l| l.contains(" lane instruction")).expect("counts");
            let n = line.split(": ").last().and_then(|l| l.split(' ').next()?.parse::<u64>().ok());
            let columns = list(&page, "columns").iter().filter(|c| c["target"] == target);
            // A vertex entry of Valhall is two programs, of which each has its own counts: as many lanes come to the first instruction
            // of both.
            for c in columns.clone().filter(|c| c["stage"] == "vertex" && target == "valhall:v10") {
                let first = |p: &str| {
                    let mut own = list(c, "instructions").iter().filter(|i| i["program"] == p && i["address"].is_u64());
                    own.next().map(|i| number(&i["lanes"]))
                };
                assert!(first("position") > Some(0) && first("position") == first("varying"), "{}", c["title"]);
            }
            let code = columns.flat_map(|c| list(c, "instructions"));
            assert_eq!(Some(code.filter_map(|i| i["executed"].as_u64()).sum()), n, "{scene} {target}: {line}");
        }
    }
}
