//! The pipelines of draws and dispatches, for the samplers that are bound.

use std::sync::Arc;

use gpucc_ir::ResourceKind;

use super::Exec;
use crate::fail::Done;
use crate::pipeline::Pipeline;
use crate::samplers::Special;
use crate::set::Slot;

impl Exec<'_> {
    /// The pipeline that is bound, compiled for samplers whose coordinates code writes if such ones are bound.
    pub(super) fn bound_pipeline(&self, point: usize) -> Done<Option<Arc<Pipeline>>> {
        let Some(pipeline) = &self.pipeline[point] else { return Ok(None) };
        let special = self.special(point, pipeline)?;
        if special.is_empty() {
            return Ok(Some(pipeline.clone()));
        }
        pipeline.variant(self.shared.chip, special).map(Some).map_err(|f| self.lost(&f.text))
    }

    /// The samplers that are bound whose coordinates code writes.
    fn special(&self, point: usize, pipeline: &Pipeline) -> Done<Vec<Special>> {
        let mut list: Vec<Special> = Vec::new();
        for p in pipeline.programs() {
            for u in p.used.iter().filter(|u| matches!(u.kind, ResourceKind::Sampler { .. })) {
                let Some((set, _)) = self.sets[point].get(&u.group) else { continue };
                let (slots, moves) = (set.slots(), p.moving.contains(&(u.group, u.binding)));
                let mut found = None;
                for element in 0..u.count.max(1) {
                    let Some(Slot::Image(_, Some(sampler))) = slots.get(&(u.binding, element)) else { continue };
                    let how = sampler.special(moves).map_err(|f| self.lost(&f.text))?;
                    if *found.get_or_insert(how) != how {
                        return Err(self.lost("an array of samplers whose coordinates are texels for some of them"));
                    }
                }
                list.extend(found.flatten().map(|how| (u.group, u.binding, how)));
            }
        }
        list.sort_unstable();
        list.dedup();
        Ok(list)
    }
}
