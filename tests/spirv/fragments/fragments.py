#!/usr/bin/env python3
"""fragments.py record FROM COUNT > ../fragments.txt: random fragment programs of GLSL as modules, every second one after spirv-opt -O, each with three
vertices, their varyings and textures, and what lavapipe draws of it; `tests/tests/random/recorded_fragments.rs` draws them, too. fragments.py text N: the GLSL of
program N; texts RECORD: the GLSL of all programs of a record, as base64 of a zlib stream of a JSON list. fragments.py compare FROM TO: programs, plain and after spirv-opt -O, by `gpucc render` ($GPUCC, on $TARGETS or the oracle), and prints every
program that differs; files of those stay in $WORK.

Inputs are interpolated smoothly, without perspective, flat and at centroids; they share locations as components. What the program reads of them is
rounded, and no exact value lies near the middle of two whole numbers: how a machine rounds while it interpolates does not matter. The same goes for what
filters give. Needs Debian's mesa-vulkan-drivers libvulkan-dev glslang-tools spirv-tools and a C compiler.
"""
import base64, collections, json, os, random, struct, subprocess, sys, zlib
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.environ.get("WORK", "/tmp/fragments")
GPUCC = os.environ.get("GPUCC", "target/release/gpucc")
os.environ.setdefault("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")
os.environ["LP_NUM_THREADS"] = "1"
SIZE = 4
SCALE = 64
MODES = {"perspective": "smooth", "linear": "noperspective", "flat": "flat"}


def weights(x, y):
    """The parts of the three vertices in a pixel, without perspective: the triangle is the lower left half of 8 by 8 pixels, of which the lower left quarter
    is looked at. Nothing is clipped: lavapipe gives NaNs for clipped inputs without perspective."""
    a, b = F(2 * x + 1, 4 * SIZE), F(2 * (SIZE - 1 - y) + 1, 4 * SIZE)
    return 1 - a - b, a, b


def value(values, mode, w, x, y):
    l = weights(x, y)
    if mode == "flat":
        return F(values[0])
    if mode == "linear":
        return sum(a * b for a, b in zip(l, values))
    return sum(a * b / c for a, b, c in zip(l, values, w)) / sum(a / c for a, c in zip(l, w))


def is_far(v):
    """Whether rounding a value has room on both sides."""
    t = v * SCALE + F(1, 2)
    part = t - t.numerator // t.denominator
    return F(1, 12) < part < F(11, 12)


class Program:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.seed = seed
        self.w = [F(r.choice([1, 1, 2, 4]), r.choice([1, 1, 2])) for _ in range(3)]
        self.varyings, self.declared, self.reads, self.textures = [], [], [], []
        self.names = 0
        # Families without masks of samples refuse programs that ask whether they are helpers.
        self.asks = r.random() < 0.25
        for location in r.sample(range(8), r.randint(1, 4)):
            self.varying(location)
        for binding in r.sample(range(6), r.randint(0, 3)):
            self.texture(binding)
        self.source = self.body()

    def varying(self, location):
        r = self.r
        mode = r.choice(["perspective", "perspective", "linear", "flat", "integer"])
        integer, mode = mode == "integer", "flat" if mode == "integer" else mode
        lanes = r.randint(1, 4)
        table = []
        for _ in range(lanes):
            while True:
                if integer:
                    one = [r.choice([r.randint(-9, 9), r.getrandbits(31), -r.getrandbits(31)]) for _ in range(3)]
                    break
                one = [F(r.randint(-16, 16), 4) for _ in range(3)]
                if all(is_far(value(one, mode, self.w, x, y)) for x in range(SIZE) for y in range(SIZE)):
                    break
            table.append(one)
        self.varyings.append((location, mode, "i32" if integer else "f32", lanes, table))
        centroid = "centroid " if mode != "flat" and r.random() < 0.3 else ""
        precision = "mediump " if not integer and r.random() < 0.2 else ""
        at = 0
        while at < lanes:
            n = r.randint(1, lanes - at)
            name = "v%d%s" % (location, "xyzw"[at])
            one, many = ("int", "ivec") if integer else ("float", "vec")
            place = "location = %d" % location + (", component = %d" % at if at or r.random() < 0.3 else "")
            self.declared.append("layout(%s) %s%s in %s%s %s;" % (place, centroid, MODES[mode], precision, one if n == 1 else many + str(n), name))
            for k in range(n):
                part = name + ("" if n == 1 else "." + "xyzw"[k])
                self.reads.append(part if integer else "int(floor(%s * %d.0 + 0.5))" % (part, SCALE))
            at += n
            if r.random() < 0.15:
                break

    def texture(self, binding):
        r = self.r
        format = r.choice(["rgba8unorm", "rgba8unorm", "r8unorm", "rgba8uint", "rgba8sint", "r32uint", "r32float"])
        linear = format in ("rgba8unorm", "r8unorm") and r.random() < 0.5
        w, h = r.choice([2, 4]), r.choice([2, 4, 8])
        layers, levels = r.choice([1, 1, 1, 2]), r.choice([1, 1, 2])
        wrap = r.choice(["repeat", "mirror", "clamp"])
        data = b""
        for level in range(levels):
            n = max(w >> level, 1) * max(h >> level, 1) * layers
            if format == "r32float":
                data += struct.pack("<%df" % n, *(r.randint(-40, 40) for _ in range(n)))
            elif format == "r32uint":
                data += struct.pack("<%dI" % n, *(r.choice([r.randint(0, 9), r.getrandbits(32)]) for _ in range(n)))
            else:
                bytes_of = n * (1 if format == "r8unorm" else 4)
                data += bytes(r.choice([0, 255]) if linear else r.randint(0, 255) for _ in range(bytes_of))
        self.textures.append((binding, format, w, h, layers, levels, "linear" if linear else "nearest", wrap, data))
        kind = {"uint": "u", "sint": "i"}.get(format[-4:], "")
        self.declared.append("layout(binding = %d) uniform %ssampler2D%s t%d;" % (binding, kind, "Array" if layers > 1 else "", binding))

    # Expressions of integers.
    def leaf(self):
        r = self.r
        roll = r.random()
        if roll < 0.45 and self.known:
            return r.choice(self.known)
        if roll < 0.75:
            return r.choice(self.reads)
        if roll < 0.85:
            return r.choice(["int(gl_FragCoord.x)", "int(gl_FragCoord.y)", "int(floor(gl_FragCoord.z * 64.0 + 0.5))", "int(floor(gl_FragCoord.w * 64.0 + 0.5))",
                             "int(gl_FrontFacing)"] + ["int(gl_HelperInvocation)"] * self.asks)
        return str(r.choice([0, 1, 2, 3, 7, -1, -5, 100, 65535, 2147483647, r.randint(-1000, 1000)]))

    def small(self, mask=15):
        return "(%s & %d)" % (self.expression(1), mask)

    def expression(self, depth):
        r = self.r
        if depth == 0 or r.random() < 0.2:
            return self.leaf()
        a = self.expression(depth - 1)
        pick = r.randrange(12)
        if pick < 5:
            return "(%s %s %s)" % (a, r.choice(["+", "-", "*", "^", "&", "|"]), self.expression(depth - 1))
        if pick == 5:
            return "(%s %s %s)" % (a, r.choice(["<<", ">>"]), self.small(31))
        if pick == 6:
            return "(%s ? %s : %s)" % (self.condition(depth - 1), a, self.expression(depth - 1))
        if pick == 7:
            return "%s(%s, %s)" % (r.choice(["min", "max"]), a, self.expression(depth - 1))
        if pick == 8:
            return r.choice(["bitCount(%s)", "findMSB(%s)", "bitfieldReverse(%s)", "abs(%s)", "sign(%s)", "~(%s)"]) % a
        if pick == 9:
            return "bitfieldExtract(%s, %d, %d)" % (a, r.randint(0, 15), r.randint(1, 16))
        if pick == 10:
            return self.floats()
        return "ivec%d(%s).%s" % (4, ", ".join([a] + [self.leaf() for _ in range(3)]), r.choice("xyzw"))

    def condition(self, depth):
        a = "(%s %s %s)" % (self.expression(depth), self.r.choice(["<", ">", "==", "!=", "<=", ">="]), self.expression(depth))
        return a if self.r.random() < 0.8 else "!" + a

    def floats(self):
        """An integer by floats that are exact."""
        r = self.r
        a, b, c = ("float(%s)" % self.small(63) for _ in range(3))
        return r.choice([
            "int(%s * 0.25 + %s * %s)" % (a, b, c), "int(max(%s, %s - %s) * 4.0)" % (a, b, c), "int(floor(%s * 0.375) + fract(%s * 0.25) * 8.0)" % (a, b),
            "int(dot(vec3(%s, %s, 1.0), vec3(%s, 2.0, -3.0)))" % (a, b, c), "int(mix(%s, %s, 0.5) * 2.0)" % (a, b), "int(mod(%s, 8.0) + step(%s, %s))" % (a, b, c),
            "int((mat2(%s, 1.0, %s, 2.0) * vec2(%s, 3.0)).x)" % (a, b, c), "int(clamp(%s, 7.0, 21.0) + roundEven(%s * 0.5))" % (a, b),
            "int(ldexp(%s, 3))" % a])

    def sampled(self):
        """Statements that make an integer of a texture."""
        r = self.r
        binding, format, w, h, layers, levels, filter, wrap, _ = r.choice(self.textures)
        t, name = "t%d" % binding, self.fresh()
        layer = ", %s" % self.small(3) if layers > 1 else ""
        whole = format[-4:] in ("uint", "sint")
        lod = r.randint(0, levels - 1)
        lw, lh = max(w >> lod, 1), max(h >> lod, 1)
        offset = "ivec2(%d, %d)" % (r.randint(-2, 2), r.randint(-2, 2))
        ways = ["fetch", "fetch", "size"]
        if not whole:
            ways += ["level", "level", "gather"] + (["implicit", "implicit", "offset"] if levels == 1 and self.top else []) + (["proj"] if layers == 1 else [])
        way = r.choice(ways)
        if way == "size":
            parts = "ivec3(textureSize(%s, %d), textureQueryLevels(%s))" % (t, lod, t)
            return ["int %s = %s.%s;" % (name, parts if layers == 1 else "textureSize(%s, %d)" % (t, lod), r.choice("xyz"))], name
        if way == "fetch":
            place = "ivec%d(%s, %s%s)" % (2 if layers == 1 else 3, self.small(lw - 1), self.small(lh - 1), layer if not layer else ", %s" % self.small(1))
            value = "texelFetch(%s, %s, %d)" % (t, place, lod)
        else:
            # The middles of texels, or the places between two of them where they are filtered.
            step, move = ("0.25", "0.0") if filter == "linear" and way != "gather" else ("1.0", "0.0" if way == "gather" else "0.5")
            if way == "gather":
                lw, lh = w, h
            u, v = ("(float(%s - 5) * %s + %s) / %d.0" % (self.small(), step, move, n) for n in (lw, lh))
            place = "vec%d(%s, %s%s)" % (2 if layers == 1 else 3, u, v, layer and ", float(%s)" % layer[2:])
            value = {
                "level": "textureLod(%s, %s, %d.0)" % (t, place, lod), "implicit": "texture(%s, %s)" % (t, place), "offset": "textureOffset(%s, %s, %s)" % (t, place, offset),
                "gather": "textureGather(%s, %s, %d)" % (t, place, 0 if format.startswith("r8") or format.startswith("r3") else r.randint(0, 3)),
                "proj": "textureProjLod(%s, vec3(%s * 2.0, 2.0), %d.0)" % (t, place, lod),
            }[way]
        part = r.choice("xyzw")
        if whole:
            return ["int %s = int(%s.%s);" % (name, value, part)], name
        scale = 1 if format == "r32float" else 16 if filter == "linear" and way != "fetch" else 255
        return ["int %s = int(floor(%s.%s * %d.0 + 0.5));" % (name, value, part, scale)], name

    def fresh(self):
        self.names += 1
        return "n%d" % self.names

    def assign(self):
        return "%s = %s;" % (self.r.choice(self.own), self.expression(2))

    def statements(self, depth, count):
        r = self.r
        out = []
        for _ in range(count):
            pick = r.randrange(12)
            if pick < 3 and self.textures:
                lines, name = self.sampled()
                out += lines + ["%s %s= %s;" % (r.choice(self.own), r.choice(["+", "^", ""]), name)]
            elif pick == 3:
                name = self.fresh()
                out += ["precise float %s = float(%s) * 1.00000047 + %s.3;" % (name, self.small(0xffffff), r.randint(1, 99)),
                        "%s ^= floatBitsToInt(%s);" % (r.choice(self.own), name)]
            elif pick == 4 and self.top:
                out.append("%s += int(%s(float(%s)));" % (r.choice(self.own), r.choice(["dFdxFine", "dFdyFine", "fwidthFine"]), self.small(1023)))
            elif pick == 5:
                out.append("%s %s= helper(%s, %s);" % (r.choice(self.own), r.choice(["", "+"]), r.choice(self.own), self.expression(2)))
            elif pick in (6, 7) and depth > 0:
                top, self.top = self.top, False
                out += ["if (%s) {" % self.condition(2)] + self.statements(depth - 1, r.randint(1, 2))
                out += (["} else {"] + self.statements(depth - 1, r.randint(1, 2)) if r.random() < 0.6 else []) + ["}"]
                self.top = top
            elif pick == 8 and depth > 0:
                top, self.top = self.top, False
                k = self.fresh()
                out += ["for (int %s = 0; %s < %s; ++%s) {" % (k, k, r.choice([str(r.randint(1, 5)), self.small(7)]), k)]
                self.known.append(k)
                out += self.statements(depth - 1, r.randint(1, 2))
                out += ["if (%s) %s;" % (self.condition(1), r.choice(["break", "continue"]))] if r.random() < 0.5 else []
                out += [self.assign(), "}"]
                self.known.remove(k)
                self.top = top
            elif pick == 9 and depth > 0:
                top, self.top = self.top, False
                out.append("switch (%s) {" % self.small(3))
                for case in r.sample(range(4), r.randint(1, 3)):
                    out += ["case %d:" % case] + self.statements(0, 1) + (["break;"] if r.random() < 0.6 else [])
                out += ["default:", self.assign(), "}"]
                self.top = top
            else:
                out.append(self.assign())
        return ["    " + line for line in out]

    def body(self):
        r = self.r
        self.known, self.own, self.top = [], [], True
        lines = ["#version 450"] + self.declared
        split = r.random() < 0.3
        lines += ["layout(location = 0, component = 0) out ivec2 low;", "layout(location = 0, component = 2) out ivec2 high;"] if split else ["layout(location = 0) out ivec4 colour;"]
        reads, self.reads = self.reads, ["x"]
        self.own = ["x"]
        self.known = ["y"]
        lines += ["int helper(inout int x, int y) {", "    if (%s) return x;" % self.condition(1), "    x = %s;" % self.expression(2), "    return %s;" % self.expression(2), "}"]
        self.reads, self.own, self.known = reads, ["a", "b", "c", "d"], ["a", "b", "c", "d"]
        lines += ["void main() {"] + ["    int %s = %s;" % (v, r.choice(reads)) for v in "abcd"]
        lines += self.statements(2, r.randint(2, 5))
        if r.random() < 0.25:
            lines.append("    if (%s == %d) discard;" % (self.small(7), r.randint(0, 7)))
            self.top = False
            lines += self.statements(1, 2)
        lines += ["    low = ivec2(a, b);", "    high = ivec2(c, d);", "}"] if split else ["    colour = ivec4(a, b, c, d);", "}"]
        return "\n".join(lines)

    def vertex(self):
        out, values = [], []
        for location, mode, ty, lanes, table in self.varyings:
            one, many = ("int", "ivec") if ty == "i32" else ("float", "vec")
            ty = one if lanes == 1 else many + str(lanes)
            out.append("layout(location = %d) %s out %s v%d;" % (location, MODES[mode], ty, location))
            each = ["%s(%s)" % (ty, ", ".join(str(c[k]) if one == "int" else repr(float(c[k])) for c in table)) for k in range(3)]
            values.append("    v%d = %s[](%s)[gl_VertexIndex];" % (location, ty, ", ".join(each)))
        return "\n".join(["#version 450"] + out + ["void main() {", "    float w = float[](%s)[gl_VertexIndex];" % ", ".join(repr(float(w)) for w in self.w),
            "    vec2 at = vec2[](vec2(-1.0), vec2(1.0, -1.0), vec2(-1.0, 1.0))[gl_VertexIndex];", "    gl_Position = vec4(at, 0.25, 1.0) * w;"] + values + ["}", ""])

    def head(self):
        lines = ["w " + " ".join(repr(float(w)) for w in self.w)]
        for location, mode, ty, lanes, table in self.varyings:
            lines.append("varying %d %s %s %d %s" % (location, mode, ty, lanes, " ".join(repr(float(c[k])) if ty == "f32" else str(c[k]) for k in range(3) for c in table)))
        for t in self.textures:
            lines.append("texture %d %s %d %d %d %d %s %s %s" % (t[:-1] + (t[-1].hex(),)))
        return lines

    def scene(self, vertex, fragment):
        """The same as a scene of gpucc; what is drawn is printed as words of a raw file."""
        wraps = {"repeat": "repeat", "mirror": "mirror-repeat", "clamp": "clamp-to-edge"}
        s = ['format = "scene-1"', "[shaders]", 'v = { file = "%s" }' % vertex, 'f = { file = "%s" }' % fragment, "[textures]", 'picture = { format = "rgba32sint", size = [8, 8] }']
        bindings = []
        for binding, format, w, h, layers, levels, filter, wrap, data in self.textures:
            s.append('t%d = { format = "%s", size = [%d, %d, %d], mipLevelCount = %d, contents = { hex = "%s" } }' % (binding, format, w, h, layers, levels, data.hex()))
            bindings += ['{ binding = %d, texture = "t%d" }' % (binding, binding), '{ binding = %d, sampler = "t%d" }' % (binding, binding)]
        s.append("[samplers]")
        for binding, _, _, _, _, _, filter, wrap, _ in self.textures:
            s.append('t%d = { magFilter = "%s", minFilter = "%s", addressModeU = "%s", addressModeV = "%s" }' % (binding, filter, filter, wraps[wrap], wraps[wrap]))
        s += ["[pipelines.p]", 'vertex = { shader = "v" }', 'fragment = { shader = "f", targets = [{ format = "rgba32sint" }] }', "[[passes]]", 'type = "render"',
              'colorAttachments = [{ texture = "picture" }]', "[[passes.draws]]", 'pipeline = "p"', "bindings = [%s]" % ", ".join(bindings), "draw = { vertexCount = 3 }",
              "[[outputs]]", 'name = "picture"', 'texture = "picture"', ""]
        return "\n".join(s)


def run(*command, limit=60):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 99, b"", b"timeout")


class Files:
    """The files of a program; none of one that glslang refuses."""
    def __init__(self, p):
        self.base = os.path.join(WORK, "f%d" % p.seed)
        self.made = []
        self.vertex, self.plain, self.optimised = self.base + ".vert.spv", self.base + ".frag.spv", self.base + "-O.frag.spv"
        self.write(".vert", p.vertex())
        self.write(".frag", p.source)
        for t in p.textures:
            self.write(".t%d" % t[0], t[-1])
        self.ok = all(run("glslangValidator", "-V", self.base + e, "-o", self.base + e + ".spv").returncode == 0 for e in (".vert", ".frag"))
        self.ok = self.ok and run("spirv-opt", "-O", self.plain, "-o", self.optimised).returncode == 0
        self.made += [self.vertex, self.plain, self.optimised]
        self.p = p

    def write(self, end, text):
        open(self.base + end, "wb").write(text if isinstance(text, bytes) else text.encode())
        self.made.append(self.base + end)
        return self.base + end

    def lavapipe(self, fragment):
        lines = ["vertex " + self.vertex, "fragment " + fragment]
        lines += ["texture %d %s %d %d %d %d %s %s %s.t%d" % (t[:-1] + (self.base, t[0])) for t in self.p.textures]
        done = run(os.path.join(WORK, "vkdraw"), self.write(".scene", "\n".join(lines) + "\n"))
        return done.stdout.decode().split() if done.returncode == 0 else None

    def gpucc(self, fragment, target):
        scene = self.write(".toml", self.p.scene(self.vertex, fragment))
        out = self.base + ".raw"
        done = run(GPUCC, "render", scene, "--target", target, "--dump", "picture=" + out)
        self.made.append(out)
        if done.returncode != 0:
            return "exit %d: %s" % (done.returncode, done.stderr.decode(errors="replace").strip().split("\n")[0])
        rows = struct.iter_unpack("<32I", open(out, "rb").read())
        return ["%x" % v for row in list(rows)[SIZE:] for v in row[:4 * SIZE]]

    def remove(self):
        for f in self.made:
            os.path.exists(f) and os.remove(f)


def compare(seed):
    files = Files(Program(seed))
    if not files.ok:
        return seed, "not GLSL"
    judge = [files.lavapipe(f) for f in (files.plain, files.optimised)]
    if judge[0] is None or judge[0] != judge[1]:
        return seed, "lavapipe disagrees with itself"
    for target in os.environ.get("TARGETS", "interp").split(","):
        for name, f in (("plain", files.plain), ("optimised", files.optimised)):
            got = files.gpucc(f, target)
            if got != judge[0]:
                return seed, "%s, %s: %s" % (target, name, got if isinstance(got, str) else "differs")
    files.remove()
    return seed, "equal"


if __name__ == "__main__":
    if sys.argv[1] == "text":
        print(Program(int(sys.argv[2])).source)
        sys.exit()
    if sys.argv[1] == "texts":
        seeds = [int(line.split()[1]) for line in open(sys.argv[2]) if line.startswith("program ")]
        packed = base64.b64encode(zlib.compress(json.dumps([Program(s).source for s in seeds]).encode(), 9)).decode()
        print("\n".join(packed[k:k + 168] for k in range(0, len(packed), 168)))
        sys.exit()
    os.makedirs(WORK, exist_ok=True)
    subprocess.check_call(["cc", "-O1", "-o", os.path.join(WORK, "vkdraw"), os.path.join(HERE, "vkdraw.c"), "-lvulkan"])
    first, last = int(sys.argv[2]), int(sys.argv[3])
    if sys.argv[1] == "record":
        count, seed = 0, first
        while count < last:
            p = Program(seed)
            seed += 1
            files = Files(p)
            words = files.lavapipe(files.plain) if files.ok and len(p.source) < 2600 else None
            if words and words == files.lavapipe(files.optimised):
                module = files.plain
                if count % 2 == 1:
                    run("glslangValidator", "-V", "-g0", files.base + ".frag", "-o", files.plain)
                    run("spirv-opt", "-O", files.plain, "-o", files.optimised)
                    module = files.optimised
                packed = base64.b64encode(zlib.compress(open(module, "rb").read(), 9)).decode()
                print("\n".join(["program %d" % p.seed] + p.head() + ["out " + " ".join(words), "module " + packed, ""]))
                count += 1
            files.remove()
        sys.exit()
    total = collections.Counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, verdict in pool.map(compare, range(first, last)):
            total[verdict.split(":")[0]] += 1
            if verdict not in ("equal", "not GLSL"):
                print(seed, verdict, flush=True)
    print(dict(total))
    sys.exit(any(v not in ("equal", "not GLSL") for v in total))
