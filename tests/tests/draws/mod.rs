//! Draws: pictures, formats, state, and what lies between the stages.

mod arrays_drawn;
pub mod draw_kit;
mod draw_protocol;
pub mod drawing;
mod every_format;
mod gcn_draws;
mod gfx;
mod gfx_exact;
mod gfx_recorded;
mod gfx_spirv;
mod graphics;
pub mod once_drawn;
pub mod one_draw;
mod orders;
mod scene_immediates;
mod vulkan;
mod vulkan_forms;
mod vulkan_orders;
