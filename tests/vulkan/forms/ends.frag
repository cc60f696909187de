#version 450
#extension GL_EXT_fragment_shader_barycentric : require
// What the ends of a line gave, and their shares; of a point that of its one vertex.
layout(location = 0) pervertexEXT in uint number[];
layout(location = 0) out uvec4 picture;
layout(constant_id = 0) const int points = 0;
void main() {
    uvec3 shares = uvec3(8.0 * gl_BaryCoordEXT + 0.5);
    picture = uvec4(number[0], points == 0 ? number[1] : 0u, shares.x * 16u + shares.y, shares.z);
}
