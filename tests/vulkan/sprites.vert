#version 450
// Particles as point sprites: their size falls with the distance.
layout(location = 0) in vec3 inPosition;
layout(location = 1) in float inAge;
layout(push_constant) uniform Push { mat4 viewProjection; float height; float size; } push;
layout(location = 0) out float outAge;
void main() {
    gl_Position = push.viewProjection * vec4(inPosition + vec3(0.0, inAge * 0.5, 0.0), 1.0);
    gl_PointSize = clamp(push.height * push.size * (0.5 + inAge) / gl_Position.w, 1.0, 32.0);
    outAge = inAge;
}
