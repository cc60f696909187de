#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(binding = 0) uniform utexture2D pictures[4];
layout(location = 0) out uvec4 result;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    result = texelFetch(pictures[nonuniformEXT(x)], ivec2(y, 0), 0);
}
