//! Calls: of functions lowered on their own, and of those lowered in place.

use super::cx::Lowered;
use super::func::{Exit, FuncCx, Left};
use crate::module::Inst;
use crate::types::Kind;
use crate::value::{Ptr, Val};
use gpucc_frontend_common::{Memory, limits, report};
use gpucc_ir as ir;
use ir::Type;
use std::rc::Rc;

impl FuncCx<'_, '_> {
    /// Lowers an `OpFunctionCall`, the callee in place of it.
    pub fn call(&mut self, inst: &Inst) -> Lowered<Val> {
        let m = self.m.m;
        let o = m.operands(inst);
        let callee = o[0];
        let Some(plan) = self.m.plan(callee) else { return self.wrong(format!("%{callee} is no function")) };
        let function = m.insts[plan.function.inst];
        if function.ty != inst.ty || plan.params.len() != o.len() - 1 {
            return self.wrong(format!("%{callee} has another type than it, or other parameters"));
        }
        let mut args = Vec::new();
        for (&id, &param) in o[1..].iter().zip(&plan.params) {
            let ty = self.ty_of(id)?;
            if self.m.types.find(m.insts[param].ty) != Some(ty) {
                return self.wrong(format!("%{id} has another type than the parameter"));
            }
            args.push(self.val(id)?);
        }
        let ret = self.m.types.of(inst.ty, inst)?;
        let void = matches!(self.m.types.kind(ret), Kind::Void);
        if let Some(func) = self.m.func(callee) {
            let mut leaves = Vec::new();
            for arg in &args {
                self.flatten(arg, &mut leaves)?;
            }
            let results = self.m.out.funcs[func].ret.clone();
            let call = self.b().call(func, &leaves, &results);
            if void {
                return Ok(Val::Void);
            }
            let values: Vec<ir::Value> = self.code.f.insts[call].results.iter().collect();
            return self.unflatten(ret, &mut values.into_iter());
        }
        if self.active.len() as u64 > limits::CALL_DEPTH.max {
            return Err(report::limit(&limits::CALL_DEPTH).at(self.span(), "this call"));
        }
        let before = (self.code.loc, self.inst, self.code.fp);
        let val = if plan.returns.len() < 2 && !plan.returns_in_loop {
            self.follow(&plan, args)?
        } else {
            self.leave_later(&plan, args, if void { None } else { Some(ret) })?
        };
        (self.code.loc, self.inst, self.code.fp) = before;
        Ok(val)
    }

    /// A function that returns at one place: the code after the call follows that.
    fn follow(&mut self, plan: &Rc<crate::plan::Plan>, args: Vec<Val>) -> Lowered<Val> {
        self.body(plan, args, Exit::Follow)?;
        let done = self.active.pop();
        match done.and_then(|d| d.end) {
            Some((block, val)) => {
                self.code.block = block;
                Ok(val)
            }
            None => {
                // It never comes back: nothing reaches what follows.
                let next = self.code.f.make_block();
                self.code.start(next);
                let ret =
                    self.m.types.of(self.m.m.insts[plan.function.inst].ty, &self.m.m.insts[plan.function.inst])?;
                match self.m.types.kind(ret) {
                    Kind::Void => Ok(Val::Void),
                    _ => self.zero(ret),
                }
            }
        }
    }

    /// A function with several returns: a construct that they leave.
    fn leave_later(
        &mut self,
        plan: &Rc<crate::plan::Plan>,
        args: Vec<Val>,
        ret: Option<crate::types::Ty>,
    ) -> Lowered<Val> {
        let types = match ret {
            Some(ty) if !self.is_long(ty) => self.leaf_types(ty)?,
            _ => Vec::new(),
        };
        let whole = match ret {
            Some(ty) if self.is_long(ty) => Some(self.still(ty)?),
            _ => None,
        };
        let result: Vec<ir::Local> = types.iter().map(|&ty| self.leaf_variable(ty)).collect();
        let (merge, body) = (self.code.f.make_block(), self.code.f.make_block());
        let returned = if plan.returns_in_loop {
            let flag = self.leaf_variable(Type::B1);
            self.b().var_init(ir::Place::Local(flag));
            Some(flag)
        } else {
            None
        };
        self.b().jump_merge(body, &[], merge);
        self.code.start(body);
        let left = Rc::new(Left { merge, result: result.clone(), whole: whole.clone(), returned });
        self.body(plan, args, Exit::Leave(left))?;
        self.active.pop();
        self.code.start(merge);
        let Some(ty) = ret else { return Ok(Val::Void) };
        if let Some(whole) = whole {
            return Ok(Val::InMemory(Ptr { still: true, ..whole }.into()));
        }
        let leaves: Vec<ir::Value> =
            result.into_iter().zip(types).map(|(local, leaf)| self.kept(local, leaf)).collect();
        self.unflatten(ty, &mut leaves.into_iter())
    }
}
