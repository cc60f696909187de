//! A program from text in a container, with the buffers that tests use.
#![allow(dead_code, reason = "each test uses its part")]

use gpucc_container::{Access, Container, Entry, Meta, Preload, Resource, ResourceKind, Source, Stage, UNIFORM_FILE};
use gpucc_isa::stage;
use gpucc_sim::{Dispatch, RunOptions, RunReport, Trap, TrapKind};
use gpucc_valhall_machine::{assemble, run};

/// A program in the making. Words u0:u1 hold the address of binding 0:0, u2 its size, u4:u5 and u6 the same of binding 0:1.
#[derive(Clone)]
pub struct Program {
    pub container: Container,
}

pub fn uniform(index: u16, source: Source) -> Preload {
    Preload { file: UNIFORM_FILE, lane: 0, index, source }
}

impl Program {
    pub fn new(text: &str) -> Program {
        let code = assemble(text, 1, stage::CS, false).unwrap_or_else(|e| {
            let all: Vec<String> = e.iter().map(|e| e.to_string()).collect();
            panic!("{}\n{text}", all.join("\n"))
        });
        Program::from_code(code)
    }

    pub fn from_code(code: Vec<u8>) -> Program {
        let buffer = |n| Resource::new(ResourceKind::Storage, Access::ReadWrite, (0, n), n);
        let mut preloads: Vec<Preload> = [
            (55, Source::Family(0)),
            (56, Source::LocalId(2)),
            (57, Source::WorkgroupId(0)),
            (58, Source::WorkgroupId(1)),
            (59, Source::WorkgroupId(2)),
            (60, Source::GlobalId(0)),
            (61, Source::GlobalId(1)),
            (62, Source::GlobalId(2)),
        ]
        .map(|(index, source)| Preload { file: 0, lane: 0, index, source })
        .to_vec();
        for binding in 0..2 {
            let at = 4 * binding as u16;
            preloads.push(uniform(at, Source::BufferAddressLo { group: 0, binding }));
            preloads.push(uniform(at + 1, Source::BufferAddressHi { group: 0, binding }));
            preloads.push(uniform(at + 2, Source::BufferSize { group: 0, binding }));
        }
        preloads.push(uniform(8, Source::NumWorkgroups(0)));
        let entry = Entry {
            name: "main".into(),
            stage: Stage::Compute,
            code,
            meta: Meta { workgroup_size: [16, 1, 1], subgroup_size: 16, registers: vec![(0, 64)], ..Meta::default() },
            resources: [0, 1].map(buffer).to_vec(),
            preloads,
            ..Entry::default()
        };
        Program { container: Container::of("valhall", "v10", vec![entry]) }
    }

    pub fn entry(&mut self) -> &mut Entry {
        &mut self.container.entries[0]
    }

    pub fn constant(mut self, index: u16, value: u32) -> Program {
        self.entry().preloads.push(uniform(index, Source::Const(value)));
        self
    }

    pub fn workgroup(mut self, size: [u32; 3]) -> Program {
        self.entry().meta.workgroup_size = size;
        self
    }

    pub fn shared(mut self, bytes: u32) -> Program {
        self.entry().meta.shared_bytes = bytes;
        self
    }

    pub fn scratch(mut self, bytes: u32) -> Program {
        self.entry().meta.scratch_bytes = bytes;
        self
    }

    pub fn small(mut self) -> Program {
        self.entry().meta.registers = vec![(0, 32)];
        self
    }

    pub fn run_with(&self, dispatch: &mut Dispatch, options: &RunOptions) -> Result<RunReport, Trap> {
        run(&self.container, Some("main"), dispatch, options)
    }

    /// One workgroup; binding 0 holds `input`, the result is what binding 1 holds afterwards.
    pub fn try_words(&self, input: &[u32], out: usize) -> Result<Vec<u32>, Trap> {
        self.try_perturbed(input, out, None)
    }

    pub fn try_perturbed(&self, input: &[u32], out: usize, perturb: Option<u64>) -> Result<Vec<u32>, Trap> {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, input).with_u32(0, 1, &vec![0xDEAD_BEEF; out]);
        self.run_with(&mut d, &RunOptions { step_limit: 10_000_000, perturb, ..RunOptions::default() })?;
        Ok(d.words(0, 1).unwrap())
    }

    pub fn words(&self, input: &[u32], out: usize) -> Vec<u32> {
        self.try_words(input, out).unwrap_or_else(|t| panic!("{t}"))
    }
}

/// Text that gives r40:r41 the address of word `lane` of binding 1.
pub const OUT_ADDRESS: &str =
    "IADD_IMM.i32 r42, r60, #0x0\nIADD_IMM.i32 r43, r42, #0x0\nSHADDX.u64 r40, u4, r42.w0, shift:0x2\n";

/// Expects a trap of this kind whose message contains `what`.
pub fn expect_trap<T: std::fmt::Debug>(r: Result<T, Trap>, kind: TrapKind, what: &str) -> Trap {
    let t = r.expect_err("a trap");
    assert_eq!(t.kind, kind, "{t}");
    assert!(t.to_string().contains(what), "`{t}` does not say `{what}`");
    assert!(t.pc.is_some() && t.instruction.is_some(), "{t} has no place");
    t
}
