//! Passes say what they change: with the texts after all of them, a program that changed behind a pass that counted nothing is a bug of the
//! compiler, which builds with assertions tell.

use gpucc::Options;
use gpucc_ir::Class;

use crate::examples::{names, read};

/// Shaders of scenes have textures, samplers and pipelines around them, for which some passes add resources to the module.
#[test]
fn every_pass_counts_what_it_changes_in_the_scenes() {
    let mut compiled = 0;
    for name in names() {
        let ready = read(&name, true);
        for target in gpucc::Target::parse_list("all").expect("targets") {
            for e in &ready.shaders.entries {
                let mut options = Options::new(target);
                options.codegen.dump_after = vec!["all".into()];
                (options.codegen.context, options.codegen.bound) = (e.context.clone(), e.bound.clone());
                match gpucc::compile_entry(&e.module, &e.name, &options) {
                    Ok(made) => {
                        compiled += 1;
                        assert!(made.outputs()[0].dumps.len() > 10, "{name}: {} on {target}", e.name);
                    }
                    Err(d) => assert_eq!(d.class, Class::Unsupported, "{name}: {} on {target}: {}", e.name, d.message),
                }
            }
        }
    }
    assert!(compiled >= 30, "{compiled}");
}
