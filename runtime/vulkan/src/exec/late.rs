//! Fixed function that commands have set, for the pipelines that leave it to them.

use std::collections::BTreeMap;

use ash::vk;

use crate::fail::{Done, Fail};
use crate::given::{FACES, Late};
use crate::pipeline::Render;

/// The numbers that commands have set so far.
#[derive(Clone, Debug, Default)]
pub struct Lates {
    /// Numbers by state; the stencil test has one for each face.
    all: BTreeMap<(i32, u8), Late>,
    /// Bytes from one element to the next of vertex buffers.
    pub strides: BTreeMap<u32, u64>,
}

impl Lates {
    /// Sets a number for later draws.
    pub fn set(&mut self, late: Late) {
        let key = |face| (late.of().as_raw(), face);
        match late {
            Late::Stencil(faces, v) => {
                for (k, face) in (0..).zip(FACES) {
                    if faces.contains(face) {
                        self.all.insert(key(k), Late::Stencil(face, v));
                    }
                }
            }
            _ => {
                self.all.insert(key(0), late);
            }
        }
    }

    /// The fixed function of a pipeline with the numbers that it leaves to commands. Nothing where it leaves none.
    ///
    /// # Errors
    /// As [`Render::put`]; a number that no command has set.
    pub fn with(&self, r: &Render) -> Done<Option<Render>> {
        if r.late.is_empty() {
            return Ok(None);
        }
        let mut given = r.given;
        let mut out = r.clone();
        for state in &r.late {
            if *state == vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE {
                for (k, buffer) in (0..).zip(&mut out.state.vertex) {
                    if let (Some(b), Some(stride)) = (buffer, self.strides.get(&k)) {
                        b.stride = *stride;
                    }
                }
                continue;
            }
            let own = self.all.range((state.as_raw(), 0)..=(state.as_raw(), u8::MAX));
            if own.clone().next().is_none() {
                return Err(Fail::misuse(format!("dynamic state {} was not set before the draw", state.as_raw())));
            }
            own.for_each(|(_, late)| late.put(&mut given));
        }
        out.put(&given)?;
        Ok(Some(out))
    }
}
