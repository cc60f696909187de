//! Source text or binary to a validated naga module, behind the guards.

use crate::guard::{glsl, limits, scan, spirv, wgsl};
use crate::{
    Edits, Input, Lang, Parsed, Stage, aliasing, arguments, behaviour, halves, misread, report, rules, run_time,
    shadow, subgroups,
};
use gpucc_ir::{Diagnostic, Refusal, Span};
use naga::valid::{Capabilities, ModuleInfo, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};

type Refusals = Vec<Diagnostic>;

/// Parses and validates; see [`crate::parse`].
pub fn parse(input: &Input<'_>, lang: Lang) -> Result<Parsed, Refusals> {
    match lang {
        Lang::Spirv => {
            let (bytes, stack) = spirv::check(input.bytes).map_err(|refused| vec![spirv_refused(refused)])?;
            guarded(stack, "read", || {
                let options = naga::front::spv::Options {
                    adjust_coordinate_space: false,
                    strict_capabilities: false,
                    block_ctx_dump_prefix: None,
                };
                let module = naga::front::spv::parse_u8_slice(&bytes, &options).map_err(|e| vec![report::spirv(&e)])?;
                validated(module, lang, "", stack)
            })
        }
        Lang::Wgsl | Lang::Glsl(_) => {
            let source = text(input)?;
            let shape = match lang {
                Lang::Wgsl => wgsl::check(source),
                // The preprocessor recurses too.
                _ => guarded(limits::STACK_BYTES, "preprocess", || Ok(glsl::check(source)))?,
            };
            let shape = shape.map_err(|found| vec![report::exceeded(&found)])?;
            guarded(shape.stack(), "parse", || {
                let module = match lang {
                    Lang::Glsl(stage) => {
                        misread::check(source).map_err(|d| vec![d])?;
                        let options = naga::front::glsl::Options::from(naga_stage(stage));
                        naga::front::glsl::Frontend::default()
                            .parse(&options, source)
                            .map_err(|errors| report::glsl(&errors))?
                    }
                    _ => naga::front::wgsl::parse_str(source)
                        .map_err(|error| vec![wgsl_refused(&error, &shape, source)])?,
                };
                validated(module, lang, source, shape.stack())
            })
        }
    }
}

/// The heads `fn name` (in GLSL `void name`) of the entry points; naga keeps no place of theirs.
fn heads(module: &naga::Module, lang: Lang, source: &str) -> Vec<(String, Span)> {
    let keyword = if lang == Lang::Wgsl { "fn" } else { "void" };
    let part = |c: char| c == '_' || c.is_alphanumeric();
    // Every place that looks like one, with the name and its end.
    let found: Vec<(usize, &str, usize)> = source
        .match_indices(keyword)
        .filter(|(at, _)| !source[..*at].ends_with(part))
        .filter_map(|(at, _)| {
            let rest = source[at + keyword.len()..].strip_prefix(char::is_whitespace)?.trim_start();
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            let first = source.len() - rest.len();
            (end > 0).then(|| (at, &rest[..end], first + end))
        })
        .collect();
    let span = |e: &naga::EntryPoint| {
        let body = e.function.body.span_iter().find_map(|(_, s)| s.to_range()).map_or(usize::MAX, |r| r.start);
        let head = found.iter().rev().find(|h| h.1 == e.name && h.0 < body);
        head.map_or(Span::UNKNOWN, |h| Span::new(h.0 as u32, h.2 as u32))
    };
    // Beyond a few entry points the search would cost more than the places are worth.
    module.entry_points.iter().take(256).map(|e| (e.name.clone(), span(e))).collect()
}

/// Runs naga on a stack of so many bytes; a panic in it is its way of refusing input.
fn guarded<T: Send>(
    stack: usize,
    step: &str,
    work: impl FnOnce() -> Result<T, Refusals> + Send,
) -> Result<T, Refusals> {
    report::guarded(stack, work, |panic| report::panicked(step, &panic.text))
}

fn text<'a>(input: &Input<'a>) -> Result<&'a str, Refusals> {
    if input.bytes.len() as u64 > limits::SOURCE_BYTES.max {
        return Err(vec![report::limit(&limits::SOURCE_BYTES)]);
    }
    let source = std::str::from_utf8(input.bytes).map_err(|error| {
        let at = error.valid_up_to() as u32;
        vec![
            Diagnostic::invalid("utf8", format!("the source is not UTF-8: byte {at} does not belong to a character"))
                .at(Span::new(at, at + 1), "first wrong byte"),
        ]
    })?;
    if source.trim().is_empty() {
        return Err(vec![Diagnostic::invalid("empty", "the source is empty")]);
    }
    Ok(source)
}

fn spirv_refused(refused: spirv::Refused) -> Diagnostic {
    match refused {
        spirv::Refused::Malformed(why) => Diagnostic::invalid("parse", format!("this is not a SPIR-V module: {why}")),
        spirv::Refused::Limit(limit, word) => report::limit(&limit).note(format!("at word {word}")),
    }
}

/// naga's own recursion limit comes without a place: the deepest bracket is one.
fn wgsl_refused(error: &naga::front::wgsl::ParseError, shape: &scan::Shape, source: &str) -> Diagnostic {
    if error.message().contains("internal WGSL front end error") && error.labels().len() == 0 {
        let at = Span::new(shape.deepest.start as u32, shape.deepest.end as u32);
        return Diagnostic::invalid("limit-nesting", "expressions or types are nested too deeply for the parser")
            .at(at, "deepest place")
            .note(error.notes().collect::<Vec<_>>().join("; "));
    }
    let found = report::wgsl(error);
    // The end of a text has no characters to point at: the last one stands for it.
    let end = source.trim_end().char_indices().next_back();
    match end.filter(|_| error.labels().len() > 0 && found.labels.iter().all(|l| !l.span.is_known())) {
        Some((at, last)) => {
            let message = found.message.replace("found \"\"", "found the end of the text");
            let at = Span::new(at as u32, (at + last.len_utf8()) as u32);
            Diagnostic { message, labels: Vec::new(), ..found }.at(at, "behind this the text ends")
        }
        None => found,
    }
}

fn naga_stage(stage: Stage) -> naga::ShaderStage {
    match stage {
        Stage::Compute => naga::ShaderStage::Compute,
        Stage::Vertex => naga::ShaderStage::Vertex,
        Stage::Fragment => naga::ShaderStage::Fragment,
    }
}

fn validated(mut module: naga::Module, lang: Lang, source: &str, stack: usize) -> Result<Parsed, Refusals> {
    check_shape(&module)?;
    if lang == Lang::Wgsl {
        behaviour::returns(&mut module);
        halves::choose(&mut module).map_err(|d| vec![d])?;
        subgroups::unsigned(&mut module);
    }
    let (info, types) = match validate(&module, lang) {
        Ok(info) => (info, None),
        // The second list is of what is left when what is right at run time is hidden.
        Err(list) => {
            let mut shadow = module.clone();
            let all = lang != Lang::Wgsl;
            // First, since what lies out of bounds has no type.
            let indices = run_time::clamp(&mut shadow, all, source);
            let stray = run_time::hide(&mut shadow, all);
            let pointers = arguments::hide(&mut shadow);
            // Uniform buffers may have the layout of storage buffers, and immediate data halves.
            let first = validator(lang).validate(&shadow).err();
            // Of bits of integers there is nothing that halves could do.
            let lanes = first.as_ref().is_some_and(|e| report::is_lanes(e.as_inner())) && lang == Lang::Wgsl;
            let widens = shadow::is_narrow(&shadow) || lanes;
            let other = widens || first.is_some_and(|e| report::is_layout(e.as_inner()));
            if other {
                shadow = shadow::of(&shadow, widens).map_err(|d| vec![d])?;
            }
            if !indices && !stray && !pointers && !other {
                return Err(list);
            }
            let info = validate(&shadow, lang)?;
            run_time::clamp(&mut module, all, source);
            (info, Some(shadow::Types::new(&module).map_err(|d| vec![d])?))
        }
    };
    if lang == Lang::Wgsl {
        aliasing::check(&module, source)?;
        rules::of_module(&module, source)?;
    }
    let heads = heads(&module, lang, source);
    Ok(Parsed { module, info, types, lang, heads, edits: Edits::default(), regions: Vec::new(), stack, source: None })
}

/// Most errors that are looked for.
const MOST_ERRORS: usize = 16;

/// naga's validator with the rules of a language.
fn validator(lang: Lang) -> Validator {
    let mut flags = ValidationFlags::all();
    if lang == Lang::Spirv {
        // SPIR-V asks that control is uniform at a barrier when it gets there, not that it can be shown to be.
        flags.remove(ValidationFlags::CONTROL_FLOW_UNIFORMITY);
        // Two variables may be two views of one buffer: lowering makes one resource of them.
        flags.remove(ValidationFlags::BINDINGS);
    }
    let mut validator = Validator::new(flags, Capabilities::all());
    validator.subgroup_stages(ShaderStages::all());
    validator.subgroup_operations(SubgroupOperationSet::all());
    validator
}

fn validate(module: &naga::Module, lang: Lang) -> Result<ModuleInfo, Refusals> {
    let mut validator = validator(lang);
    let first = match validator.validate(module) {
        Ok(info) => return Ok(info),
        Err(error) => error,
    };
    if lang == Lang::Spirv {
        // WGSL's rules are more than SPIR-V's.
        let found = report::validation(&first);
        let mut refused = Diagnostic::unsupported(Refusal::Parser, format!("naga does not take it: {}", found.message));
        (refused.labels, refused.notes) = (found.labels, found.notes);
        return Err(vec![refused]);
    }
    // naga stops at the first error. Entry points know nothing of each other: without the wrong one the next is seen.
    let mut list = vec![report::validation(&first)];
    let mut rest: Option<naga::Module> = None;
    let mut last = first.into_inner();
    while list.len() < MOST_ERRORS
        && let naga::valid::ValidationError::EntryPoint { stage, name, .. } = &last
    {
        let rest = rest.get_or_insert_with(|| module.clone());
        rest.entry_points.retain(|e| (e.stage, &e.name) != (*stage, name));
        let Err(error) = validator.validate(rest) else { break };
        list.push(report::validation(&error));
        last = error.into_inner();
    }
    Err(list)
}

/// Depths that the token scan could not see: types through aliases, and everything of a SPIR-V module.
fn check_shape(module: &naga::Module) -> Result<(), Refusals> {
    let mut depths: Vec<u64> = Vec::with_capacity(module.types.len());
    for (handle, ty) in module.types.iter() {
        let below = match ty.inner {
            naga::TypeInner::Array { base, .. }
            | naga::TypeInner::BindingArray { base, .. }
            | naga::TypeInner::Pointer { base, .. } => depths[base.index()],
            naga::TypeInner::Struct { ref members, .. } => {
                members.iter().map(|m| depths[m.ty.index()]).max().unwrap_or(0)
            }
            _ => 0,
        };
        depths.push(below + 1);
        if below + 1 > limits::TYPE_DEPTH.max {
            let at = report::span(module.types.get_span(handle));
            return Err(vec![report::limit(&limits::TYPE_DEPTH).at(at, "this type")]);
        }
    }
    let functions = module.functions.iter().map(|(_, f)| f).chain(module.entry_points.iter().map(|e| &e.function));
    for function in functions {
        if block_depth(&function.body) > limits::BLOCKS.max {
            return Err(vec![report::limit(&limits::BLOCKS)]);
        }
    }
    Ok(())
}

/// How deep the statements of a block nest.
fn block_depth(block: &naga::Block) -> u64 {
    use naga::Statement as S;
    let inner = block.iter().map(|statement| match statement {
        S::Block(b) => block_depth(b),
        S::If { accept, reject, .. } => block_depth(accept).max(block_depth(reject)),
        S::Switch { cases, .. } => cases.iter().map(|c| block_depth(&c.body)).max().unwrap_or(0),
        S::Loop { body, continuing, .. } => block_depth(body).max(block_depth(continuing)),
        _ => 0,
    });
    1 + inner.max().unwrap_or(0)
}
