//! Dispatches.

use super::Exec;
use crate::command::BindPoint;
use crate::error::Lost;
use crate::program::Code;

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
        let result = match program.code() {
            Code::Oracle(p) => p.run(&mut bound.dispatch, &run, &self.options.profile).map(|o| o.report),
            Code::Machine { container, .. } => {
                gpucc_machines::run(container, Some(program.name()), &mut bound.dispatch, &run)
            }
        };
        bound.unbind();
        match result {
            Ok(report) => {
                self.count(&[program], report);
                Ok(())
            }
            Err(trap) => Err(self.trapped(&[program], trap)),
        }
    }
}
