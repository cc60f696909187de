//! Modes of floats: what an entry point asks of denormals and rounding, on the oracle and on every target that has it, and refused by its
//! own code elsewhere. Expected values come from integers and from Rust's own arithmetic on wider floats.

use gpucc::frontend::{self, FrontOptions, Lang};
use gpucc::{CodegenOptions, Options};
use gpucc_container::flags::DENORM32;
use gpucc_interp::OracleProgram;
use gpucc_ir::text::parse_module;
use gpucc_ir::{Class, Denormals, FloatMode, Module, Refusal, Rounding, Scalar};
use gpucc_pipeline::{Pipeline, Target as Colour};
use gpucc_sim::texture::Format as Texels;
use gpucc_sim::{BoundBuffer, Dispatch, RunOptions, SplitMix64};
use gpucc_tests::exec::{self, On, Problem};

use crate::draws::draw_kit;
use crate::sources::spirv::lowered;

/// A float format: bits, bits of the fraction.
#[derive(Clone, Copy)]
struct Format(u32, u32);

const HALF: Format = Format(16, 10);
const SINGLE: Format = Format(32, 23);
const DOUBLE: Format = Format(64, 52);

impl Format {
    fn sign(self) -> u64 {
        1 << (self.0 - 1)
    }
    /// The least exponent of the last place.
    fn lowest(self) -> i32 {
        2 - (1 << (self.0 - self.1 - 2)) - self.1 as i32
    }
    fn is_denormal(self, bits: u64) -> bool {
        let magnitude = bits & !self.sign();
        magnitude != 0 && magnitude >> self.1 == 0
    }
    fn flush(self, bits: u64) -> u64 {
        if self.is_denormal(bits) { bits & self.sign() } else { bits }
    }
    /// A finite number as an integer times a power of two.
    fn parts(self, bits: u64) -> (i128, i32) {
        let exponent = (bits & !self.sign()) >> self.1;
        let fraction = bits & ((1 << self.1) - 1);
        let whole = if exponent == 0 { fraction } else { fraction | 1 << self.1 };
        let value = i128::from(whole);
        (if bits & self.sign() != 0 { -value } else { value }, self.lowest() + (exponent.max(1) as i32 - 1))
    }
    /// The float for an integer times a power of two, which is not zero: in integers alone.
    fn round(self, value: i128, exponent: i32, cut: bool) -> u64 {
        let (sign, magnitude) = (if value < 0 { self.sign() } else { 0 }, value.unsigned_abs());
        let top = 127 - magnitude.leading_zeros() as i32;
        // The exponent of the last place that is kept.
        let last = (top + exponent - self.1 as i32).max(self.lowest());
        let away = last - exponent;
        let kept = if away <= 0 {
            magnitude << -away
        } else if away > 127 {
            0
        } else {
            let (low, rest) = (magnitude >> away, magnitude & ((1 << away) - 1));
            let half = 1u128 << (away - 1);
            low + u128::from(!cut && (rest > half || rest == half && low & 1 == 1))
        };
        // Carries run into the exponent as they should.
        let bits = (kept as u64).wrapping_add(((last - self.lowest()) as u64) << self.1);
        let infinity = self.sign() - (1 << self.1);
        let most = if cut { infinity - 1 } else { infinity };
        sign | bits.min(most)
    }
}

/// Sums in integers; both exponents near each other.
fn add(f: Format, a: u64, b: u64, cut: bool) -> u64 {
    let ((x, e), (y, g)) = (f.parts(a), f.parts(b));
    let low = e.min(g);
    let (x, y) = (x << (e - low), y << (g - low));
    if x + y == 0 {
        return if a == b { a & f.sign() } else { 0 };
    }
    f.round(x + y, low, cut)
}

fn mul(f: Format, a: u64, b: u64, cut: bool) -> u64 {
    let ((x, e), (y, g)) = (f.parts(a), f.parts(b));
    if x * y == 0 { (a ^ b) & f.sign() } else { f.round(x * y, e + g, cut) }
}

/// Operands whose sums and products need rounding, are denormals, or come from such.
fn operands(f: Format) -> Vec<(u64, u64)> {
    let one = (f.sign() >> 1) - (1 << f.1);
    let (least, unit) = (1u64 << f.1, 1u64);
    let big = f.sign() - (1 << f.1) - 1;
    let list = [
        0,
        unit,
        3,
        least - 1,
        least,
        least + 1,
        2 * least + 3,
        one,
        one + 1,
        one + (1 << f.1) + 5,
        one - 1,
        one / 2,
        one / 2 + 7,
        big,
        big - (1 << (f.1 - 1)),
    ];
    let signed = |x: u64| [x, x | f.sign()];
    let all: Vec<u64> = list.into_iter().flat_map(signed).collect();
    // Sums are integers of 128 bits: those of numbers that are farther apart are left out.
    let most = 120 - f.1 as i32;
    let near = |a: u64, b: u64| f.0 == 16 || (f.parts(a).1 - f.parts(b).1).abs() < most;
    all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b))).filter(|&(a, b)| near(a, b)).collect()
}

/// Sum, difference and product of each pair, each of them, negated and not, as it is and flushed if so asked.
fn text(ty: &str, asked: &str, count: usize) -> String {
    let size = match ty {
        "f16" => 2,
        "f32" => 4,
        _ => 8,
    };
    let flush = asked.contains("flush");
    let settle = |v: &str| {
        if flush { format!("fmul {v}, 1.0:{ty}") } else { format!("fadd {v}, -0.0:{ty}") }
    };
    let store = |k: usize, v: &str| format!("  store {v}, res1[{} + v3] align {size}\n", k * count * size);
    let mut body = String::new();
    for (k, (name, line)) in [
        ("v6", "fadd v4, v5".to_string()),
        ("v7", "fsub v4, v5".to_string()),
        ("v8", "fmul v4, v5".to_string()),
        ("v9", settle("v4")),
    ]
    .iter()
    .enumerate()
    {
        body += &format!("  {name}: {ty} = {line}\n{}", store(k, name));
    }
    format!(
        "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size {size} stride {size}\n\
         res1 \"o\" group 0 binding 1 storage_rw size {size} stride {size}\n\
         res2 \"b\" group 0 binding 2 storage_ro size {size} stride {size}\n\
         entry \"main\" compute func0 size 64,1,1{}{asked}\nfunc0 \"main\" {{\nblock0:\n\
         v0: i32 = sysval local_invocation_index\n  v1: i32x3 = sysval workgroup_id\n  v2: i32 = extract v1, lane 0\n\
         v20: i32 = imul v2, 64:i32\n  v21: i32 = iadd v20, v0\n  v3: i32 = imul v21, {size}:i32\n\
         v4: {ty} = load res0[0 + v3] align {size}\n  v5: {ty} = load res2[0 + v3] align {size}\n{body}  ret\n}}\n",
        if asked.is_empty() { "" } else { " float " },
    )
}

/// What the four results are, or nothing where both are right.
fn expected(f: Format, (a, b): (u64, u64), flush: bool, cut: bool) -> [u64; 4] {
    let settle = |x: u64| if flush { f.flush(x) } else { x };
    let (x, y) = (settle(a), settle(b));
    [settle(add(f, x, y, cut)), settle(add(f, x, y ^ f.sign(), cut)), settle(mul(f, x, y, cut)), settle(x)]
}

fn bytes(f: Format, values: impl Iterator<Item = u64>) -> Vec<u8> {
    values.flat_map(|v| v.to_le_bytes()[..f.0 as usize / 8].to_vec()).collect()
}

fn run(module: &Module, on: On, level: u8, f: Format, pairs: &[(u64, u64)]) -> Result<Vec<u64>, Problem> {
    let size = f.0 as usize / 8;
    let mut d = Dispatch::new([(pairs.len() / 64) as u32, 1, 1]);
    let buffer = |binding, bytes, writable| BoundBuffer { group: 0, binding, bytes, writable };
    d.buffers.push(buffer(0, bytes(f, pairs.iter().map(|p| p.0)), false));
    d.buffers.push(buffer(1, vec![0; 4 * pairs.len() * size], true));
    d.buffers.push(buffer(2, bytes(f, pairs.iter().map(|p| p.1)), false));
    let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
    exec::run(module, "main", on, &codegen, &mut d, &RunOptions::default())?;
    let word = |c: &[u8]| c.iter().rev().fold(0u64, |v, &b| v << 8 | u64::from(b));
    Ok(d.buffers[1].bytes.chunks(size).map(word).collect())
}

/// Whether a place does what is asked of a width, as its documents say.
fn has(on: On, scalar: Scalar, mode: FloatMode) -> bool {
    let On::Machine(t) = on else { return true };
    let (flush, keep) = (mode.flushes(), mode.denormals == Denormals::Preserve);
    let cut = mode.rounding == Rounding::Zero;
    match (t.backend.family(), scalar) {
        ("gcn", Scalar::F32 | Scalar::F64) => true,
        (_, Scalar::F64) => t.to_string() == "tesla:nva0" && !flush && !cut,
        ("gcn", _) => !flush && !cut || t.to_string().contains("gfx8"),
        ("valhall", _) => !flush && !cut,
        (_, Scalar::F32) => !keep && !cut,
        _ => !flush && !cut,
    }
}

fn check(ty: &str, f: Format) {
    let mut pairs = operands(f);
    while !pairs.len().is_multiple_of(64) {
        pairs.push((0, 0));
    }
    let mut wrong = Vec::new();
    for asked in ["preserve", "flush", "zero", "preserve zero", "flush zero", "preserve nearest"] {
        let module = parse_module(&text(ty, &format!("{ty} {asked}"), pairs.len())).unwrap_or_else(|d| panic!("{d}"));
        let scalar = match f.0 {
            16 => Scalar::F16,
            32 => Scalar::F32,
            _ => Scalar::F64,
        };
        let mode = module.entries[0].modes.of(scalar);
        let (flush, cut) = (mode.flushes(), mode.cuts());
        for on in std::iter::once(On::Interp).chain(exec::targets("all:all").into_iter().map(exec::on)) {
            for level in [0, 2] {
                let got = match (run(&module, on, level, f, &pairs), has(on, scalar, mode)) {
                    (Ok(got), true) => got,
                    (Err(Problem::Refused(codes, _)), false) if codes == [Refusal::FloatModes] => continue,
                    // Halves are stored by atomics there.
                    (Err(Problem::Refused(codes, _)), _)
                        if [[Refusal::Atomics], [Refusal::F16], [Refusal::WideTypes]].iter().any(|c| codes == c) =>
                    {
                        continue;
                    }
                    (Ok(_), false) => {
                        wrong.push(format!("{ty} {asked} on {on}: runs"));
                        continue;
                    }
                    (Err(p), _) => {
                        wrong.push(format!("{ty} {asked} on {on}: {p}"));
                        continue;
                    }
                };
                for (k, &pair) in pairs.iter().enumerate() {
                    let mut want = expected(f, pair, flush, cut);
                    let have: [u64; 4] = std::array::from_fn(|n| got[n * pairs.len() + k]);
                    // Denormals that nothing was said about may be either.
                    let free = mode.denormals == Denormals::Any;
                    let other = expected(f, pair, true, cut);
                    for n in 0..4 {
                        if free && have[n] == other[n] {
                            want[n] = other[n];
                        }
                    }
                    if have != want {
                        wrong.push(format!("{ty} {asked} on {on} -O{level}, {pair:x?}: {have:x?}, not {want:x?}"));
                        break;
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_have_the_modes_that_are_asked_for() {
    check("f32", SINGLE);
}

#[test]
fn halves_have_the_modes_that_are_asked_for() {
    check("f16", HALF);
}

#[test]
fn floats_of_64_bits_have_the_modes_that_are_asked_for() {
    check("f64", DOUBLE);
}

/// A module by `spirv-as`: words a0 to a3 of a buffer go in, the results r0 on come out behind them. Modes stand where `OpExecutionMode`
/// does; the body knows `%a0` as a word and `%f0` as a float, and defines `%r0` and so on as words.
fn binary(name: &str, modes: &[&str], body: &str) -> Option<Vec<u8>> {
    if !gpucc_glsl::installed(&["spirv-as"]) {
        return None;
    }
    let modes: String = modes.iter().map(|m| format!("OpExecutionMode %main {m}\n")).collect();
    let mut chains = String::new();
    for n in 0..4 {
        chains +=
            &format!("%p{n} = OpAccessChain %pu %a %u0 %u{n}\n%a{n} = OpLoad %u %p{n}\n%f{n} = OpBitcast %f %a{n}\n");
    }
    let stores: String = (0..32)
        .filter(|n| body.contains(&format!("%r{n} ")))
        .map(|n| format!("%q{n} = OpAccessChain %pu %a %u0 %u{}\nOpStore %q{n} %r{n}\n", n + 4))
        .collect();
    let numbers: String = (0..36).map(|n| format!("%u{n} = OpConstant %u {n}\n")).collect();
    let text = format!(
        "OpCapability Shader\nOpCapability Float16\nOpCapability DenormPreserve\nOpCapability DenormFlushToZero\n\
         OpCapability RoundingModeRTE\nOpCapability RoundingModeRTZ\nOpCapability SignedZeroInfNanPreserve\n\
         OpExtension \"SPV_KHR_float_controls\"\n%ext = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n\
         OpEntryPoint GLCompute %main \"main\" %a\nOpExecutionMode %main LocalSize 1 1 1\n{modes}\
         OpDecorate %list ArrayStride 4\nOpMemberDecorate %B 0 Offset 0\nOpDecorate %B Block\n\
         OpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\nOpDecorate %spec SpecId 0\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
         %u = OpTypeInt 32 0\n%f = OpTypeFloat 32\n%v2 = OpTypeVector %f 2\n%list = OpTypeRuntimeArray %u\n%B = OpTypeStruct %list\n\
         %pB = OpTypePointer StorageBuffer %B\n%pu = OpTypePointer StorageBuffer %u\n%a = OpVariable %pB StorageBuffer\n{numbers}\
         %spec = OpSpecConstant %f 0x1.555556p-2\n{}%main = OpFunction %void None %fn\n%entry = OpLabel\n{chains}{body}{stores}OpReturn\nOpFunctionEnd\n",
        if body.contains("%h ") { "%h = OpTypeFloat 16\n%h3 = OpSpecConstantOp %h FConvert %spec\n" } else { "" },
    );
    Some(gpucc_glsl::assembled(&format!("modes-{name}"), "spv1.4", &text))
}

fn assembled(name: &str, modes: &[&str], body: &str) -> Option<Module> {
    binary(name, modes, body).map(|bytes| lowered(&bytes))
}

/// The results of a module on a place, or the codes by which it is refused.
fn results(module: &Module, on: On, level: u8, words: &[u32; 4], count: usize) -> Result<Vec<u32>, Vec<Refusal>> {
    let mut d = Dispatch::new([1; 3]).with_u32(0, 0, &[words.as_slice(), &vec![0; count]].concat());
    let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
    match exec::run(module, "main", on, &codegen, &mut d, &RunOptions::default()) {
        Ok(_) => Ok(d.words(0, 0).expect("bound")[4..].to_vec()),
        Err(Problem::Refused(codes, _)) => Err(codes),
        Err(p) => panic!("{on} -O{level}: {p}"),
    }
}

/// Runs a module everywhere: on the families that have it with these results, elsewhere refused.
fn expect(name: &str, modes: &[&str], body: &str, words: [u32; 4], want: &[u32], on: &[&str]) {
    let Some(module) = assembled(name, modes, body) else { return };
    for place in std::iter::once(On::Interp).chain(exec::targets("all:all").into_iter().map(exec::on)) {
        let at = place.to_string();
        let has = at == "interp" || on.iter().any(|f| at.starts_with(f));
        for level in [0, 2] {
            let got = results(&module, place, level, &words, want.len());
            let right = match &got {
                Ok(list) => has && list == want,
                Err(codes) => !has && *codes == [Refusal::FloatModes],
            };
            assert!(right, "{name} {modes:?} on {at} -O{level}: {got:x?}, not {want:x?}");
        }
    }
}

/// Instructions that move bits or choose give zeros of their sign under `DenormFlushToZero`, and denormals under `DenormPreserve`.
const MOVES: &str = "%m0 = OpFNegate %f %f0\n%m1 = OpExtInst %f %ext FAbs %f1\n%m2 = OpExtInst %f %ext FMin %f0 %f2\n\
    %m3 = OpExtInst %f %ext FMax %f1 %f1\n%m4 = OpExtInst %f %ext NClamp %f0 %f3 %f2\n%m5 = OpFAdd %f %f0 %f0\n%m6 = OpFMul %f %f2 %f3\n\
    %r0 = OpBitcast %u %m0\n%r1 = OpBitcast %u %m1\n%r2 = OpBitcast %u %m2\n%r3 = OpBitcast %u %m3\n%r4 = OpBitcast %u %m4\n\
    %r5 = OpBitcast %u %m5\n%r6 = OpBitcast %u %m6\n";

#[test]
fn denormals_of_spirv() {
    // 3 and -5 units of the last place, 1.0, 2^-130.
    let given = [3, 0x8000_0005, 0x3f80_0000, 0x0008_0000];
    let kept = [0x8000_0003, 5, 3, 0x8000_0005, 0x0008_0000, 6, 0x0008_0000];
    expect("kept", &["DenormPreserve 32"], MOVES, given, &kept, &["gcn", "valhall"]);
    let zeros = [0x8000_0000, 0, 0, 0x8000_0000, 0, 0, 0];
    expect("flushed", &["DenormFlushToZero 32"], MOVES, given, &zeros, &["gcn", "tesla", "vivante"]);
    // A width that the module has no floats of costs nothing, whatever is asked.
    let others = ["DenormFlushToZero 64", "RoundingModeRTZ 64", "RoundingModeRTE 32", "SignedZeroInfNanPreserve 16"];
    let sum = "%m0 = OpFAdd %f %f2 %f2\n%r0 = OpBitcast %u %m0\n";
    expect("others", &others, sum, given, &[0x4000_0000], &["gcn", "valhall", "tesla", "vivante"]);
}

#[test]
fn rounding_of_spirv() {
    // 1 and just more than 2^-24, sum and difference of which are between two floats, as 2^24 + 3 is.
    let given = [0x3f80_0000, 0x3380_0001, 0x0100_0003, 0x3f80_0001];
    let body = "%m0 = OpFAdd %f %f0 %f1\n%m1 = OpFSub %f %f0 %f1\n%m2 = OpConvertUToF %f %a2\n%m3 = OpFMul %f %f3 %f3\n\
        %m4 = OpExtInst %f %ext Fma %f3 %f3 %f1\n%r0 = OpBitcast %u %m0\n%r1 = OpBitcast %u %m1\n%r2 = OpBitcast %u %m2\n\
        %r3 = OpBitcast %u %m3\n%q = OpUDiv %u %a0 %a2\n%r4 = OpCopyObject %u %q\n";
    // Then (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46, and integers are divided as ever.
    let cut = [0x3f80_0000, 0x3f7f_fffe, 0x4b80_0001, 0x3f80_0002, 63];
    expect("cut", &["RoundingModeRTZ 32"], body, given, &cut, &["gcn"]);
    let near = [0x3f80_0001, 0x3f7f_ffff, 0x4b80_0002, 0x3f80_0002, 63];
    let all = ["gcn", "valhall", "tesla", "vivante"];
    expect("near", &["RoundingModeRTE 32"], body, given, &near, &all);
}

#[test]
fn halves_of_spirv() {
    // A half's denormal and 1.0 in a word; 1/3; 65535, which is beyond the largest half; 0.1.
    let given = [0x3c00_0003, 0x3eaa_aaab, 65535, 0x3dcc_cccd];
    let body = "%w0 = OpExtInst %v2 %ext UnpackHalf2x16 %a0\n%m0 = OpCompositeExtract %f %w0 0\n%w1 = OpCompositeConstruct %v2 %f1 %f3\n\
        %r0 = OpBitcast %u %m0\n%r1 = OpExtInst %u %ext PackHalf2x16 %w1\n";
    let near = [0x3440_0000, 0x2e66_3555];
    expect("half-near", &["RoundingModeRTE 16"], body, given, &near, &["gcn", "valhall", "tesla", "vivante"]);
    // 0.1 is 0x2e66.66, cut as well as near; 1/3 is 0x3555.55.
    let up = [0x3c00_0003, 0x3eaa_c000, 0, 0x3f7f_ffff];
    let cut = [0x3440_0000, 0x3bff_3556];
    expect("half-cut", &["RoundingModeRTZ 16"], body, up, &cut, &["gcn:gfx8"]);
    let flushed = [0, 0x2e66_3555];
    expect("half-flushed", &["DenormFlushToZero 16"], body, given, &flushed, &["gcn:gfx8"]);
    let convert = "%c0 = OpFConvert %h %f3\n%c1 = OpConvertUToF %h %a2\n%d0 = OpFConvert %f %c0\n%d1 = OpFConvert %f %c1\n\
        %d2 = OpFConvert %f %h3\n%r0 = OpBitcast %u %d0\n%r1 = OpBitcast %u %d1\n%r2 = OpBitcast %u %d2\n";
    // 1 - 2^-24 becomes the half below one, 65535 the largest half; a constant 0.3333333 the half below it.
    let cut = [0x3f7f_e000, 0x477f_e000, 0x3eaa_a000];
    expect(
        "convert-cut",
        &["RoundingModeRTZ 16", "RoundingModeRTZ 32"],
        convert,
        up.map(|x| if x == 0 { 65535 } else { x }),
        &cut,
        &["gcn:gfx8"],
    );
}

/// Fragments have them too: a sum that is rounded and a product that is a denormal, by the column of the pixel, as words.
#[test]
fn fragments_have_the_modes() {
    let text = |asked: &str, line: &str| {
        format!(
            "module robust on\nentry \"fs\" fragment func0{asked} {{\n  out0 \"\" location 0 i32\n}}\nfunc0 \"fs\" -> i32 {{\nblock0:\n\
             v0: f32x4 = sysval frag_coord\n  v1: f32 = extract v0, lane 0\n{line}\n  v9: i32 = bitcast v3\n  ret v9\n}}\n"
        )
    };
    let sum = "  v2: f32 = fmul v1, 1.1920929e-7:f32\n  v3: f32 = fadd v2, 1.0:f32";
    let product = "  v2: f32 = fmul v1, 1.1754944e-38:f32\n  v3: f32 = fmul v2, 0.0625:f32";
    // The places of pixels are halves: 1 + (k + 1/2) 2^-23, and (k + 1/2) 2^-130.
    let rounded = |x: u32, cut: bool| 0x3f80_0000 + x + u32::from(!cut && x % 2 == 1);
    let small = |x: u32| (2 * x + 1) << 18;
    for target in exec::targets("all:all").into_iter().filter(|t| t.family() == "gcn") {
        for level in [0, 2] {
            let codegen = CodegenOptions { opt_level: level, ..CodegenOptions::default() };
            let vertex =
                draw_kit::compile("@fragment fn fs(v: V) -> @location(0) f32 { return v.x; }", "vs", target, level);
            let drawn = |asked: &str, line: &str| {
                let module = parse_module(&text(asked, line)).unwrap_or_else(|d| panic!("{d}"));
                let pipeline = Pipeline { targets: vec![Some(Colour::new(Texels::R32Uint))], ..Pipeline::default() };
                let codegen = CodegenOptions { pipeline: Some(Box::new(pipeline)), ..codegen.clone() };
                let options = Options { target, codegen };
                let fragment = gpucc::compile_entry(&module, "fs", &options).unwrap_or_else(|d| panic!("{d}"));
                let surface = draw_kit::draw_on((&vertex, fragment.container()), Texels::R32Uint, 1).unwrap().0;
                (0..15)
                    .map(|k| u32::from_le_bytes(surface.sample(k, 15, 0)[..4].try_into().expect("a word")))
                    .collect::<Vec<_>>()
            };
            for (asked, cut) in [("", false), (" float f32 zero", true), (" float f32 preserve zero", true)] {
                let want: Vec<u32> = (0..15).map(|k| rounded(k, cut)).collect();
                assert_eq!(drawn(asked, sum), want, "{target} -O{level}{asked}");
            }
            for (asked, keep) in [(" float f32 flush", false), (" float f32 preserve", true)] {
                let want: Vec<u32> = (0..15).map(|k| if keep { small(k) } else { 0 }).collect();
                assert_eq!(drawn(asked, product), want, "{target} -O{level}{asked}");
            }
        }
    }
}

/// A program of one result for each line, which knows the words `v4` to `v6` and their floats `v7` to `v9`.
fn functions(asked: &str, lines: &[&str], count: usize) -> String {
    let mut body = String::new();
    for (k, line) in lines.iter().enumerate() {
        let (v, w) = (100 + 10 * k, 101 + 10 * k);
        let line = line.replace("$", &v.to_string());
        let int = line.contains(&format!("v{v}: i32"));
        body += &format!("  {line}\n");
        if !int {
            body += &format!("  v{w}: i32 = bitcast v{v}\n");
        }
        body += &format!("  store v{}, res1[{} + v3] align 4\n", if int { v } else { w }, 4 * k * count);
    }
    let at = |n: usize| 4 * n * count;
    format!(
        "module robust off\nres0 \"a\" group 0 binding 0 storage_ro size 4 stride 4\nres1 \"o\" group 0 binding 1 storage_rw size 4 stride 4\n\
         entry \"main\" compute func0 size 64,1,1{asked}\nfunc0 \"main\" {{\nblock0:\n\
         v0: i32 = sysval local_invocation_index\n  v1: i32x3 = sysval workgroup_id\n  v2: i32 = extract v1, lane 0\n\
         v20: i32 = imul v2, 64:i32\n  v21: i32 = iadd v20, v0\n  v3: i32 = imul v21, 4:i32\n\
         v4: i32 = load res0[0 + v3] align 4\n  v5: i32 = load res0[{} + v3] align 4\n  v6: i32 = load res0[{} + v3] align 4\n\
         v7: f32 = bitcast v4\n  v8: f32 = bitcast v5\n  v9: f32 = bitcast v6\n{body}  ret\n}}\n",
        at(1),
        at(2),
    )
}

const OF_WORDS: &[&str] = &[
    "v$: f32 = fadd v7, v8",
    "v$: f32 = fmul v7, v8",
    "v$: f32 = fma v7, v8, v9",
    "v$: f32 = fdiv v7, v8",
    "v$: f32 = frem v7, v8",
    "v$: f32 = frcp v7",
    "v$: f32 = frsqrt v7",
    "v$: f32 = fsqrt v7",
    "v$: f32 = fexp2 v7",
    "v$: f32 = flog2 v7",
    "v$: f32 = fsin v7",
    "v$: f32 = fcos v7",
    "v$: f32 = ffract v7",
    "v$: f32 = ffloor v7",
    "v$: f32 = fround_even v7",
    "v$: f32 = fmin v7, v8",
    "v$: f32 = fmax v7, v8",
    "v$: f32 = fsat v7",
    "v$: f32 = fsign v7",
    "v$: f32 = fldexp v7, 3:i32",
    "v$: f32 = fldexp v7, -60:i32",
    "v$: f32 = s2f v4",
    "v$: f32 = u2f v4",
    "v$: i32 = f2s v7",
    "v$: i32 = f2u_full v7",
    "v$: i32 = udiv v4, v5",
    "v$: i32 = urem v4, v6",
    "v$: i32 = sdiv v4, v5",
];

const OF_HALVES: &[&str] = &[
    "v$5: f32x2 = unpack_half2x16 v4\n  v$: f32 = extract v$5, lane 0",
    "v$5: f32x2 = compose v7, v8\n  v$: i32 = pack_half2x16 v$5",
    "v$5: f16 = f2f v7\n  v$6: f16 = f2f v8\n  v$7: f16 = fadd v$5, v$6\n  v$: f32 = f2f v$7",
    "v$5: f16x2 = bitcast v4\n  v$6: f16x2 = bitcast v5\n  v$7: f16x2 = fmul v$5, v$6\n  v$: i32 = bitcast v$7",
    "v$5: f16x2 = bitcast v4\n  v$6: f16x2 = bitcast v5\n  v$7: f16x2 = fma v$5, v$6, v$6\n  v$: i32 = bitcast v$7",
    "v$5: f16x2 = bitcast v4\n  v$6: f16x2 = bitcast v5\n  v$7: f16x2 = fdiv v$5, v$6\n  v$: i32 = bitcast v$7",
    "v$5: f16x2 = bitcast v4\n  v$7: f16x2 = fsqrt v$5\n  v$: i32 = bitcast v$7",
    "v$5: f16x2 = bitcast v4\n  v$7: f16x2 = ffract v$5\n  v$: i32 = bitcast v$7",
    "v$7: f16 = u2f v4\n  v$: f32 = f2f v$7",
];

/// On GCN each function gives under each mode what the oracle gives for the code that was selected, to the bit but for what is NaN and the
/// sign of a zero, and integers are divided as ever.
#[test]
fn functions_under_modes() {
    let mut rng = SplitMix64::new(66);
    let edges = [
        0,
        1,
        0x8000_0003,
        0x007f_ffff,
        0x0080_0000,
        0x3f80_0000,
        0x3f80_0001,
        0xc0a0_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
    ];
    let near = |rng: &mut SplitMix64| match rng.below(4) {
        0 => edges[rng.below(edges.len() as u64) as usize],
        1 => rng.next_u32(),
        // Within a few powers of two of 1, and words of two halves.
        2 => 0x3d00_0000 + (rng.next_u32() & 0x83ff_ffff),
        _ => 0x3000_0300 + (rng.next_u32() & 0x8fff_9fff),
    };
    let count = 512;
    let words: Vec<u32> = (0..3 * count).map(|_| near(&mut rng)).collect();
    let mut wrong = Vec::new();
    let asked = [
        "",
        " float f32 preserve",
        " float f32 zero",
        " float f32 preserve zero",
        " float f16 zero",
        " float f16 flush",
        " float f32 zero float f16 flush zero",
    ];
    for target in exec::targets("all:all").into_iter().filter(|t| t.family() == "gcn") {
        let old = target.generation_index() < 2;
        for (halves, asked) in asked.iter().flat_map(|a| [(false, a), (true, a)]) {
            if halves && old && (asked.contains("f16") || asked.contains("zero")) {
                continue;
            }
            let lines = if halves { OF_HALVES } else { OF_WORDS };
            let module = parse_module(&functions(asked, lines, count)).unwrap_or_else(|d| panic!("{d}"));
            for opt_level in [0, 2] {
                let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
                let artifact = gpucc::compile_entry(&module, "main", &Options { target, codegen });
                let artifact = artifact.unwrap_or_else(|d| panic!("{target}{asked}: {d}"));
                let before = || {
                    let grid = Dispatch::new([(count / 64) as u32, 1, 1]);
                    grid.with_u32(0, 0, &words).with_u32(0, 1, &vec![0; count * lines.len()])
                };
                let flags = artifact.container().entries[0].meta.flags;
                assert_eq!(flags & DENORM32 != 0, asked.contains("f32 preserve"), "{target}{asked}");
                let (mut machine, mut oracle) = (before(), before());
                gpucc_machines::run(artifact.container(), None, &mut machine, &RunOptions::default())
                    .unwrap_or_else(|t| panic!("{target}{asked}: {t}"));
                let profile = gpucc_machines::profile("gcn", target.generation_index());
                let program = OracleProgram::new(&artifact.outputs()[0].ir, "main").unwrap_or_else(|t| panic!("{t}"));
                program.run(&mut oracle, &RunOptions::default(), &profile).unwrap_or_else(|t| panic!("{t}"));
                let (got, want) = (machine.words(0, 1).expect("bound"), oracle.words(0, 1).expect("bound"));
                for (n, line) in lines.iter().enumerate() {
                    let alike = |g: u32, w: u32| {
                        let nan = |x: u32, most: u32, mask: u32| x & mask > most;
                        let half = |g: u32, w: u32| {
                            g == w || nan(g, 0x7c00, 0x7fff) && nan(w, 0x7c00, 0x7fff) || (g | w) & 0x7fff == 0
                        };
                        match () {
                            () if line.contains("f16x2") || line.contains("pack_half2x16 v$5") => {
                                half(g & 0xffff, w & 0xffff) && half(g >> 16, w >> 16)
                            }
                            () if line.contains("v$: i32") => g == w,
                            () => {
                                let nans = nan(g, 0x7f80_0000, 0x7fff_ffff) && nan(w, 0x7f80_0000, 0x7fff_ffff);
                                g == w || nans || (g | w) & 0x7fff_ffff == 0
                            }
                        }
                    };
                    let at = n * count;
                    if let Some(k) = (0..count).find(|k| !alike(got[at + k], want[at + k])) {
                        let given: Vec<u32> = (0..3).map(|n| words[n * count + k]).collect();
                        let (g, w) = (got[at + k], want[at + k]);
                        wrong.push(format!("{target} -O{opt_level}{asked}: {line} of {given:x?}: {g:x}, not {w:x}"));
                    }
                    // Integers are divided as ever: Rust says how.
                    for k in 0..count {
                        let (a, b, c) = (words[k], words[count + k], words[2 * count + k]);
                        let exact = match () {
                            () if line.contains("udiv") => a.checked_div(b).unwrap_or(a),
                            () if line.contains("urem") => a.checked_rem(c).unwrap_or(0),
                            () if line.contains("sdiv") && b == 0 => a,
                            () if line.contains("sdiv") => (a as i32).wrapping_div(b as i32) as u32,
                            () => break,
                        };
                        if got[at + k] != exact {
                            wrong.push(format!(
                                "{target}{asked}: {line} of {a:x} {b:x} {c:x}: {:x}, not {exact:x}",
                                got[at + k]
                            ));
                            break;
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What code needs denormals or rounding to nearest for has no other mode, nor have halves beside floats of 64 bits that have one: refused by
/// its code on GCN.
#[test]
fn modes_of_64_bits_that_code_does_not_keep() {
    let module = |asked: &str, body: &str| {
        let text = format!(
            "module robust off\nres0 \"a\" group 0 binding 0 storage_rw size 16 stride 16\n\
             entry \"main\" compute func0 size 1,1,1 float {asked}\nfunc0 \"main\" {{\nblock0:\n  v0: f64 = load res0[0] align 8\n{body}\
               store v1, res0[8] align 8\n  ret\n}}\n"
        );
        parse_module(&text).unwrap_or_else(|d| panic!("{d}\n{text}"))
    };
    let sum = "  v1: f64 = fadd v0, 3.0:f64\n";
    let quotient = "  v1: f64 = fdiv v0, 3.0:f64\n";
    let half = "  v2: f16 = f2f v0\n  v3: f16 = fadd v2, v2\n  v1: f64 = f2f v3\n";
    for (asked, body, is_kept) in [
        ("f64 zero", sum, true),
        ("f64 flush", sum, true),
        ("f64 preserve", quotient, true),
        ("f64 zero", quotient, false),
        ("f64 flush", quotient, false),
        ("f64 flush", "  v1: f64 = fsqrt v0\n", false),
        ("f64 zero", half, false),
        ("f64 flush float f16 preserve", half, false),
        ("f64 preserve", half, true),
    ] {
        let module = module(asked, body);
        for target in exec::targets("all:all").into_iter().filter(|t| t.family() == "gcn") {
            let codes = match gpucc::compile(&module, &Options::new(target)) {
                Ok(_) => None,
                Err(d) => Some(d.refusal()),
            };
            assert_eq!(codes, (!is_kept).then_some(Some(Refusal::FloatModes)), "{asked} on {target}\n{body}");
        }
    }
}

/// Modes that exclude each other, and widths that there are not.
#[test]
fn wrong_modes_are_told() {
    for (name, modes) in [
        ("both", ["DenormPreserve 32", "DenormFlushToZero 32"]),
        ("ways", ["RoundingModeRTZ 64", "RoundingModeRTE 64"]),
        ("width", ["DenormPreserve 8", "RoundingModeRTE 32"]),
    ] {
        let Some(bytes) = binary(name, &modes, "%r0 = OpCopyObject %u %a0\n") else { return };
        let list = frontend::load(&bytes, Lang::Spirv, &FrontOptions::default()).expect_err("it is wrong");
        assert_eq!((list[0].class, list[0].refusal()), (Class::Invalid, None), "{}", list[0]);
    }
}

/// Random programs may be too long for few hundred instructions, and for nothing else.
#[test]
fn little_room() {
    use gpucc_tests::predict::{of_random, too_long};
    let long = |on: On| too_long(on, &[Refusal::ProgramSize]);
    let places: Vec<String> =
        exec::targets("all:all").into_iter().map(exec::on).filter(|&on| long(on)).map(|on| on.to_string()).collect();
    assert_eq!(places, ["vivante:gc2000"]);
    assert!(!long(On::Interp));
    // Of fragments and draws as well.
    for (place, known) in [("vivante:gc2000", true), ("vivante:gc7000", false)] {
        let on = exec::on(exec::targets(place)[0]);
        assert_eq!(of_random(on, "randprog fs 1", &[Refusal::ProgramSize], "too long"), known, "{place}");
    }
    assert!(!too_long(exec::on(exec::targets("vivante:gc2000")[0]), &[Refusal::ProgramSize, Refusal::OutOfRegisters]));
}

/// What a fragment interpolates is rounded as the rest: the oracle has it to the bit, behind functions too.
#[test]
fn inputs_of_fragments_under_modes() {
    for asked in ["", " float f32 zero", " float f32 preserve", " float f32 preserve zero"] {
        let text = format!(
            "module robust on\nentry \"fs\" fragment func0{asked} {{\n  in0 \"x\" location 0 f32x4\n  out0 \"\" location 0 f32x4\n}}\n\
             func0 \"fs\" -> f32x4 {{\nblock0:\n  v0: f32x4 = input in0\n  v1: f32x4 = fsqrt v0\n  v2: f32x4 = sysval frag_coord\n\
             v3: f32x4 = fmul v1, v2\n  v4: f32x4 = fadd v3, v0\n  v5: f32x4 = fsin v4\n  ret v5\n}}\n"
        );
        let module = parse_module(&text).unwrap_or_else(|d| panic!("{d}"));
        for target in exec::targets("all:all").into_iter().filter(|t| t.family() == "gcn") {
            for level in [0, 2] {
                let artifact = gpucc::compile(&module, &Options::new(target).opt(level));
                let artifact = artifact.unwrap_or_else(|d| panic!("{target}{asked}: {d}"));
                let given = gpucc_verify::InputOverrides::default();
                let left = gpucc_verify::verify(&module, &artifact, target, &given);
                let left = left.unwrap_or_else(|d| panic!("{target} -O{level}{asked}: {d}"));
                assert!(left.is_empty(), "{target}{asked}: {}", left[0]);
            }
        }
    }
}
