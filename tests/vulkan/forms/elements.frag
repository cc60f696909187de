#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(binding = 0) uniform sampler2D pictures[2];
layout(binding = 1) uniform texture2D apart[2];
layout(binding = 2) uniform sampler ways[2];
layout(location = 0) out vec4 result;
layout(location = 1) out vec4 second;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    // The level comes from the quad: one step of a texel for each row.
    result = texture(pictures[nonuniformEXT(x & 1)], vec2((float(y) + 0.5) / 4.0, 0.5));
    second = textureLod(sampler2D(apart[nonuniformEXT(1 - (x & 1))], ways[nonuniformEXT(y & 1)]), vec2((float(y) + 4.5) / 4.0, 0.5), 0.0);
}
