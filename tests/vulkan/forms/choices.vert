#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 1) flat out uint number;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() {
    number = 7u;
    gl_Layer = gl_InstanceIndex;
    gl_ViewportIndex = 1 - gl_InstanceIndex;
    vec2 p = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2) * 2.0 - 1.0;
    gl_Position = vec4(p, 0.5, 1.0);
    gl_ClipDistance[0] = p.y;
}
