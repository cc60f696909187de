//! `gpucc explain`: numbers, pages, and what is said of shaders and targets that do not work.

use serde_json::Value;

use crate::common::{DOUBLE, SHARED_ATOMICS, Scratch, expect, text};

/// A loop of known rounds inside one of unknown rounds, on lines of their own.
const LOOPS: &str = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
    var sum = 0.0; // a < b && \"c\" 'd' </td>
    for (var k = 0u; k < u32(o[0]); k++) {
        for (var j = 0u; j < 100u; j++) {
            sum = sum * o[g.x + j] + 1.0;
        }
    }
    o[g.x] = sum;
}
";

/// The report of `stats --per-line` for one target.
fn stats(shader: &str, target: &str) -> Value {
    let said = expect(&["stats", shader, "--target", target, "--per-line", "--format", "json"], 0, "");
    let report: Value = serde_json::from_str(&said).expect("a report");
    report["rows"][0].clone()
}

/// The numbers of the lines of a column of the text, by line and name.
fn lines_of(said: &str, target: &str) -> Vec<(String, Vec<(String, u64)>)> {
    let part = said.split("\n== ").find(|p| p.lines().next().is_some_and(|l| l.contains(&format!("on {target}"))));
    let part = part.unwrap_or_else(|| panic!("nothing of {target}: {said}"));
    let mut lines = part.lines().skip_while(|l| !l.trim_start().starts_with("line  runs"));
    let names: Vec<&str> = lines.next().expect("a head").split_whitespace().collect();
    let row = |l: &str| {
        let (numbers, _) = l.split_once("  | ")?;
        let cells = numbers.split_whitespace().map(|n| n.parse::<u64>().ok());
        let cells: Vec<(String, u64)> =
            names.iter().zip(cells).filter_map(|(n, c)| Some((n.to_string(), c?))).collect();
        Some((cells[0].1.to_string(), cells))
    };
    lines.filter_map(row).collect()
}

/// Every number of a line is that of `stats --per-line`, and every line that has some is there.
#[test]
fn numbers_are_those_of_stats() {
    let s = Scratch::new("explain-numbers");
    let shader = s.write("a.wgsl", LOOPS);
    let said = expect(&["explain", &shader, "--target", "gcn,tesla,valhall,vivante"], 0, "gpucc explain");
    for target in ["gcn:gfx8", "tesla:nva3", "valhall", "vivante"] {
        let row = stats(&shader, target);
        let target = row["target"].as_str().expect("a target");
        let lines = lines_of(&said, target);
        let mut compared = 0;
        for (line, cells) in &lines {
            for (name, n) in cells.iter().filter(|c| c.0 != "line" && c.0 != "runs") {
                let there = if name == "bytes" { &row["lines"][line] } else { &row["line_costs"][line][name] };
                assert_eq!(*n, there.as_u64().unwrap_or(0), "{target} line {line} {name}");
                compared += usize::from(*n > 0);
            }
        }
        let there: std::collections::BTreeSet<&String> =
            ["lines", "line_costs"].iter().filter_map(|k| row[*k].as_object()).flat_map(|o| o.keys()).collect();
        assert_eq!(lines.iter().map(|l| &l.0).collect::<std::collections::BTreeSet<_>>(), there, "{target}");
        assert!(compared > 5, "{said}");
        // Totals are those of the report.
        let n = row["stats"]["instructions"].to_string();
        let totals = said.lines().find(|l| l.trim_start().starts_with("instructions ")).expect("totals");
        assert!(totals.split_whitespace().any(|c| c == n), "{totals}: {n}");
    }
}

/// Weights of lines follow the loops: 8 rounds where no constant says how many, and 8 times 100 inside.
#[test]
fn loops_have_their_rounds() {
    let s = Scratch::new("explain-loops");
    let shader = s.write("a.wgsl", LOOPS);
    for target in ["gcn:gfx8", "tesla:nva3"] {
        let said = expect(&["explain", &shader, "--target", target], 0, "line 4: 8 rounds assumed");
        assert!(said.contains("line 5: 100 rounds, as constants say, 800 in all"), "{said}");
        let lines = lines_of(&said, target);
        let runs = |line: &str| {
            let cells = &lines.iter().find(|l| l.0 == line).unwrap_or_else(|| panic!("no line {line}: {said}")).1;
            cells.iter().find(|c| c.0 == "runs").map(|c| c.1)
        };
        assert_eq!((runs("6"), runs("9")), (Some(800), Some(1)), "{said}");
    }
}

/// The cycles of a line stand by loop, so that a reader can change the rounds: together they are those of the line, and code in the inner
/// loop runs 8 times 100 times.
#[test]
fn cycles_stand_by_loop() {
    let s = Scratch::new("explain-by-loop");
    let shader = s.write("a.wgsl", LOOPS);
    for target in ["gcn:gfx8", "tesla:nva3", "valhall:v10"] {
        let said = expect(&["explain", &shader, "--target", target, "--json"], 0, "");
        let page: Value = serde_json::from_str(&said).expect("a page");
        let column = &page["columns"][0];
        let rounds = column["rounds"].as_array().expect("loops");
        assert_eq!(rounds.len(), 2, "{target}: {rounds:?}");
        assert_eq!((&rounds[0]["rounds"], &rounds[0]["around"]), (&Value::Null, &0.into()), "{target}");
        assert_eq!((&rounds[1]["rounds"], &rounds[1]["around"]), (&100.into(), &1.into()), "{target}");
        for (line, own) in column["lines"].as_object().expect("lines") {
            let parts = own["parts"].as_array().expect("parts");
            for (name, n) in own.as_object().expect("numbers").iter().filter(|o| o.0.starts_with("cycles_")) {
                let sum: u64 = parts.iter().filter_map(|p| p[name].as_u64()).sum();
                assert_eq!(n.as_u64(), Some(sum), "{target} line {line} {name}");
            }
            for p in parts {
                let runs = [1, 8, 800][p["loop"].as_u64().expect("a loop") as usize];
                assert_eq!(p["runs"], runs, "{target} line {line}: {parts:?}");
                let cycles = p.as_object().expect("numbers").iter().filter(|o| o.0.starts_with("cycles_"));
                let whole = |n: &Value| n.as_u64().is_some_and(|n| n % runs == 0);
                assert!(cycles.map(|c| c.1).all(whole), "{target} line {line}: {parts:?}");
            }
        }
        assert!(column["lines"]["6"]["parts"].as_array().is_some_and(|p| p.iter().any(|p| p["loop"] == 2)), "{target}");
    }
}

/// Two versions: totals of both as `stats` has them, and lines that belong together though others came before them.
#[test]
fn two_versions_stand_side_by_side() {
    let s = Scratch::new("explain-versions");
    let old = s.write("old.wgsl", LOOPS);
    let changed =
        LOOPS.replace("* o[g.x + j] + 1.0", "* o[g.x + j] + sqrt(sum)").replace("        for (", "      for (");
    let new = s.write("new.wgsl", format!("// One line more.\n\n{changed}"));
    let args = ["explain", &new, "--target", "gcn,valhall", "--against", &old];
    let said = expect(&[&args[..], &["--json"]].concat(), 0, "");
    let page: Value = serde_json::from_str(&said).expect("a page");
    assert_eq!(page["against"]["name"], old.as_str());
    assert!(page["command"].as_str().is_some_and(|c| c.ends_with(&format!("--against {old}"))), "{}", page["command"]);
    let pairs = page["compared"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 2);
    for p in pairs {
        let target = p["target"].as_str().expect("a target");
        let (a, b) = (stats(&old, target), stats(&new, target));
        for (name, both) in p["totals"].as_object().expect("totals") {
            let of = |row: &Value| row["stats"][name].clone();
            assert_eq!((&both[0], &both[1]), (&of(&a), &of(&b)), "{target} {name}");
        }
        assert!(p["totals"]["instructions"][0].as_u64() < p["totals"]["instructions"][1].as_u64(), "{target}");
        let lines: Vec<(u64, u64)> = p["lines"]
            .as_array()
            .expect("lines")
            .iter()
            .filter_map(|l| Some((l[0].as_u64()?, l[1].as_u64()?)))
            .collect();
        // Indentation alone is no change.
        assert!((1..=10).all(|l| lines.contains(&(l, l + 2))), "{lines:?}");
    }
    let said = expect(&args, 0, "== main (compute) on gcn:gfx8, against");
    let part = said.split("against").last().expect("a part");
    let marked = |mark: &str| part.lines().filter(|l| l.contains(mark)).count();
    assert_eq!((marked("- "), marked("+  ")), (marked("sum * o[g.x + j] + 1.0"), 1), "{part}");
    let out = s.path("o.html");
    expect(&[&args[..], &["--html", &out]].concat(), 0, "");
    let page = String::from_utf8(s.read("o.html")).expect("a text");
    well_formed(&page);
    assert_eq!(page.matches("role=\"tabpanel\"").count(), 4);
    // A version alone, one that is wrong, and one on standard input twice.
    let other = s.write("other.wgsl", "@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }\n");
    expect(&["explain", &new, "--target", "gcn", "--against", &other], 0, "nothing in the other version fits");
    let wrong = s.write("wrong.wgsl", "fn main( {\n");
    expect(&["explain", &new, "--target", "gcn", "--against", &wrong], 1, "wrong.wgsl:1");
    expect(&["explain", "-", "--target", "gcn", "--against", "-"], 2, "standard input");
    expect(&["explain", &new, "--target", "gcn", "--against", &s.path("none.wgsl")], 2, "none.wgsl");
}

/// The sentence that helps is the family's own arithmetic: with 256 registers of a lane in pieces of four, 28 leave room for 9 waves and
/// 24 for 10.
#[test]
fn occupancy_says_what_would_help() {
    let s = Scratch::new("explain-waves");
    let mut shader = String::from(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {\n",
    );
    for k in 0..24 {
        shader += &format!("    let v{k} = o[g.x + {k}u];\n");
    }
    shader += "    workgroupBarrier();\n    storageBarrier();\n    var sum = 0u;\n";
    for k in 0..24 {
        shader += &format!("    sum = (sum * 31u) ^ v{k};\n");
    }
    shader += "    o[g.x] = sum;\n}\n";
    let shader = s.write("a.wgsl", shader);
    let said = expect(&["explain", &shader, "--target", "gcn:gfx8"], 0, "limited by vgprs");
    let row = stats(&shader, "gcn:gfx8");
    let (vgprs, waves) =
        (row["stats"]["vgprs"].as_u64().expect("a number"), row["stats"]["waves"].as_u64().expect("a number"));
    // The most registers that leave room for so many waves, from the table of the hardware's manual.
    let most = [(10, 24), (9, 28), (8, 32), (7, 36), (6, 40), (5, 48), (4, 64), (3, 84), (2, 128), (1, 256)];
    let room = most.iter().find(|m| m.0 == waves + 1).expect("a row").1;
    assert!(said.contains(&format!("{waves} waves at once")), "{said}");
    let help = match vgprs - room {
        1 => format!("1 vector register fewer gives {} waves", waves + 1),
        n => format!("{n} vector registers fewer give {} waves", waves + 1),
    };
    assert!(said.contains(&help), "{help}: {said}");
    // Where nothing limits, nothing is advised.
    let small = s.write("b.wgsl", DOUBLE);
    let said = expect(&["explain", &small, "--target", "gcn:gfx8"], 0, "10 waves at once: nothing limits them");
    assert!(!said.contains("fewer"), "{said}");
}

/// Instructions stand under their lines, in all as many as the statistics count, with their marks.
#[test]
fn instructions_stand_under_their_lines() {
    let s = Scratch::new("explain-code");
    let shader = s.write("a.wgsl", LOOPS);
    for (target, mark) in [("gcn:gfx8", "s_waitcnt"), ("tesla:nva3", ""), ("valhall", ".wait"), ("vivante", "")] {
        let said = expect(&["explain", &shader, "--target", target], 0, "");
        let is_address = |l: &&str| {
            l.starts_with("        ") && l.trim_start().get(..6).is_some_and(|a| u32::from_str_radix(a, 16).is_ok())
        };
        let code: Vec<&str> = said.lines().filter(is_address).collect();
        assert_eq!(Some(code.len() as u64), stats(&shader, target)["stats"]["instructions"].as_u64(), "{said}");
        assert!(code.iter().any(|l| l.ends_with(" memory") || l.contains(" memory")), "{said}");
        assert!(code.iter().any(|l| l.trim_end().ends_with("flow")), "{said}");
        assert!(mark.is_empty() || code.iter().any(|l| l.contains(mark) && l.contains("  wait")), "{said}");
    }
}

/// The texts of a page between tags, after it was seen that tags fit together and attributes are quoted.
fn well_formed(page: &str) -> String {
    let (mut open, mut rest, mut said): (Vec<&str>, &str, String) = (Vec::new(), page, String::new());
    while let Some(at) = rest.find('<') {
        let text = &rest[..at];
        // A style and a script are no text.
        if !matches!(open.last(), Some(&"style" | &"script")) {
            assert!(!text.contains('>') && !text.contains('"'), "{text}");
            for entity in text.split('&').skip(1) {
                assert!(["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|e| entity.starts_with(e)), "&{entity}");
            }
            said += text;
        }
        let raw = matches!(open.last(), Some(&"style" | &"script"));
        rest = &rest[at + 1..];
        if raw && !rest.starts_with("/style>") && !rest.starts_with("/script>") {
            continue;
        }
        let end = rest.find('>').expect("a tag ends");
        let (tag, tail) = (&rest[..end], &rest[end + 1..]);
        rest = tail;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag} after {said}");
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert_eq!(attributes.matches('"').count() % 2, 0, "{tag}");
        assert!(!attributes.contains('<') && !attributes.contains('\''), "{tag}");
        if !["!doctype", "meta", "input", "wbr"].contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    said
}

/// A page is well formed, loads nothing, links source and code by line in both directions, and has the numbers of the statistics.
#[test]
fn a_page_is_whole_in_itself() {
    let s = Scratch::new("explain-page");
    let shader = s.write("a<b>&'c'.wgsl", LOOPS);
    let out = s.path("o.html");
    expect(&["explain", &shader, "--target", "gcn,tesla,valhall,vivante", "--html", &out], 0, "");
    let page = String::from_utf8(s.read("o.html")).expect("a text");
    let said = well_formed(&page);
    for foreign in ["http", "src=\"", "@import", "url(", "<link"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for part in ["name=\"viewport\"", "prefers-color-scheme", "role=\"tab\"", "class=\"bar\"", "gpucc explain"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(said.contains("// a &lt; b &amp;&amp; &quot;c&quot; &#39;d&#39; &lt;/td&gt;"), "{said}");
    assert_eq!(page.matches("role=\"tabpanel\"").count(), 4);
    for section in page.split("<section").skip(1).filter_map(|part| part.split("</section>").next()) {
        let (source, code) = section
            .split_once("<div class=\"panes\">")
            .and_then(|p| p.1.split_once("<div class=\"pane code ir\" aria-label=\"IR\">"))
            .expect("panes");
        let (ir, code) = code.split_once("<div class=\"pane code machine\">").expect("machine code");
        let of = |part: &str| {
            let lines = part.split("data-line=\"").skip(1).filter_map(|p| p.split('"').next().map(String::from));
            lines.collect::<std::collections::BTreeSet<_>>()
        };
        // Each line of the code is one of the source's, and it can be reached by keys.
        assert!(of(code).is_subset(&of(source)) && of(code).len() > 3, "{section}");
        assert!(of(ir).is_superset(&["4", "5", "6", "9"].map(String::from).into()), "{ir}");
        assert!(code.contains("tabindex=\"0\"") && source.contains("tabindex=\"0\""));
        // All lines of the source are there.
        assert_eq!(
            source.matches("<td class=\"source\"").count(),
            LOOPS.lines().count() + usize::from(of(source).contains("0"))
        );
    }
    let bytes = stats(&shader, "gcn")["stats"]["bytes"].to_string();
    assert!(page.contains(&format!("<td class=\"name\">bytes</td><td>{bytes}</td>")), "{bytes}");
    // The script is one that a browser reads.
    let script = page.split("<script>").nth(1).and_then(|s| s.split("</script>").next()).expect("a script");
    let file = s.write("p.js", script);
    match std::process::Command::new("node").args(["--check", &file]).output() {
        Ok(o) => assert!(o.status.success(), "{}", text(&o)),
        Err(_) => eprintln!("skipped: node is not installed"),
    }
}

/// A shader that does not compile gives the messages, on the page in their places.
#[test]
fn a_wrong_shader_gives_its_messages() {
    let s = Scratch::new("explain-wrong");
    let shader = s.write("a.wgsl", "@compute @workgroup_size(1)\nfn main() {\n    let x: u32 = 1.5; // <here>\n}\n");
    let out = s.path("o.html");
    expect(&["explain", &shader, "--target", "gcn"], 1, "a.wgsl:3");
    expect(&["explain", &shader, "--target", "gcn", "--html", &out], 1, "a.wgsl:3");
    let page = String::from_utf8(s.read("o.html")).expect("a text");
    let said = well_formed(&page);
    let (before, behind) = said.split_once("// &lt;here&gt;").expect("the line");
    assert!(!before.contains("error [") && behind.contains("error ["), "{said}");
    // Nothing is written where the command line is wrong.
    expect(&["explain", &shader, "--html", &s.path("p.html")], 2, "target");
    expect(&["explain", &shader, "--target", "gcn", "--html", &shader], 2, "a.wgsl");
    expect(&["explain", &s.path("none.wgsl"), "--target", "gcn"], 2, "none.wgsl");
    assert!(!s.has("p.html"));
}

/// A target that refuses is a column that says why; the others have theirs.
#[test]
fn a_target_that_refuses_says_why() {
    let s = Scratch::new("explain-refused");
    let shader = s.write("a.wgsl", SHARED_ATOMICS);
    let targets = "gcn:gfx8,tesla:nv50";
    let said = expect(&["explain", &shader, "--target", targets], 3, "refused [atomics]");
    assert!(said.contains("== main (compute) on gcn:gfx8\n") && said.contains("waves at once"), "{said}");
    expect(&["explain", &shader, "--target", targets, "--html", &s.path("o.html")], 3, "tesla:nv50");
    let page = String::from_utf8(s.read("o.html")).expect("a text");
    let said = well_formed(&page);
    assert!(said.contains("refused [atomics]") && said.contains("waves at once"), "{said}");
}

/// A shader of more than 20,000 lines.
pub fn long() -> String {
    let mut shader = String::from("@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n");
    for f in 0..1_300 {
        shader += &format!("fn part{f}(x: f32) -> f32 {{\n");
        for k in 0..13 {
            shader += &format!("    // line {k}\n");
        }
        shader += "    return x * 2.0;\n}\n";
    }
    shader += "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {\n    var x = o[g.x];\n";
    for f in 0..1_200 {
        shader += &format!("    x = part{f}(x + {f}.5);\n");
    }
    shader += "    o[g.x] = x;\n}\n";
    shader
}

/// The page of a shader of 20,000 lines grows as its lines do, however many passes changed them.
#[test]
fn long_shaders_have_pages() {
    let s = Scratch::new("explain-long");
    let shader = long();
    assert!(shader.lines().count() > 20_000);
    let shader = s.write("a.wgsl", shader);
    expect(&["explain", &shader, "--target", "gcn,valhall", "--html", &s.path("o.html")], 0, "");
    let page = s.read("o.html");
    assert!(page.len() < 22_100 * 600, "{} bytes", page.len());
    well_formed(&String::from_utf8(page).expect("a text"));
}
