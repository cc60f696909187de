//! Dispatches.

use super::Exec;
use super::bind::Own;
use crate::command::BindPoint;
use crate::error::Lost;

impl Exec<'_> {
    /// Runs workgroups of the bound compute pipeline.
    ///
    /// # Errors
    /// There is no pipeline, or its program breaks a rule.
    pub fn dispatch(&mut self, grid: [u32; 3]) -> Result<(), Lost> {
        let Some(pipeline) = self.state.compute.clone() else {
            return Err(self.lost("a dispatch without a compute pipeline"));
        };
        self.report.dispatches += 1;
        if grid.contains(&0) {
            return Ok(());
        }
        let program = pipeline.program();
        let mut bound = self.bind(BindPoint::Compute, &[program]);
        bound.dispatch.grid = grid;
        let run = self.run_options();
        let how = (&run, &self.options.profile);
        let result = program.code().dispatch(Some(program.name()), &mut bound.dispatch, how);
        bound.agree();
        bound.unbind(&mut Own);
        match result {
            Ok(report) => {
                self.count(&[program], report);
                Ok(())
            }
            Err(trap) => Err(self.trapped(&[program], trap)),
        }
    }
}
