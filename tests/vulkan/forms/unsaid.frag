#version 450
// Storage images of which neither the shader nor the scene says one format: each draw binds others.
#extension GL_EXT_shader_image_load_formatted : require
layout(push_constant) uniform P { float scale; };
layout(binding = 0) uniform image2D given;
layout(binding = 1) writeonly uniform uimage2D counts;
layout(location = 0) out uvec4 c;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 old = imageLoad(given, at);
    imageStore(given, at, old * 2.0);
    imageStore(counts, at, uvec4(at, 30, 40));
    c = uvec4(old * scale + 0.5);
}
