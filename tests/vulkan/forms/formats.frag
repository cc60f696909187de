#version 450
// Storage images that say no format: what is bound does.
#extension GL_EXT_shader_image_load_formatted : require
layout(binding = 0) writeonly uniform image2D given;
layout(binding = 1) uniform uimage2D counts;
layout(location = 0) out uvec4 c;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    imageStore(given, at, vec4(at, 3.0, 4.0) / 255.0);
    uvec4 old = imageLoad(counts, at);
    imageStore(counts, at, old * 2u);
    c = old + 1u;
}
