//! Options of a compilation that have no effect on what they are given with. One list for every command: a name that nobody asks for is a
//! mistake that shows late.

use gpucc::frontend::{Lang, Modules};
use gpucc::glsl;
use gpucc_ir::{Module, ResourceKind, Stage};

use crate::args::Front;

/// What a shader was read as.
#[derive(Clone, Copy)]
pub struct Kind<'a> {
    /// Language of the source.
    pub lang: Lang,
    /// Its modules, if it is one of WESL.
    pub modules: Option<&'a Modules>,
}

/// Whether a text has a name as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && !text[at + name.len()..].chars().next().is_some_and(is_part)
    })
}

/// Options that mean nothing to a shader of this kind, each in a sentence.
pub fn none_on(front: &Front, kind: Kind<'_>) -> Vec<String> {
    let mut list = Vec::new();
    let is_glsl = glsl::is_glsl(kind.lang);
    for (is_given, option) in
        [(front.glslang, "--glslang"), (!front.includes.is_empty(), "-I"), (!front.defines.is_empty(), "-D")]
    {
        if is_given && !is_glsl {
            list.push(format!("{option} is for GLSL"));
        }
    }
    if front.frontend.is_some() && !is_glsl && kind.lang != Lang::Spirv {
        list.push("--frontend is for SPIR-V and GLSL".into());
    }
    if !front.formats.is_empty() && !is_glsl && kind.lang != Lang::Spirv {
        list.push("--image-format is for SPIR-V".into());
    }
    if !front.overrides.is_empty() && kind.lang == Lang::Gir {
        list.push("--override is for shaders: the IR has no overrides".into());
    }
    for name in &front.features {
        let asks = |m: &Modules| m.files().iter().any(|f| has_word(&f.text, name));
        if !kind.modules.is_some_and(asks) {
            list.push(format!("--feature {name} is for modules of WESL that ask for it by `@if`"));
        }
    }
    list
}

/// Options that mean nothing to a module, each in a sentence.
pub fn none_in(front: &Front, module: &Module) -> Vec<String> {
    let mut list = Vec::new();
    if front.subgroup_size.is_some() && module.entries.iter().all(|e| e.stage.kind() != Stage::Compute) {
        list.push("--subgroup-size is for compute entry points".into());
    }
    for f in &front.formats {
        let place = f.split_once('=').and_then(|(place, _)| place.split_once(':'));
        let place = place.and_then(|(g, b)| Some((g.trim().parse().ok()?, b.trim().parse().ok()?)));
        let is_image = |k: &ResourceKind| matches!(k, ResourceKind::StorageTexture { .. });
        if !module.resources.iter().any(|(_, r)| Some((r.group, r.binding)) == place && is_image(&r.kind)) {
            list.push(format!("--image-format {f}: there is no storage image"));
        }
    }
    list
}

/// The first option that has no effect on any of several; none where there are none.
pub fn everywhere(lists: &[Vec<String>]) -> Option<String> {
    let first = lists.first()?;
    first.iter().find(|text| lists.iter().all(|l| l.contains(text))).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        assert!(has_word("@if(BIG) x", "BIG") && has_word("BIG", "BIG") && has_word("BIGGER BIG", "BIG"));
        assert!(!has_word("@if(BIGGER) x", "BIG") && !has_word("A_BIG", "BIG"));
    }
}
