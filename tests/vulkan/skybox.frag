#version 450
layout(binding = 1) uniform samplerCube sky;
layout(push_constant) uniform Push { vec3 sun; float sharpness; vec3 tint; float level; } push;
layout(location = 0) in vec3 inDirection;
layout(location = 0) out vec4 outColour;
void main() {
    vec3 d = normalize(inDirection);
    vec3 c = textureLod(sky, vec3(d.x, -d.y, d.z), push.level).rgb * push.tint;
    float s = pow(max(dot(d, normalize(push.sun)), 0.0), push.sharpness);
    c += s * vec3(1.0, 0.9, 0.7);
    c = mix(c, vec3(0.6, 0.65, 0.7), exp2(-8.0 * abs(d.y)));
    outColour = vec4(c, 1.0);
}
