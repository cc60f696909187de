//! Random compute programs of GLSL as text and as SPIR-V, and as text by naga's parser: the run behind `randprog --stage cs-text`.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::glsl::Reader;
use gpucc::{CodegenOptions, Diagnostic};
use gpucc_glsl::{Source, compile};
use gpucc_ir::{Module, Refusal};
use gpucc_kit::exec::{On, Problem, problem, run};
use gpucc_kit::predict;
use gpucc_sim::{Dispatch, RunOptions};
use rayon::prelude::*;

use crate::drawrun::{Done, Job, Wrong};
use crate::randdraw::compute;

/// Runs programs: the text's results everywhere are those of its module on the oracle.
///
/// # Errors
/// There is no compiler of GLSL; a text that it does not take.
pub fn run_texts(job: &Job<'_>) -> Result<Done, String> {
    let sources: Vec<Source> = job.seeds.clone().map(|s| Source { stage: "comp", text: compute::text(s) }).collect();
    let made = compile("vulkan1.1", &sources).map_err(|e| e.to_string())?;
    let made = made.ok_or("there is neither `glslc` nor `glslangValidator`")?;
    let list: Vec<Done> = job
        .seeds
        .clone()
        .zip(made)
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(seed, module)| match module {
            Ok(module) => program(seed, &module, job),
            Err(e) => Done::of_one(Wrong { seed, at: (On::Interp, 0), why: format!("glslang: {e}") }),
        })
        .collect();
    let mut all = Done::default();
    list.into_iter().for_each(|d| all.add(d));
    Ok(all)
}

fn load(bytes: &[u8], lang: Lang, glsl: Reader) -> Result<Module, Problem> {
    let said = |list: Vec<Diagnostic>| problem(&list);
    let options = FrontOptions { glsl, ..FrontOptions::default() };
    frontend::load(bytes, lang, &options).map(|l| l.module).map_err(said)
}

/// What a program leaves at 0:1.
fn results(module: &Module, seed: u64, on: On, level: u8) -> Result<Option<Vec<u32>>, Problem> {
    let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &compute::inputs(seed)).with_u32(
        0,
        1,
        &vec![0; 4 * compute::INVOCATIONS],
    );
    let options = RunOptions { step_limit: 10_000_000, perturb: Some(seed), ..RunOptions::default() };
    let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
    run(module, "main", on, &codegen, &mut d, &options).map(|_| d.words(0, 1))
}

fn program(seed: u64, module: &[u8], job: &Job<'_>) -> Done {
    let mut done = Done::default();
    let wrong = |at: (On, u8), why: String| Wrong { seed, at, why };
    let first = (On::Interp, 0);
    let want = match load(module, Lang::Spirv, Reader::default()).and_then(|m| results(&m, seed, On::Interp, 0)) {
        Ok(want) => want,
        Err(e) => return Done::of_one(wrong(first, format!("SPIR-V: {e}"))),
    };
    let text = compute::text(seed);
    let by_naga = load(text.as_bytes(), Lang::GlslCompute, Reader::Naga);
    let form = match by_naga.and_then(|m| results(&m, seed, On::Interp, 0)) {
        Err(Problem::Refused(codes, _)) if codes == [Refusal::Parser] => "refused by naga",
        Ok(got) if got == want => "read by naga",
        Ok(_) => return Done::of_one(wrong(first, "naga's parser gives the text another meaning".into())),
        Err(e) => return Done::of_one(wrong(first, format!("text, by naga: {e}"))),
    };
    *done.forms.entry(form).or_default() += 1;
    let text = match load(text.as_bytes(), Lang::GlslCompute, Reader::default()) {
        Ok(text) => text,
        Err(e) => return Done::of_one(wrong(first, format!("text: {e}"))),
    };
    for &on in job.on {
        for &level in job.levels {
            match results(&text, seed, on, level) {
                Ok(got) if got == want => done.passed += 1,
                Ok(_) => done.wrong.push(wrong((on, level), "the text leaves other words than its module".into())),
                Err(Problem::Refused(codes, why)) => {
                    let predicted = predict::predicted(on, &format!("randprog text {seed}"), &codes, &why);
                    done.refused.add(on, &codes, predicted);
                    if !predicted {
                        done.wrong.push(wrong((on, level), why));
                    }
                }
                Err(e) => done.wrong.push(wrong((on, level), e.to_string())),
            }
        }
    }
    done
}
