#version 450
// Soft particles: positions of a storage buffer, quads that face the eye.
struct Particle { vec4 at; vec4 velocity; };
layout(std430, binding = 0) readonly buffer Particles { Particle list[]; } particles;
layout(binding = 1) uniform Camera { mat4 view; mat4 projection; vec2 clip; } camera;
layout(push_constant) uniform Push { float time; float size; } push;
layout(location = 0) out Out { vec2 corner; float age; float depth; };
const vec2 corners[4] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(-1, 1), vec2(1, 1));
void main() {
    Particle p = particles.list[gl_InstanceIndex];
    age = fract(p.at.w + push.time * 0.25);
    vec3 at = p.at.xyz + p.velocity.xyz * age - vec3(0.0, 0.6, 0.0) * age * age;
    corner = corners[gl_VertexIndex & 3];
    vec4 eye = camera.view * vec4(at, 1.0);
    float spin = p.velocity.w * age;
    eye.xy += mat2(cos(spin), sin(spin), -sin(spin), cos(spin)) * corner * push.size * (0.4 + age);
    depth = -eye.z;
    gl_Position = camera.projection * eye;
}
