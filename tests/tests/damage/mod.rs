//! What is damaged, wrong or too large: it is noticed, and ends soon.

mod draw_mutants;
mod gfx_hostile;
mod gfx_mutants;
mod hostile;
mod hostile_stages;
mod strangers;
mod texture_mutants;
