#version 450
layout(location = 0) in vec4 inSphere;
layout(location = 1) in vec3 inColour;
layout(push_constant) uniform Push { mat4 projection; vec4 light; } push;
layout(location = 0) out vec3 outAt;
layout(location = 1) flat out vec4 outSphere;
layout(location = 2) flat out vec3 outColour;
void main() {
    vec2 corner = vec2(gl_VertexIndex % 2, gl_VertexIndex / 2) * 2.0 - 1.0;
    outAt = inSphere.xyz + vec3(corner * inSphere.w * 1.3, inSphere.w);
    outSphere = inSphere;
    outColour = inColour;
    gl_Position = push.projection * vec4(outAt, 1.0);
}
