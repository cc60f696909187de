#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(push_constant) uniform P { int stride; float z; uint id; };
layout(location = 0) flat out uvec2 number;
void main() {
    number = uvec2(gl_InstanceIndex, id);
    gl_Layer = stride * gl_InstanceIndex;
    vec2 p = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
    gl_Position = vec4(p * 2.0 - 1.0, z, 1.0);
}
