#!/usr/bin/env python3
"""Random compute programs of GLSL with integers of 64, 16 and 8 bits, halves and floats of 64 bits, and what lavapipe gives.

    wide.py record FROM COUNT FILE    programs FROM, FROM+1, ..., as text with inputs and results (needs glslc, spirv-opt, cc and Mesa)
    wide.py text SEED                 one program

Every result is defined, and exact: nothing divides by zero, leaves the range of a conversion, is no number, or is a quotient or a root of
floats; floats are `precise`, and zeros have no sign when they are stored. `recorded_wide.rs` runs what is recorded."""
import os
import random
import struct
import subprocess
import sys
import tempfile

INVOCATIONS, INPUTS, OUTPUTS = 16, 48, 4
INTEGERS = {"i64": ("int64_t", 64, True), "u64": ("uint64_t", 64, False), "i32": ("int", 32, True), "u32": ("uint", 32, False),
            "i16": ("int16_t", 16, True), "u16": ("uint16_t", 16, False), "i8": ("int8_t", 8, True), "u8": ("uint8_t", 8, False)}
FLOATS = {"f16": "float16_t", "f32": "float", "f64": "double"}
# Of each kind of program: the types that its variables have.
KINDS = {
    "integers": ["i64", "u64", "i64", "u64", "i32", "u32", "i16", "u16", "i8", "u8", "bool", "l2"],
    "halves": ["f16", "f16", "h2", "h4", "f32", "i32", "u32", "i16", "u16", "i64", "bool"],
    "doubles": ["f64", "f64", "d2", "f32", "i64", "u64", "i32", "f16", "bool"],
}
VECTORS = {"h2": ("f16vec2", "f16", 2), "h4": ("f16vec4", "f16", 4), "d2": ("dvec2", "f64", 2), "l2": ("i64vec2", "i64", 2)}


def name(t):
    return VECTORS[t][0] if t in VECTORS else INTEGERS[t][0] if t in INTEGERS else FLOATS.get(t, t)


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed * 2 + 1)
        self.kind = self.r.choices(list(KINDS), [5, 4, 2])[0]
        self.types = KINDS[self.kind]
        self.count = 0
        self.vars = []
        self.depth = self.r.choice([1, 2, 2, 3])

    def one(self, *choices):
        return self.r.choice(choices)

    def literal(self, t):
        if t == "bool":
            return self.one("true", "false")
        if t in VECTORS:
            return "%s(%s)" % (name(t), self.literal(VECTORS[t][1]))
        if t in FLOATS:
            v = self.one("0.0", "1.0", "-1.0", "0.5", "-2.25", "3.0", "0.125", "-7.75", "16.0", "0.1", "-0.3")
            return {"f16": v + "hf", "f32": v, "f64": v + "lf"}[t]
        _, bits, signed = INTEGERS[t]
        v = self.one(0, 1, 2, 3, 5, 7, bits - 1, bits // 2, (1 << bits) - 1, (1 << bits) - 2, 1 << (bits - 1), (1 << (bits - 1)) - 1,
                     1 << (bits // 2), (1 << (bits // 2)) - 1, self.r.getrandbits(bits))
        suffix = {64: "ul", 32: "u", 16: "us"}.get(bits)
        text = "%s(%du)" % (name(t), v) if suffix is None else "%d%s" % (v, suffix)
        return "%s(%s)" % (name(t), text) if signed else text

    def leaf(self, t):
        have = [v for v, ty in self.vars if ty == t]
        return self.r.choice(have) if have and self.r.random() < 0.8 else self.literal(t)

    def whole(self, d):
        """An integer of any type."""
        t = self.r.choice([x for x in self.types if x in INTEGERS])
        return t, self.expr(t, d)

    def expr(self, t, d):
        if d <= 0 or self.r.random() < 0.1:
            return self.leaf(t)
        e = lambda ty: self.expr(ty, d - 1)
        if self.r.random() < 0.12:
            return "(%s ? %s : %s)" % (e("bool"), e(t), e(t))
        if t in INTEGERS:
            return self.integer(t, e, d)
        if t in FLOATS:
            return self.float(t, e, d)
        if t == "bool":
            return self.truth(e)
        return self.vector(t, e)

    def integer(self, t, e, d):
        ty, bits, signed = INTEGERS[t]
        k = self.r.randrange(18)
        if k < 5:
            return "%s(%s %s %s)" % (ty, e(t), "+-*^&"[k], e(t))
        if k == 5:
            return "%s(%s | %s)" % (ty, e(t), e(t))
        if k in (6, 7):
            return "%s(%s %s (%s & %s(%d)))" % (ty, e(t), self.one("<<", ">>"), e(t), ty, bits - 1)
        if k == 8:
            return "%s(%s %s %d)" % (ty, e(t), self.one("<<", ">>"), self.r.randrange(bits))
        if k == 9:
            return "%s(%s(%s, %s))" % (ty, self.one("div_", "mod_") + t, e(t), e(t))
        if k == 10:
            return "%s(%s(%s, %s))" % (ty, self.one("min", "max"), e(t), e(t)) if bits >= 32 else "%s(~%s)" % (ty, e(t))
        if k == 11 and signed and bits >= 32:
            # glslang folds the sign of a 64-bit constant into 32 bits and leaves those above as they were.
            return "%s(%s)" % (self.one("abs", "sign") if bits == 32 else "abs", e(t))
        if k == 12:
            return "%s(~%s)" % (ty, e(t))
        if k == 13 and bits == 64:
            other = "packUint2x32(uvec2(%s, %s))" if not signed else "packInt2x32(ivec2(%s, %s))"
            return other % ((e("u32"), e("u32")) if not signed else (e("i32"), e("i32"))) if "u32" in self.types else self.leaf(t)
        if k == 14 and bits == 32 and "u64" in self.types:
            return ("unpackUint2x32(%s).%s" if not signed else "unpackInt2x32(%s).%s") % (e("u64" if not signed else "i64"), self.one("x", "y"))
        if k == 15:
            have = [f for f in FLOATS if f in self.types]
            if have:
                f = self.r.choice(have)
                low, high = ("-100.0", "100.0") if signed else ("0.0", "200.0")
                suffix = {"f16": "hf", "f32": "", "f64": "lf"}[f]
                return "%s(clamp(%s, %s%s, %s%s))" % (ty, e(f), low, suffix, high, suffix)
        if k == 16:
            return "%s(%s)" % (ty, e("bool"))
        if k == 17 and t == "i64" and "l2" in self.types:
            return self.one("%s.x", "%s.y") % e("l2")
        other, text = self.whole(d - 1)
        return "%s(%s)" % (ty, text)

    def float(self, t, e, d):
        suffix = {"f16": "hf", "f32": "", "f64": "lf"}[t]
        ty = name(t)
        bound = lambda x: "clamp(%s, -60.0%s, 60.0%s)" % (x, suffix, suffix)
        k = self.r.randrange(15)
        if k < 4:
            return bound("(%s %s %s)" % (e(t), "+-*+"[k], e(t)))
        if k == 4:
            return "(-(%s))" % e(t)
        if k == 5:
            return "%s(%s)" % (self.one("abs", "floor", "ceil", "trunc", "roundEven", "sign"), e(t))
        if k == 6:
            return "%s(%s, %s)" % (self.one("min", "max", "step"), e(t), e(t))
        if k == 7:
            return "(%s * %s%s)" % (e(t), self.one("0.5", "0.25", "1.0"), suffix)
        if k in (8, 9):
            i, text = self.whole(d - 1)
            return "%s(%s & %s(%d))" % (ty, text, name(i), self.one(15, 31, 63)) if INTEGERS[i][1] >= 32 else "%s(int(%s) & 31)" % (ty, text)
        if k in (10, 11):
            have = [v for v in VECTORS if v in self.types and VECTORS[v][1] == t]
            if have:
                v = self.r.choice(have)
                return "%s.%s" % (e(v), "xyzw"[self.r.randrange(VECTORS[v][2])])
        if k == 12 and t == "f16":
            return "unpackFloat2x16(packFloat2x16(f16vec2(%s, %s))).y" % (e("f16"), e("f16"))
        if k == 13:
            have = [f for f in FLOATS if f in self.types and f != t]
            if have:
                return "%s(%s)" % (ty, e(self.r.choice(have)))
        if k == 14 and self.kind == "halves" and t == "f16":
            return "harr[%s & 3u]" % e("u32")
        return bound("(%s + %s)" % (e(t), e(t)))

    def truth(self, e):
        t = self.r.choice([x for x in self.types if x not in VECTORS])
        if t == "bool":
            return self.one("(%s && %s)", "(%s || %s)", "(%s ^^ %s)") % (e("bool"), e("bool"))
        return "(%s %s %s)" % (e(t), self.one("<", "<=", ">", ">=", "==", "!="), e(t))

    def vector(self, t, e):
        ty, lane, n = VECTORS[t]
        k = self.r.randrange(7)
        if k == 0:
            return "%s(%s)" % (ty, ", ".join(e(lane) for _ in range(n)))
        if k == 1:
            return "%s.%s" % (e(t), "".join(self.one(*"xyzw"[:n]) for _ in range(n)))
        if k == 2:
            return "mix(%s, %s, %s(%s))" % (e(t), e(t), "bvec%d" % n, ", ".join(e("bool") for _ in range(n)))
        if lane == "i64":
            return self.one("(%s + %s)", "(%s * %s)", "(%s ^ %s)", "min(%s, %s)") % (e(t), e(t))
        suffix = "hf" if lane == "f16" else "lf"
        if k == 3:
            return "%s(%s, %s)" % (self.one("min", "max"), e(t), e(t))
        if k == 4:
            return "(-(%s))" % e(t)
        if k == 5 and lane == "f16":
            return "f16vec%d(%s)" % (n, "vec%d(%s)" % (n, e(t)))
        return "clamp(%s %s %s, %s(-60.0%s), %s(60.0%s))" % (e(t), self.one("+", "-", "*"), e(t), ty, suffix, ty, suffix)

    def block(self, d, loop, indent):
        out, pad, kept = [], "  " * indent, list(self.vars)
        for _ in range(self.r.randrange(1, 4)):
            k = self.r.random()
            if k < 0.3:
                t = self.r.choice(self.types)
                self.count += 1
                v = "v%d" % self.count
                out.append("%s%s%s %s = %s;" % (pad, "" if t in INTEGERS or t in ("bool", "l2") else "precise ", name(t), v, self.expr(t, self.depth)))
                self.vars.append((v, t))
            elif k < 0.62:
                mutable = [x for x in self.vars if x[0].startswith(("v", "g"))]
                v, t = self.r.choice(mutable)
                out.append("%s%s = %s;" % (pad, v, self.expr(t, self.depth)))
            elif k < 0.7 and "u32" in self.types:
                if self.kind == "halves":
                    out.append("%sharr[%s & 3u] = %s;" % (pad, self.expr("u32", 1), self.expr("f16", 1)))
                else:
                    out.append("%sarr[%s & 3u] ^= %s;" % (pad, self.expr("u32", 1), self.expr("i64", 1)))
            elif d > 0 and k < 0.82:
                text = "%sif (%s) {\n%s\n%s}" % (pad, self.expr("bool", 2), self.block(d - 1, loop, indent + 1), pad)
                if self.r.random() < 0.5:
                    text += " else {\n%s\n%s}" % (self.block(d - 1, loop, indent + 1), pad)
                out.append(text)
            elif d > 0 and k < 0.93:
                self.count += 1
                i = "i%d" % self.count
                self.vars.append((i, "i32"))
                end = self.one("%d" % self.r.randrange(1, 5), "int(lid & 3u)")
                out.append("%sfor (int %s = 0; %s < %s; %s++) {\n%s\n%s}" % (pad, i, i, end, i, self.block(d - 1, True, indent + 1), pad))
                self.vars.remove((i, "i32"))
            elif d > 0 and "i32" in self.types:
                cases = "".join("%s  case %d: {\n%s\n%s  }%s\n" % (pad, c, self.block(d - 1, False, indent + 2), pad, self.one(" break;", " break;", ""))
                                for c in range(2))
                out.append("%sswitch (%s & 3) {\n%s%s  default: break;\n%s}" % (pad, self.expr("i32", 1), cases, pad, pad))
            elif loop:
                out.append("%sif (%s) %s;" % (pad, self.expr("bool", 1), self.one("break", "continue")))
        self.vars = kept
        return "\n".join(out)

    def text(self):
        out = ["#version 460", "#extension GL_EXT_shader_explicit_arithmetic_types : require", "layout(local_size_x = %d) in;" % INVOCATIONS,
               "layout(std430, binding = 0) readonly buffer I { uint64_t a[]; };", "layout(std430, binding = 1) buffer O { uint64_t o[]; };",
               "int64_t arr[4];"]
        if self.kind == "halves":
            out.append("float16_t harr[4];")
        for t in sorted({t for t in self.types if t in INTEGERS}):
            ty, bits, signed = INTEGERS[t]
            overflows = " || b == %s(-1)" % ty if signed else ""
            out.append("%s div_%s(%s a, %s b) { return b == %s(0)%s ? a : %s(a / b); }" % (ty, t, ty, ty, ty, overflows, ty))
            # The rest of numbers below zero is not defined in GLSL.
            if signed:
                out.append("%s mod_%s(%s a, %s b) { return b <= %s(0) || a < %s(0) ? a : %s(a %% b); }" % (ty, t, ty, ty, ty, ty, ty))
            else:
                out.append("%s mod_%s(%s a, %s b) { return b == %s(0) ? a : %s(a %% b); }" % (ty, t, ty, ty, ty, ty))
        given = []
        for k, t in enumerate(sorted(set(self.types))):
            g = "g%d" % k
            word = "a[(lid * 3u + %du) %% %du]" % (k * 7, INPUTS)
            if t == "bool":
                made = "(%s & 1ul) != 0ul" % word
            elif t in VECTORS:
                lane, n = VECTORS[t][1:]
                parts = ["int64_t(%s >> %d)" % (word, 5 * i) if lane == "i64" else "%s(int(%s >> %d) & 63) * %s - %s" % (
                    name(lane), word, 5 * i, *{"f16": ("0.25hf", "8.0hf"), "f64": ("0.25lf", "8.0lf")}[lane]) for i in range(n)]
                made = "%s(%s)" % (name(t), ", ".join(parts))
            elif t in FLOATS:
                made = "%s(int(%s) & 127) * %s - %s" % (name(t), word, *{"f16": ("0.125hf", "8.0hf"), "f32": ("0.125", "8.0"), "f64": ("0.125lf", "8.0lf")}[t])
            else:
                made = "%s(%s)" % (name(t), word)
            given.append("  %s%s %s = %s;" % ("precise " if t in FLOATS or t in VECTORS and t != "l2" else "", name(t), g, made))
            self.vars.append((g, t))
        body = self.block(3, False, 1)
        for _ in range(self.r.randrange(0, 3)):
            body += "\n" + self.block(2, False, 1)
        out.append("void main() {\n  uint lid = gl_LocalInvocationIndex;\n  for (int i = 0; i < 4; i++) arr[i] = int64_t(a[lid * 3u + uint(i) & 31u]);")
        if self.kind == "halves":
            out.append("  for (int i = 0; i < 4; i++) harr[i] = float16_t(i) * 0.5hf;")
        out += given + [body]
        sums = ["uint64_t(0)"] * OUTPUTS
        for k, (g, t) in enumerate(v for v in self.vars if v[0].startswith("g")):
            sums[k % OUTPUTS] = "(%s * 31ul ^ %s)" % (sums[k % OUTPUTS], self.bits(g, t))
        for k in range(4):
            element = "arr[%d]" % k if self.kind != "halves" else None
            bits = "uint64_t(%s)" % element if element else self.bits("harr[%d]" % k, "f16")
            sums[k] = "(%s * 31ul ^ %s)" % (sums[k], bits)
        out += ["  o[lid * %du + %du] = %s;" % (OUTPUTS, k, s) for k, s in enumerate(sums)]
        return "\n".join(out) + "\n}\n"

    def bits(self, v, t):
        """A value as an integer of 64 bits."""
        if t == "bool":
            return "(%s ? 1ul : 0ul)" % v
        if t in VECTORS:
            lane, n = VECTORS[t][1:]
            parts = [self.bits("%s.%s" % (v, "xyzw"[i]), lane) for i in range(n)]
            return "(%s)" % " + ".join("%s * %dul" % (p, 2 * i + 1) for i, p in enumerate(parts))
        if t == "f16":
            return "(%s == 0.0hf ? 0ul : uint64_t(float16BitsToUint16(%s)))" % (v, v)
        if t == "f32":
            return "(%s == 0.0 ? 0ul : uint64_t(floatBitsToUint(%s)))" % (v, v)
        if t == "f64":
            return "(%s == 0.0lf ? 0ul : packUint2x32(unpackDouble2x32(%s)))" % (v, v)
        return "uint64_t(%s)" % v


def words(seed):
    r = random.Random(seed)
    edges = [0, 1, 2, 3, 7, 31, 32, 63, 64, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1]
    return [r.choice(edges) if r.random() < 0.5 else r.getrandbits(r.randrange(1, 65)) for _ in range(INPUTS)]


def record(first, count, path):
    here = os.path.dirname(os.path.abspath(__file__))
    env = dict(os.environ, LP_NUM_THREADS="1")
    env.setdefault("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")
    left_out = {}
    with tempfile.TemporaryDirectory() as work, open(path, "w") as out:
        subprocess.check_call(["cc", "-O1", "-o", work + "/vkwide", here + "/vkwide.c", "-lvulkan"])
        for begin in range(first, first + count, 50):
            seeds = list(range(begin, min(begin + 50, first + count)))
            sources = {s: Program(s).text() for s in seeds}
            for s in seeds:
                open("%s/p%d.comp" % (work, s), "w").write(sources[s])
            subprocess.run(["glslc", "-O0", "--target-env=vulkan1.2", "-c"] + ["p%d.comp" % s for s in seeds], cwd=work, stderr=subprocess.PIPE)
            runs = []
            for s in seeds:
                plain, optimised = "%s/p%d.comp.spv" % (work, s), "%s/p%d.opt.spv" % (work, s)
                if not os.path.exists(plain):
                    left_out["not GLSL"] = left_out.get("not GLSL", 0) + 1
                    print(s, "is no GLSL", flush=True)
                    continue
                subprocess.check_call(["spirv-opt", "-O", plain, "-o", optimised])
                open("%s/p%d.in" % (work, s), "wb").write(struct.pack("<%dQ" % INPUTS, *words(s)))
                runs += [(s, plain, 0), (s, optimised, 1)]
            size = 8 * INVOCATIONS * OUTPUTS
            given = "".join("%s %s/p%d.in %s/p%d.out%d %d\n" % (m, work, s, work, s, k, size) for s, m, k in runs)
            subprocess.run([work + "/vkwide"], input=given.encode(), env=env, check=True)
            for s in sorted({s for s, _, _ in runs}):
                ends = [open("%s/p%d.out%d" % (work, s, k), "rb").read() for k in (0, 1)]
                if ends[0] != ends[1]:
                    left_out["lavapipe differs with spirv-opt"] = left_out.get("lavapipe differs with spirv-opt", 0) + 1
                    print(s, "lavapipe differs with spirv-opt", flush=True)
                    continue
                line = lambda b: " ".join("%x" % w for w in struct.unpack("<%dQ" % (len(b) // 8), b))
                given = struct.pack("<%dQ" % INPUTS, *words(s))
                out.write("program %d %s\nin %s\nout %s\n%send\n" % (s, Program(s).kind, line(given), line(ends[0]), sources[s]))
            print(begin, flush=True)
    print("left out:", left_out)


if __name__ == "__main__":
    if sys.argv[1] == "text":
        print(Program(int(sys.argv[2])).text(), end="")
    else:
        record(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
