#version 450
layout(input_attachment_index = 0, binding = 0) uniform usubpassInput before;
layout(push_constant) uniform P { uint factor; uint start; };
layout(location = 0) out uvec4 result;
layout(location = 1) out uvec4 seen;
uvec4 load() { return subpassLoad(before); }
void main() {
    uvec2 at = uvec2(gl_FragCoord.xy);
    result = load() * factor + uvec4(at.x + 4u * at.y, 0, 1, 1) * start;
    seen = load();
}
