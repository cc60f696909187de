//! Programs of every form of WGSL, small ones of which each has one: none is called wrong.

mod calls;
mod programs;
mod textures;

use gpucc_frontend_naga::{Input, Lang, Options, lower, parse};
use gpucc_ir::{Class, Diagnostic};

/// A program with a name.
pub struct Program {
    pub name: String,
    pub text: String,
}

/// The message for a program that does not compile.
fn failure(text: &str) -> Option<Diagnostic> {
    let done = parse(Input::text(text), Lang::Wgsl).and_then(|p| lower(&p, &Options::default()));
    match done {
        Ok(module) => {
            let findings = gpucc_ir::verify::verify_module(&module).err()?;
            Some(Diagnostic::internal("verify", findings[0].to_string()))
        }
        Err(mut list) => Some(list.remove(0)),
    }
}

/// Entry points of the three stages around a function `f`.
fn in_all_stages(head: &str, body: &str) -> String {
    format!(
        "{head}
fn f() {{ {body} }}
@vertex fn vs() -> @builtin(position) vec4<f32> {{ f(); return vec4<f32>(); }}
@fragment fn fs() {{ f(); }}
@compute @workgroup_size(1) fn cs() {{ f(); }}
"
    )
}

fn calls() -> Vec<Program> {
    let mut list = Vec::new();
    for call in calls::all() {
        let head = if call.has_halves() { "enable f16;" } else { "" };
        let names: Vec<String> = (0..call.arguments.len()).map(|n| format!("a{n}")).collect();
        let of = |word: &str| {
            call.arguments.iter().enumerate().map(|(n, a)| format!("{word} a{n} = {a}; ")).collect::<String>()
        };
        let name = |form: &str| format!("{form} {}", call.with(&call.arguments));
        let mut add = |form: &str, text: String| list.push(Program { name: name(form), text });
        add("literal", in_all_stages(head, &format!("var r = {};", call.with(&call.arguments))));
        add("const", in_all_stages(head, &format!("{}const c = {}; var r = c;", of("const"), call.with(&names))));
        add("let", in_all_stages(head, &format!("{}let c = {}; var r = c;", of("let"), call.with(&names))));
        add("var", in_all_stages(head, &format!("{}var r = {};", of("var"), call.with(&names))));
        let module = format!("{head} {}const c = {};", of("const"), call.with(&names));
        add("module", in_all_stages(&module, "var r = c;"));
    }
    list
}

/// Programs with a message each, in groups of the same message.
fn report(list: &[Program]) {
    let mut groups: std::collections::BTreeMap<String, Vec<&Program>> = std::collections::BTreeMap::new();
    let mut refused = 0;
    for p in list {
        let Some(d) = failure(&p.text) else { continue };
        // A module of declarations is one.
        if d.code == "no-entry-point" || d.code == "empty" {
            continue;
        }
        if d.class == Class::Unsupported {
            refused += 1;
        }
        let key = format!("{:?} {}: {}", d.class, d.code, d.message);
        groups.entry(key).or_default().push(p);
    }
    let most = std::env::var("GPUCC_FORMS_MOST").ok().and_then(|n| n.parse().ok()).unwrap_or(3usize);
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|g| std::cmp::Reverse(g.1.len()));
    for (key, list) in &groups {
        println!("{} x {key}", list.len());
        list.iter().take(most).for_each(|p| println!("    {}", p.name));
    }
    let failed: usize = groups.iter().map(|g| g.1.len()).sum();
    println!("{} programs, {failed} fail, {refused} of them refused", list.len());
    assert!(failed == refused, "some are called wrong");
}

#[test]
fn calls_of_functions() {
    report(&calls());
}

#[test]
fn textures() {
    report(&textures::all());
}

#[test]
fn statements_and_declarations() {
    report(&programs::all());
}

/// The value of a call is the same at compile time and at run time.
#[test]
fn constants_have_the_values_of_run_time() {
    let mut wrong = Vec::new();
    for call in calls::all() {
        let head = if call.has_halves() { "enable f16;" } else { "" };
        let part = |word: &str, letter: &str| {
            let all = call.arguments.iter().enumerate();
            all.map(|(n, a)| format!("{word} {letter}{n} = {a}; ")).collect::<String>()
        };
        let names = |letter: &str| (0..call.arguments.len()).map(|n| format!("{letter}{n}")).collect::<Vec<_>>();
        let more = if head.is_empty() { 1000 } else { 100 };
        let same = match call.floats {
            true => format!("all(abs(c - r) * {more} <= abs(c) + abs(r))"),
            false => "all(c == r)".to_string(),
        };
        let text = format!(
            "{head} @group(0) @binding(0) var<storage, read_write> o: array<u32, 1>;
            @compute @workgroup_size(1) fn main() {{
                {} const c = {}; {} let r = {}; o[0] = select(2u, 1u, {same});
            }}",
            part("const", "a"),
            call.with(&names("a")),
            part("var", "b"),
            call.with(&names("b")),
        );
        let mut dispatch = gpucc_sim::Dispatch::new([1, 1, 1]).with_u32(0, 0, &[0]);
        crate::common::run(&text, &mut dispatch);
        if dispatch.words(0, 0).expect("bound above") != [1] {
            wrong.push(call.with(&call.arguments));
        }
    }
    assert!(wrong.is_empty(), "{} differ: {wrong:#?}", wrong.len());
}

/// The programs of a file, with a line `----` between two.
#[test]
fn of_a_file() {
    let Ok(path) = std::env::var("GPUCC_FORMS_FILE") else { return };
    let text = std::fs::read_to_string(path).expect("the file is there");
    let program = |t: &str| Program { name: t.to_string(), text: t.to_string() };
    report(&text.split("----\n").map(program).collect::<Vec<_>>());
}
