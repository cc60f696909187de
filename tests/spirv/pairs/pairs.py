#!/usr/bin/env python3
"""pairs.py record FROM COUNT FILE: random draws of `randprog --stage draw` ($RANDPROG) with what lavapipe draws of each, as a file that
`tests/tests/random/recorded_pairs.rs` reads: base64 of a zlib stream of lines of JSON. pairs.py text FILE SEED: the scene and the texts of one of them.

Which pixels the specifications leave open says the generator (`tests/src/randdraw/geometry.rs`): it is part of each line, as `open`. Needs Debian's
mesa-vulkan-drivers libvulkan-dev glslc and a C compiler.
"""
import base64, json, os, re, struct, subprocess, sys, zlib
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.environ.get("WORK", "/tmp/pairs")
RANDPROG = os.environ.get("RANDPROG", "target/debug/randprog")
os.environ.setdefault("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")
os.environ["LP_NUM_THREADS"] = "1"
HEADER = "/usr/include/vulkan/vulkan_core.h"
VK = {}


def read_header():
    for name, value in re.findall(r"\b(VK_[A-Z0-9_]+) = (0x[0-9A-Fa-f]+|\d+)[,\n]", open(HEADER).read()):
        VK[name] = int(value, 0)


SPECIAL = {
    "bgra8unorm": "B8G8R8A8_UNORM", "rgba8unorm-srgb": "R8G8B8A8_SRGB", "rgb10a2unorm": "A2B10G10R10_UNORM_PACK32", "rgb10a2uint": "A2B10G10R10_UINT_PACK32",
    "rg11b10ufloat": "B10G11R11_UFLOAT_PACK32", "depth16unorm": "D16_UNORM", "depth24plus": "X8_D24_UNORM_PACK32", "depth24plus-stencil8": "D24_UNORM_S8_UINT",
    "depth32float": "D32_SFLOAT", "depth32float-stencil8": "D32_SFLOAT_S8_UINT", "stencil8": "S8_UINT", "unorm8x4-bgra": "B8G8R8A8_UNORM",
    "unorm10-10-10-2": "A2B10G10R10_UNORM_PACK32", "snorm10-10-10-2": "A2B10G10R10_SNORM_PACK32",
}
KINDS = {"unorm": "UNORM", "snorm": "SNORM", "uint": "UINT", "sint": "SINT", "float": "SFLOAT"}


def channels(n, bits, kind):
    return "".join("%s%d" % (c, bits) for c in "RGBA"[:n]) + "_" + KINDS[kind]


def format_of(name):
    if name in SPECIAL:
        return VK["VK_FORMAT_" + SPECIAL[name]]
    m = re.fullmatch(r"(r|rg|rgba)(8|16|32)([a-z]+)", name)
    if m:
        return VK["VK_FORMAT_" + channels(len(m[1]), int(m[2]), m[3])]
    m = re.fullmatch(r"([a-z]+)(8|16|32)(?:x(\d))?", name)
    return VK["VK_FORMAT_" + channels(int(m[3] or 1), int(m[2]), m[1])]


def texel(name):
    m = re.fullmatch(r"(r|rg|rgba|bgra)(8|16|32)([a-z]+)(-srgb)?", name)
    return len(m[1]) * int(m[2]) // 8 if m else {"stencil8": 1, "depth16unorm": 2}.get(name, 4)


def aspect(name):
    return (2 if name.startswith("depth") else 0) | (4 if "stencil" in name else 0) or 1


def word(prefix, name, **more):
    name = name.replace("-", "_").upper()
    return VK[prefix + more.get(name, name)]


FACTORS = {"SRC": "SRC_COLOR", "ONE_MINUS_SRC": "ONE_MINUS_SRC_COLOR", "DST": "DST_COLOR", "ONE_MINUS_DST": "ONE_MINUS_DST_COLOR", "SRC_ALPHA_SATURATED": "SRC_ALPHA_SATURATE",
           "CONSTANT": "CONSTANT_COLOR", "ONE_MINUS_CONSTANT": "ONE_MINUS_CONSTANT_COLOR"}
COMPARES = {"LESS_EQUAL": "LESS_OR_EQUAL", "GREATER_EQUAL": "GREATER_OR_EQUAL"}
OPERATIONS = {"INCREMENT_CLAMP": "INCREMENT_AND_CLAMP", "DECREMENT_CLAMP": "DECREMENT_AND_CLAMP", "INCREMENT_WRAP": "INCREMENT_AND_WRAP", "DECREMENT_WRAP": "DECREMENT_AND_WRAP"}
WRAPS = {"MIRROR_REPEAT": "MIRRORED_REPEAT"}


def blend(b):
    if not b:
        return [0] * 7
    out = [1]
    for part in ("color", "alpha"):
        p = b[part]
        out += [word("VK_BLEND_FACTOR_", p["srcFactor"], **FACTORS), word("VK_BLEND_FACTOR_", p["dstFactor"], **FACTORS),
                word("VK_BLEND_OP_", p["operation"], REVERSE_SUBTRACT="REVERSE_SUBTRACT")]
    return out


def binding_type(b):
    return 0 if "texture" in b or "sampler" in b else 1 if b["buffer"] == "b6" else 2


def flat(scene, modules):
    """The words that `vkpairs` reads."""
    out = []
    textures, samplers, buffers, pipelines = (list(scene.get(k, {}).items()) for k in ("textures", "samplers", "buffers", "pipelines"))
    numbers = [{name: k for k, (name, _) in enumerate(part)} for part in (textures, samplers, buffers, pipelines)]
    out.append(len(textures))
    for name, t in textures:
        size = t["size"] + [1]
        hexes = t.get("contents", {}).get("hex", "")
        colour = aspect(t["format"]) == 1
        usage = 1 | 2 | 4 | (0x10 if colour else 0x20) if not hexes else 1 | 2 | 4
        out += [format_of(t["format"]), size[0], size[1], size[2], t.get("mipLevelCount", 1), t.get("sampleCount", 1), aspect(t["format"]), usage,
                texel(t["format"]), len(hexes) // 2, hexes or "-"]
    out.append(len(samplers))
    for _, s in samplers:
        out += [1 if s.get("magFilter") == "linear" else 0, word("VK_SAMPLER_ADDRESS_MODE_", s.get("addressModeU", "clamp-to-edge"), **WRAPS)]
    out.append(len(buffers))
    for _, b in buffers:
        out += [len(b["hex"]) // 2, b["hex"]]
    bound = {d["pipeline"]: d.get("bindings", []) for p in scene["passes"] for d in p["draws"]}
    out.append(len(pipelines))
    for name, p in pipelines:
        for stage in ("vertex", "fragment"):
            constants = p[stage].get("constants", {})
            out += [modules[p[stage]["shader"]], len(constants)] + [v for kv in constants.items() for v in kv]
        places = {b["binding"]: binding_type(b) for b in bound[name]}
        out.append(len(places))
        out += [v for kv in places.items() for v in kv]
        slots = [(k, b) for k, b in enumerate(p["vertex"].get("buffers", [])) if b]
        out.append(len(slots))
        for k, b in slots:
            out += [k, b["arrayStride"], int(b["stepMode"] == "instance")]
        attributes = [(k, a) for k, b in slots for a in b["attributes"]]
        out.append(len(attributes))
        for k, a in attributes:
            out += [a["shaderLocation"], k, format_of(a["format"]), a["offset"]]
        primitive = p.get("primitive", {})
        out += [word("VK_PRIMITIVE_TOPOLOGY_", primitive.get("topology", "triangle-list")), int("stripIndexFormat" in primitive), int(primitive.get("frontFace") == "cw"),
                {"front": 1, "back": 2}.get(primitive.get("cullMode"), 0)]
        m = p.get("multisample", {})
        out += [m.get("count", 1), m.get("mask", 0xffffffff)]
        targets = p["fragment"]["targets"]
        out.append(len(targets))
        for t in targets:
            out += [format_of(t["format"]), t.get("writeMask", 15)] + blend(t.get("blend"))
        d = p.get("depthStencil")
        if d:
            is_deep, has_stencil = d["format"].startswith("depth"), "stencil" in d["format"]
            out += [format_of(d["format"]), aspect(d["format"]), int(is_deep), int(d.get("depthWriteEnabled", False)),
                    word("VK_COMPARE_OP_", d.get("depthCompare", "always"), **COMPARES), int(has_stencil), d.get("stencilReadMask", 0xffffffff), d.get("stencilWriteMask", 0xffffffff)]
            for face in ("stencilFront", "stencilBack"):
                f = d.get(face, {})
                out += [word("VK_STENCIL_OP_", f.get(k, "keep"), **OPERATIONS) for k in ("failOp", "depthFailOp", "passOp")] + [word("VK_COMPARE_OP_", f.get("compare", "always"), **COMPARES)]
        else:
            out += [0] * 16
    out.append(len(scene["passes"]))
    for p in scene["passes"]:
        out.append(len(p["colorAttachments"]))
        first = p["colorAttachments"][0]["texture"]
        w, h = scene["textures"][first]["size"]
        for a in p["colorAttachments"]:
            integer = scene["textures"][a["texture"]]["format"].endswith("int")
            resolve = a.get("resolveTarget")
            out += [numbers[0][a["texture"]], numbers[0][resolve["texture"]] if resolve else -1]
            out += [int(v) if integer else struct.unpack("<I", struct.pack("<f", v))[0] for v in a.get("clearValue", [0] * 4)]
        d = p.get("depthStencilAttachment")
        out += [numbers[0][d["texture"]], d.get("depthClearValue", 0), d.get("stencilClearValue", 0)] if d else [-1, 0, 0]
        out.append(len(p["draws"]))
        for d in p["draws"]:
            out.append(numbers[3][d["pipeline"]])
            bindings = d.get("bindings", [])
            sampler = {b["binding"]: numbers[1][b["sampler"]] for b in bindings if "sampler" in b}
            rows = [[b["binding"], 0, numbers[0][b["texture"]], sampler[b["binding"]]] for b in bindings if "texture" in b]
            rows += [[b["binding"], binding_type(b), numbers[2][b["buffer"]], 0] for b in bindings if "buffer" in b]
            out.append(len(rows))
            out += [v for row in rows for v in row]
            vertex = [(k, b) for k, b in enumerate(d.get("vertexBuffers", [])) if b]
            out.append(len(vertex))
            out += [v for k, b in vertex for v in (k, numbers[2][b["buffer"]])]
            index = d.get("indexBuffer")
            counts = d.get("drawIndexed") or d["draw"]
            out += [numbers[2][index["buffer"]], int(index["format"] == "uint32")] if index else [-1, 0]
            out += [counts["indexCount" if index else "vertexCount"], counts.get("instanceCount", 1), counts.get("firstIndex" if index else "firstVertex", 0),
                    counts.get("baseVertex", 0), counts.get("firstInstance", 0)]
            out += d.get("viewport", [0, 0, w, h, 0, 1]) + d.get("scissor", [0, 0, w, h]) + d.get("blendConstant", [0] * 4) + [d.get("stencilReference", 0)]
            push = d.get("immediates", {}).get("u32", [])
            out += [len(push)] + push
    out.append(len(scene["outputs"]))
    for o in scene["outputs"]:
        name = scene["textures"][o["texture"]]["format"]
        part = {"depth-only": 2, "stencil-only": 4}.get(o.get("aspect"), 1)
        out += [numbers[0][o["texture"]], part, 1 if part == 4 else texel(name)]
    return " ".join(map(str, out)) + "\n"


def drawn(pair):
    """What lavapipe draws of it; none where it does not."""
    base = os.path.join(WORK, "p%d" % pair["seed"])
    modules = {name: "%s-%s.%s.spv" % (base, name, next(iter(s))) for name, s in pair["shaders"].items()}
    open(base + ".words", "w").write(flat(pair["scene"], modules))
    try:
        done = subprocess.run([os.path.join(WORK, "vkpairs"), base + ".words"], capture_output=True, timeout=60)
        code, said, out = done.returncode, done.stderr.decode(errors="replace"), done.stdout.decode().split()
    except subprocess.TimeoutExpired:
        code, said, out = 99, "timeout", []
    for f in [base + ".words"] + list(modules.values()):
        os.path.exists(f) and os.remove(f)
    if code != 0:
        print("seed %d: exit %d %s" % (pair["seed"], code, said.strip()), file=sys.stderr)
        return None
    return {o["name"]: h for o, h in zip(pair["scene"]["outputs"], out)}


def compiled(pairs):
    names = []
    for p in pairs:
        for name, s in p["shaders"].items():
            (ending, text), = s.items()
            names.append("p%d-%s.%s" % (p["seed"], name, ending))
            open(os.path.join(WORK, names[-1]), "w").write(text)
    subprocess.run(["glslc", "-c", "--target-env=vulkan1.1"] + names, cwd=WORK, check=True)
    for name in names:
        os.remove(os.path.join(WORK, name))


def record(first, count, path):
    lines, seed = [], first
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        while len(lines) < count:
            said = subprocess.run([RANDPROG, "--stage", "draw", "--on", "interp", "--seed", str(seed), "--count", "100", "--print"], stdout=subprocess.PIPE, check=True).stdout
            pairs = [json.loads(l) for l in said.decode().splitlines()]
            seed += len(pairs)
            # One that is open everywhere shows nothing.
            pairs = [p for p in pairs if p["open"].count("0") * 4 > len(p["open"])]
            compiled(pairs)
            for pair, out in zip(pairs, threads.map(drawn, pairs)):
                if out and len(lines) < count:
                    lines.append(json.dumps(dict(pair, drawn=out), separators=(",", ":")))
    packed = base64.b64encode(zlib.compress("\n".join(lines).encode(), 9)).decode()
    open(path, "w").write("\n".join(packed[k:k + 160] for k in range(0, len(packed), 160)) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "text":
        for line in zlib.decompress(base64.b64decode(open(sys.argv[2]).read())).decode().splitlines():
            pair = json.loads(line)
            if pair["seed"] == int(sys.argv[3]):
                for name, s in pair["shaders"].items():
                    (ending, text), = s.items()
                    print("// %s.%s\n%s" % (name, ending, text))
                print(json.dumps(pair["scene"], indent=1))
        sys.exit()
    read_header()
    os.makedirs(WORK, exist_ok=True)
    subprocess.check_call(["cc", "-O1", "-o", os.path.join(WORK, "vkpairs"), os.path.join(HERE, "vkpairs.c"), "-lvulkan"])
    record(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
