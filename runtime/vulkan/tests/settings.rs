//! The variables of the environment.

use gpucc_vulkan::settings::{Level, Settings, chips};

fn of(list: &[(&str, &str)]) -> Settings {
    Settings::read(|name| list.iter().find(|v| v.0 == name).map(|v| v.1.to_string()))
}

fn names(s: &Settings) -> Vec<String> {
    s.chips.iter().map(ToString::to_string).collect()
}

#[test]
fn devices_are_those_named_in_their_order() {
    assert_eq!(names(&of(&[])), ["gcn:gfx8", "valhall:v10", "tesla:nva3", "vivante:gc3000"]);
    let some = of(&[("GPUCC_VULKAN_TARGETS", "interp, tesla:nv50,gcn,interp")]);
    assert_eq!(names(&some), ["interp", "tesla:nv50", "gcn:gfx8"]);
    let wrong = of(&[("GPUCC_VULKAN_TARGETS", "gcn,nothing")]);
    assert_eq!(names(&wrong), Vec::<String>::new());
    assert!(wrong.faults[0].contains("unknown target `nothing`"), "{:?}", wrong.faults);
}

#[test]
fn other_settings_have_their_words() {
    let s = of(&[("GPUCC_VULKAN_LOG", "info"), ("GPUCC_VULKAN_ORACLE", "1"), ("GPUCC_VULKAN_DUMP", "d")]);
    assert_eq!((s.level, s.oracle, s.dump.is_some(), s.frames.is_some()), (Level::Info, true, true, false));
    let s = of(&[("GPUCC_VULKAN_LOG", "loud"), ("GPUCC_VULKAN_ORACLE", "0")]);
    assert_eq!((s.level, s.oracle, s.faults.len()), (Level::Error, false, 1));
}

#[test]
fn a_limit_of_steps_is_a_number() {
    let steps = |text: &str| of(&[("GPUCC_VULKAN_STEPS", text)]);
    assert_eq!((steps("5000").steps, steps("").steps), (5000, of(&[]).steps));
    assert_eq!((steps("many").steps, steps("many").faults.len()), (of(&[]).steps, 1));
}

#[test]
fn a_version_is_that_of_the_settings_or_what_the_engine_takes() {
    use ash::vk::{API_VERSION_1_1 as ONE, API_VERSION_1_2 as TWO, API_VERSION_1_3 as THREE};
    use gpucc_vulkan::physical::version;
    let wanted = |text| of(&[("GPUCC_VULKAN_VERSION", text)]).version;
    assert_eq!((wanted("1.1"), wanted("1.2"), wanted("")), (Some(ONE), Some(TWO), None));
    assert_eq!(of(&[("GPUCC_VULKAN_VERSION", "1.7")]).faults.len(), 1);
    // The engine hides devices that name no conformance test.
    let chip = |text| chips(text).expect("a target")[0];
    let of = |wanted, engine| version(chip("interp"), wanted, engine);
    assert_eq!((of(None, ""), of(None, "wgpu-hal"), of(Some(TWO), "wgpu-hal")), (THREE, ONE, TWO));
    // Addresses of 32 bits are not what 1.3 asks for.
    let newest = ["gcn", "valhall", "tesla", "vivante"].map(|t| version(chip(t), Some(THREE), ""));
    assert_eq!(newest, [THREE, THREE, TWO, TWO]);
}
