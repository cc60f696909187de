#version 450
#extension GL_ARB_shader_draw_parameters : require

layout(location = 0) flat out uvec4 held;
const vec2 corners[3] = vec2[](vec2(0, 0), vec2(1, 0), vec2(0, 1));
void main() {
    int vertex = gl_VertexIndex - gl_BaseVertexARB, instance = gl_InstanceIndex - gl_BaseInstanceARB;
    held = uvec4(gl_BaseVertexARB * 20, gl_BaseInstanceARB * 30, gl_VertexIndex, 100 * instance + 50);
    gl_Position = vec4(vec2(instance - 1) + corners[vertex], 0.0, 1.0);
}
