//! `bitcast` between vectors of f16 and lanes of 32 bits, which naga does not have.
//!
//! ```text
//! bitcast<u32>(x)         =>   gpucc_cast_u32(bitcast<u32>(x))
//! bitcast<vec2<f16>>(x)   =>   gpucc_cast_vec2h(x)
//! ```
//!
//! The text is changed before naga reads it; [`Edits`] leads the places in it back to the source. What type `x` has is known when naga has
//! read it: [`choose`] gives each call the function of that type. Lowering writes the cast of the IR in place of such calls.

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{Expression, Function, Handle, Module, Scalar, ScalarKind, Span, Statement, TypeInner, VectorSize};
use rustc_hash::FxHashMap;

use crate::edits::Edits;
use crate::report;
use crate::right::tokens::Tokens;
use gpucc_ir::Diagnostic;

/// The functions that stand for casts.
const NAME: &str = "gpucc_cast_";

/// Whether a function stands for a cast.
pub fn is_cast(function: &Function) -> bool {
    function.name.as_ref().is_some_and(|n| n.starts_with(NAME))
}

/// A type that casts of halves have as their result: the name in functions, all spellings, what a cast without halves takes, and other types.
struct Row {
    key: &'static str,
    spellings: [&'static str; 2],
    takes: &'static str,
    others: &'static [(&'static str, &'static str)],
}

const fn word(key: &'static str) -> Row {
    Row { key, spellings: [key, ""], takes: key, others: &[("h", "vec2<f16>")] }
}

const fn words(key: &'static str, long: &'static str) -> Row {
    Row { key, spellings: [key, long], takes: long, others: &[("h", "vec4<f16>")] }
}

const ROWS: [Row; 8] = [
    word("u32"),
    word("i32"),
    word("f32"),
    words("vec2u", "vec2<u32>"),
    words("vec2i", "vec2<i32>"),
    words("vec2f", "vec2<f32>"),
    Row {
        key: "vec2h",
        spellings: ["vec2h", "vec2<f16>"],
        takes: "i32",
        others: &[("u", "u32"), ("f", "f32"), ("h", "vec2<f16>")],
    },
    Row {
        key: "vec4h",
        spellings: ["vec4h", "vec4<f16>"],
        takes: "vec2<i32>",
        others: &[("u", "vec2<u32>"), ("f", "vec2<f32>"), ("h", "vec4<f16>")],
    },
];

/// The text that naga reads, if it is not the source.
pub fn rewrite(source: &str) -> Option<(String, Edits)> {
    if !source.contains("bitcast") || !source.contains("f16") {
        return None;
    }
    let t = Tokens::new(source)?;
    let mut list: Vec<(usize, usize, String)> = Vec::new();
    let mut used: Vec<&Row> = Vec::new();
    let mut constant = false;
    for n in 0..t.list.len() {
        match t.text(n) {
            // Constant expressions have no calls: their values are worked out elsewhere.
            "const" | "const_assert" => constant = true,
            ";" | "{" | "}" => constant = false,
            "bitcast" if !constant && t.list[n].depth > 0 && t.text(n - 1) != "." => {
                let Some((row, open)) = head(&t, n) else { continue };
                let (at, close) = (t.list[n].at, t.list[open].pair);
                let is_half = row.key.ends_with('h');
                let inner = if is_half { String::new() } else { format!("bitcast<{}>(", row.takes) };
                list.push((at, t.list[open].end - at, format!("{NAME}{}({inner}", row.key)));
                if !is_half {
                    list.push((t.list[close].at, 1, "))".into()));
                }
                if !used.iter().any(|u| u.key == row.key) {
                    used.push(row);
                }
            }
            _ => {}
        }
    }
    if list.is_empty() {
        return None;
    }
    let mut functions = String::from("\n");
    for Row { key, takes, others, spellings } in used {
        let result = spellings.iter().rfind(|s| !s.is_empty()).unwrap_or(key);
        let mut calls = String::new();
        for (letter, ty) in *others {
            functions += &format!("fn {NAME}{key}_{letter}(x: {ty}) -> {result} {{ return {result}(); }}\n");
            // A function stands behind those that it calls.
            calls += &format!("_ = {NAME}{key}_{letter}({ty}()); ");
        }
        functions += &format!("fn {NAME}{key}(x: {takes}) -> {result} {{ {calls}return {result}(); }}\n");
    }
    list.push((source.len(), 0, functions));
    Some(Edits::apply(source, list))
}

/// The result of the cast there and its round bracket.
fn head(t: &Tokens, n: usize) -> Option<(&'static Row, usize)> {
    if t.text(n + 1) != "<" {
        return None;
    }
    // No spelling of these types is longer.
    let open = (n + 2..n + 9).find(|&k| t.text(k) == "(")?;
    if t.text(open - 1) != ">" {
        return None;
    }
    let mut ty: String = (n + 2..open - 1).map(|k| t.text(k)).collect();
    // A name for a type.
    for _ in 0..4 {
        let alias = (1..t.list.len()).find(|&k| t.text(k) == ty && t.text(k - 1) == "alias" && t.text(k + 1) == "=");
        let Some(alias) = alias else { break };
        ty = (alias + 2..t.list.len()).map(|k| t.text(k)).take_while(|w| *w != ";").collect();
    }
    let ty = ty.trim_end_matches(',').replace(",>", ">");
    let row = ROWS.iter().find(|r| r.spellings.contains(&ty.as_str()))?;
    Some((row, open))
}

/// Gives each call that stands for a cast the function of its argument's type.
///
/// # Errors
/// A value that has other bits than the type it is cast to.
pub fn choose(module: &mut Module) -> Result<(), Diagnostic> {
    let functions: FxHashMap<String, Handle<Function>> =
        module.functions.iter().filter(|(_, f)| is_cast(f)).filter_map(|(h, f)| Some((f.name.clone()?, h))).collect();
    if functions.is_empty() {
        return Ok(());
    }
    let handles: Vec<Handle<Function>> = module.functions.iter().map(|f| f.0).collect();
    for handle in handles {
        if is_cast(&module.functions[handle]) {
            continue;
        }
        let mut function = std::mem::take(&mut module.functions[handle]);
        let done = choose_in(module, &mut function, &functions);
        module.functions[handle] = function;
        done?;
    }
    for n in 0..module.entry_points.len() {
        let mut function = std::mem::take(&mut module.entry_points[n].function);
        let done = choose_in(module, &mut function, &functions);
        module.entry_points[n].function = function;
        done?;
    }
    Ok(())
}

fn choose_in(
    module: &Module,
    function: &mut Function,
    functions: &FxHashMap<String, Handle<Function>>,
) -> Result<(), Diagnostic> {
    let mut types = Typifier::new();
    let cx = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
    for (handle, _) in function.expressions.iter() {
        if types.grow(handle, &function.expressions, &cx).is_err() {
            // The validator says what is wrong with it.
            return Ok(());
        }
    }
    let mut body = std::mem::take(&mut function.body);
    let mut first: Option<Diagnostic> = None;
    each_call(&mut body, &mut |callee, arguments, result, span| {
        let Some(name) = &module.functions[*callee].name else { return };
        let (Some(key), [argument]) = (name.strip_prefix(NAME), &mut arguments[..]) else { return };
        let inner = |e: Handle<Expression>| types.get(e, &module.types);
        let cast = match function.expressions[*argument] {
            Expression::As { expr, convert: None, .. } if !key.ends_with('h') => Some(expr),
            _ => None,
        };
        let given = *argument;
        let from = cast.filter(|&e| is_half(inner(e))).unwrap_or(*argument);
        let of = |h: Handle<Function>| module.functions[h].arguments.first().map(|a| &module.types[a.ty].inner);
        let fits = |h: &Handle<Function>| of(*h).is_some_and(|ty| ty == inner(from));
        let others = ["h", "u", "f"].iter().filter_map(|l| functions.get(&format!("{name}_{l}"))).copied();
        match std::iter::once(*callee).chain(others).find(fits) {
            Some(chosen) => {
                (*callee, *argument) = (chosen, from);
                if let Some(result) = result {
                    function.expressions[*result] = Expression::CallResult(chosen);
                }
                // The cast that naga made of it has a type that nothing else has.
                if cast == Some(from) {
                    let same = Expression::As { expr: from, kind: ScalarKind::Float, convert: Some(2) };
                    function.expressions[given] = same;
                }
            }
            None => {
                let at = report::span(span);
                let what = format!("`bitcast` takes a value with as many bits as `{}` has", spelled(key));
                first.get_or_insert_with(|| Diagnostic::invalid("validation", what).at(at, "this cast"));
            }
        }
    });
    function.body = body;
    first.map_or(Ok(()), Err)
}

/// A type as the source may spell it.
fn spelled(key: &str) -> &str {
    let row = ROWS.iter().find(|r| r.key == key);
    row.and_then(|r| r.spellings.iter().rfind(|s| !s.is_empty())).unwrap_or(&key)
}

fn is_half(inner: &TypeInner) -> bool {
    let half = Scalar { kind: ScalarKind::Float, width: 2 };
    matches!(inner, TypeInner::Vector { size: VectorSize::Bi | VectorSize::Quad, scalar } if *scalar == half)
}

/// Callback for a call: the function, its arguments, its result, its place.
type Visit<'a> =
    dyn FnMut(&mut Handle<Function>, &mut Vec<Handle<Expression>>, &mut Option<Handle<Expression>>, Span) + 'a;

fn each_call(block: &mut naga::Block, visit: &mut Visit<'_>) {
    for (statement, span) in block.span_iter_mut() {
        match statement {
            Statement::Block(inner) => each_call(inner, visit),
            Statement::If { accept, reject, .. } => {
                each_call(accept, visit);
                each_call(reject, visit);
            }
            Statement::Switch { cases, .. } => cases.iter_mut().for_each(|c| each_call(&mut c.body, visit)),
            Statement::Loop { body, continuing, .. } => {
                each_call(body, visit);
                each_call(continuing, visit);
            }
            Statement::Call { function, arguments, result } => {
                visit(function, arguments, result, span.map_or(Span::UNDEFINED, |s| *s));
            }
            _ => {}
        }
    }
}
