//! Machine passes on small texts: what each makes of code that it is for, and that it leaves other code alone. Their texts, faults
//! and switches.

#[macro_use]
#[path = "../../tests/support/mir.rs"]
mod support;

machine_passes!(gpucc_tesla::TeslaFamily, gpucc_tesla::TESLA);
