//! A container around a listing, for tests of the interpreter.
#![allow(dead_code, reason = "each test uses its part")]

use gpucc_container::{Access, Container, Entry, Meta, Preload, Resource, ResourceKind, Source, Stage};
use gpucc_gcn_machine::{abi, assemble};
use gpucc_isa::stage;
use gpucc_sim::{Dispatch, RunOptions, RunReport, Trap};

/// A kernel in assembly. User data: descriptors of bindings 0, 1, 2 of group 0 in s[0:3], s[4:7], s[8:11]; workgroup id
/// x in s12; local id in v0.
pub struct Kernel {
    pub generation: u8,
    pub text: String,
    pub buffers: u32,
    pub workgroup_size: [u32; 3],
    pub sgprs: u16,
    pub vgprs: u16,
    pub shared: u32,
    pub scratch: u32,
    pub float_mode: u32,
}

impl Kernel {
    pub fn new(generation: u8, buffers: u32, text: &str) -> Kernel {
        Kernel {
            generation,
            text: text.into(),
            buffers,
            workgroup_size: [64, 1, 1],
            sgprs: 48,
            vgprs: 40,
            shared: 0,
            scratch: 0,
            float_mode: abi::FLOAT_FLUSH32,
        }
    }

    pub fn container(&self) -> Container {
        let code = match assemble(&self.text, self.generation, stage::CS, false) {
            Ok(code) => code,
            Err(e) => panic!("{}\n{}", e.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n"), self.text),
        };
        let mut preloads = Vec::new();
        let mut resources = Vec::new();
        for b in 0..self.buffers {
            for w in 0..4 {
                let source = Source::DescriptorWord { group: 0, binding: b, word: w };
                preloads.push(Preload { file: 0, lane: 0, index: b as u16 * 4 + w, source });
            }
            resources.push(Resource::new(ResourceKind::Storage, Access::ReadWrite, (0, b), b));
        }
        preloads.push(Preload { file: 0, lane: 0, index: 12, source: Source::WorkgroupId(0) });
        if self.scratch > 0 {
            preloads.push(Preload { file: 0, lane: 0, index: 13, source: Source::ScratchBase });
        }
        for i in 0..3u16 {
            preloads.push(Preload { file: 1, lane: 0, index: i, source: Source::LocalId(i) });
        }
        for w in 0..4 {
            preloads.push(Preload { file: 0x80, lane: 0, index: w, source: Source::Family(16 + u32::from(w)) });
        }
        let g = self.generation;
        let rsrc2 = abi::Rsrc2 {
            scratch: self.scratch > 0,
            user_sgprs: 12,
            workgroup_id: [true, false, false],
            tg_size: false,
            local_id_components: 2,
            lds_bytes: self.shared,
        };
        let entry = Entry {
            name: "main".into(),
            stage: Stage::Compute,
            code,
            meta: Meta {
                workgroup_size: self.workgroup_size,
                subgroup_size: 64,
                registers: vec![(0, self.sgprs), (1, self.vgprs)],
                shared_bytes: self.shared,
                scratch_bytes: self.scratch,
                flags: 0,
                family_words: vec![abi::rsrc1(self.vgprs.into(), self.sgprs.into(), self.float_mode, g), rsrc2.word(g)],
            },
            resources,
            preloads,
            ..Entry::default()
        };
        Container::of("gcn", ["gfx6", "gfx7", "gfx8"][usize::from(g)], vec![entry])
    }

    pub fn run(&self, dispatch: &mut Dispatch) -> Result<RunReport, Trap> {
        self.run_with(dispatch, &RunOptions::default())
    }

    pub fn run_with(&self, dispatch: &mut Dispatch, options: &RunOptions) -> Result<RunReport, Trap> {
        gpucc_gcn_machine::run(&self.container(), None, dispatch, options)
    }
}

/// Mnemonic of the 32-bit add with carry out.
pub fn add(generation: u8) -> &'static str {
    if generation == 2 { "v_add_u32_e32" } else { "v_add_i32_e32" }
}
