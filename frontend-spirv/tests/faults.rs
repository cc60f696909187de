//! Faults that the reports found in the reading of SPIR-V, line by line, and the test of each: a row names the line, what the test sees, the
//! file and the function.
//!
//! P: wrong code in silence. X: wrong refusals. F: forms of Vulkan GLSL that did not compile. B and R: other reports of faults.

use std::path::PathBuf;

const OWN: &str = "frontend-spirv/tests";
const ALL: &str = "tests/tests";

/// The evidence of a test.
#[derive(Clone, Copy, PartialEq)]
enum Sees {
    /// A value that was worked out by hand, by the rules of the language, or by another program.
    Value,
    /// That nothing of the grammar is passed over: no line of a shader.
    Grammar,
    /// That it is refused by its code.
    Code,
}
use Sees::{Code, Grammar, Value};

/// The line, what is seen, the folder, the file and the function.
#[rustfmt::skip]
const LINES: &[(&str, Sees, &str, &str, &str)] = &[
    ("P1 switches that fall through, by phi", Value, OWN, "forms.rs", "cases_that_fall_through_keep_their_values"),
    ("P1 switches in loops, after spirv-opt", Value, OWN, "forms.rs", "switches_in_loops"),
    ("P1 random programs, against lavapipe", Value, OWN, "recorded.rs", "random_programs_give_what_lavapipe_gives"),
    ("P2 `Component`", Value, ALL, "random/recorded_fragments.rs", "fragments_give_what_lavapipe_drew"),
    ("P2 `Component`, of a fragment's outputs", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("P3 `Centroid` and `Sample` without `NoPerspective`", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("P4 `NoContraction`", Value, ALL, "random/recorded_fragments.rs", "fragments_give_what_lavapipe_drew"),
    ("P5 `FPRoundingMode RTZ`", Value, OWN, "obeyed.rs", "decorations_are_known_or_refused"),
    ("P each word is read, harmless or refused", Grammar, OWN, "tables.rs", "every_decoration_mode_and_class_has_a_verdict"),
    ("P each instruction is read, harmless or refused", Grammar, OWN, "tables.rs", "every_instruction_has_a_verdict"),
    ("P each bit of an operand is read, harmless or refused", Grammar, OWN, "tables.rs", "every_bit_of_operands_has_a_verdict"),
    ("X5 atomics of a component of a vector", Value, OWN, "forms.rs", "atomics_of_components"),
    ("X5 fetches of multisampled arrays", Value, ALL, "sources/kept_values.rs", "fetches_of_multisampled_arrays"),
    ("F sample masks as arrays", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F no position", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F structures, blocks, arrays and matrices between stages", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F integer outputs without `Flat`, `Flat` and `Sample`", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F layers, viewports, draw and vertex numbers", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F clip distances, of fragments too", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F cull distances", Code, OWN, "lines.rs", "forms_are_read_or_refused_by_their_code"),
    ("F arrays of textures, at an index of the pixel", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F copies of pointers to images, images by access chains", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F one image with and without comparison", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F bias, offsets and gradients", Value, OWN, "obeyed.rs", "offsets_and_layers"),
    ("F values without a definition, constants out of bounds", Value, OWN, "forms.rs", "scalars_and_dead_code"),
    ("F `FrexpStruct`, `ModfStruct`, exponents", Value, OWN, "obeyed.rs", "exponents_of_every_width"),
    ("F loops of all shapes", Value, OWN, "forms.rs", "returns_from_loops"),
    ("F layers of sizes", Value, ALL, "random/recorded_fragments.rs", "fragments_give_what_lavapipe_drew"),
    ("F texel buffers for storage", Value, OWN, "buffers.rs", "texel_buffers_are_buffers"),
    ("F texel buffers for sampling", Value, OWN, "buffers.rs", "sampled_texel_buffers_are_rows"),
    ("F atomics on images", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F input attachments, of several samples too", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F interpolation at a place, sample positions", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F interpolation at any sample", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F barycentrics", Code, OWN, "lines.rs", "forms_are_read_or_refused_by_their_code"),
    ("F `demote`, helpers that are asked for", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F numbers of levels", Value, ALL, "random/recorded_fragments.rs", "fragments_give_what_lavapipe_drew"),
    ("F level queries, comparisons at a level, offsets of gathers", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F storage images of cubes", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F storage images without a format", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F storage images of several samples", Code, OWN, "lines.rs", "forms_are_read_or_refused_by_their_code"),
    ("F arrays of buffers", Value, OWN, "arrays.rs", "buffers_at_any_index"),
    ("F pointers that are chosen, joined and compared", Value, OWN, "forms.rs", "one_of_three"),
    ("F pointers that are chosen, on all targets", Value, ALL, "sources/spirv.rs", "chosen_pointers_and_deep_switches"),
    ("F `OpQuantizeToF16`, casts of 64 bits, dot products", Value, ALL, "sources/real_spirv.rs", "casts_of_halves_and_scalar_normalize"),
    ("F modes of float controls, of depth, of stencils", Code, OWN, "tables.rs", "every_decoration_mode_and_class_has_a_verdict"),
    ("F view and device numbers", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("F codes of their own for what stays refused", Code, ALL, "house/spirv_support.rs", "forms_of_draws"),
    ("F texts of modules", Value, "cli/tests", "spirv.rs", "texts_of_modules_are_assembled"),
    ("B3 blocks of workgroup memory over one another", Value, OWN, "obeyed.rs", "aliases_lie_over_one_another"),
    ("B6 `refract`, `reflect`, `faceforward` of scalars", Value, OWN, "forms.rs", "scalars_and_dead_code"),
    ("B7 indices out of bounds in code that never runs", Value, OWN, "forms.rs", "scalars_and_dead_code"),
    ("B8 `SignedZeroInfNanPreserve`", Value, ALL, "sources/kept_values.rs", "zeros_infinities_and_nans_are_kept"),
    ("B9 minima and maxima of the other sign", Value, OWN, "obeyed.rs", "minima_and_maxima_of_the_other_sign"),
    ("B9 wide products", Value, OWN, "obeyed.rs", "wide_products_of_64_bits"),
    ("R5 structures, blocks, arrays and matrices between stages and of vertices", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("R5 vertex outputs without `Flat`", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("R5 vertex stages without a position", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("R5 textures of an array at an index of the pixel", Value, ALL, "draws/vulkan_forms.rs", "forms_have_their_values"),
    ("R5 functions with a path that returns nothing", Value, OWN, "obeyed.rs", "functions_without_a_return"),
    ("R6 capabilities that are newer than the tables", Value, OWN, "obeyed.rs", "capabilities_that_nobody_knows"),
    ("R7 divisions by a specialisation constant, of vectors too", Value, ALL, "sources/real_spirv.rs", "division_by_a_specialisation_constant"),
    ("R9 messages name the variable", Code, OWN, "lines.rs", "messages_name_the_variable_and_its_location"),
];

#[test]
fn each_line_of_the_reports_has_its_test() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    for &(line, _, folder, file, test) in LINES {
        let path = root.join(folder).join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{line}: {}: {e}", path.display()));
        assert!(text.contains(&format!("#[test]\nfn {test}()")), "{line}: {} has no test `{test}`", path.display());
    }
}

/// Whatever a line says of a shader has a value, or is refused by its code.
#[test]
fn wrong_code_has_values() {
    for report in ["P1", "P2", "P3", "P4", "P5", "X5", "B3", "B6", "B7", "B8", "B9", "R5", "R6", "R7"] {
        let of: Vec<_> = LINES.iter().filter(|l| l.0.starts_with(report)).collect();
        assert!(!of.is_empty() && of.iter().all(|l| l.1 == Value), "{report}");
    }
    assert!(LINES.iter().all(|l| l.1 != Grammar || l.0.starts_with("P each ")));
    // Each refusal is a form that none of the targets has.
    assert_eq!(LINES.iter().filter(|l| l.1 == Code).count(), 6);
}
