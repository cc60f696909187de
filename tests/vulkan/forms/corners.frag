#version 450
#extension GL_EXT_fragment_shader_barycentric : require
// What each vertex gave, and the shares of the vertices.
layout(location = 0) pervertexEXT in uint number[];
layout(location = 1) pervertexEXT in float column[];
layout(location = 2) pervertexEXT in vec2 place[][2];
layout(location = 0) out uvec4 picture;
layout(location = 1) out uvec4 second;
layout(location = 2) out uvec4 last;
uvec3 rounded(vec3 v) { return uvec3(v + 0.5); }
void main() {
    uint k = uint(gl_FragCoord.x) % 3u;
    picture = uvec4(number[0], number[1], number[2], number[k]);
    float sum = 0.0;
    for (int i = 0; i < 3; i++) sum += gl_BaryCoordNoPerspEXT[i] * column[i];
    second = uvec4(rounded(8.0 * gl_BaryCoordNoPerspEXT), uint(sum + 0.5));
    last = uvec4(rounded(200.0 * gl_BaryCoordEXT), uint(place[k][1].x + place[k][1].y));
}
