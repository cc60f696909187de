//! Numbers of lanes that are signed: WGSL takes them, naga's rules only unsigned ones.

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    Block, Expression, Function, GatherMode, Handle, Literal, Module, Range, Scalar, Span, Statement, TypeInner,
};

/// Makes signed numbers of lanes unsigned. A constant that is negative stays, so that it is an error.
pub fn unsigned(module: &mut Module) {
    let handles: Vec<Handle<Function>> = module.functions.iter().map(|f| f.0).collect();
    for handle in handles {
        if reads_lanes(&module.functions[handle].body) {
            let mut function = std::mem::take(&mut module.functions[handle]);
            convert(module, &mut function);
            module.functions[handle] = function;
        }
    }
    for n in 0..module.entry_points.len() {
        if reads_lanes(&module.entry_points[n].function.body) {
            let mut function = std::mem::take(&mut module.entry_points[n].function);
            convert(module, &mut function);
            module.entry_points[n].function = function;
        }
    }
}

fn reads_lanes(block: &Block) -> bool {
    block.iter().any(|s| match s {
        Statement::SubgroupGather { .. } => true,
        Statement::Block(inner) => reads_lanes(inner),
        Statement::If { accept, reject, .. } => reads_lanes(accept) || reads_lanes(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|c| reads_lanes(&c.body)),
        Statement::Loop { body, continuing, .. } => reads_lanes(body) || reads_lanes(continuing),
        _ => false,
    })
}

fn convert(module: &Module, function: &mut Function) {
    let mut types = Typifier::new();
    let cx = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
    for (handle, _) in function.expressions.iter() {
        if types.grow(handle, &function.expressions, &cx).is_err() {
            return;
        }
    }
    let signed = |e: Handle<Expression>| *types.get(e, &module.types) == TypeInner::Scalar(Scalar::I32);
    let mut body = std::mem::take(&mut function.body);
    in_block(&mut body, function, &signed);
    function.body = body;
}

fn in_block(block: &mut Block, function: &mut Function, signed: &dyn Fn(Handle<Expression>) -> bool) {
    let mut n = 0;
    while n < block.len() {
        let mut emitted = None;
        match &mut block[n] {
            Statement::Block(inner) => in_block(inner, function, signed),
            Statement::If { accept, reject, .. } => {
                in_block(accept, function, signed);
                in_block(reject, function, signed);
            }
            Statement::Switch { cases, .. } => {
                cases.iter_mut().for_each(|c| in_block(&mut c.body, function, signed));
            }
            Statement::Loop { body, continuing, .. } => {
                in_block(body, function, signed);
                in_block(continuing, function, signed);
            }
            Statement::SubgroupGather {
                mode:
                    GatherMode::Broadcast(index)
                    | GatherMode::Shuffle(index)
                    | GatherMode::ShuffleDown(index)
                    | GatherMode::ShuffleUp(index)
                    | GatherMode::ShuffleXor(index)
                    | GatherMode::QuadBroadcast(index),
                ..
            } if signed(*index) => {
                let span = function.expressions.get_span(*index);
                match function.expressions[*index] {
                    Expression::Literal(Literal::I32(v)) => {
                        if let Ok(v) = u32::try_from(v) {
                            *index = function.expressions.append(Expression::Literal(Literal::U32(v)), span);
                        }
                    }
                    _ => {
                        let (kind, convert) = (naga::ScalarKind::Uint, Some(4));
                        *index = function.expressions.append(Expression::As { expr: *index, kind, convert }, span);
                        emitted = Some(*index);
                    }
                }
            }
            _ => {}
        }
        if let Some(made) = emitted {
            let mut emit = Block::new();
            emit.push(Statement::Emit(Range::new_from_bounds(made, made)), Span::UNDEFINED);
            block.splice(n..n, emit);
            n += 1;
        }
        n += 1;
    }
}
