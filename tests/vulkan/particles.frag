#version 450
layout(binding = 1) uniform Camera { mat4 view; mat4 projection; vec2 clip; } camera;
layout(binding = 2) uniform sampler2D sceneDepth;
layout(location = 0) in Out { vec2 corner; float age; float depth; };
layout(location = 0) out vec4 outColour;
float linear(float d) { return camera.clip.x * camera.clip.y / (camera.clip.y - d * (camera.clip.y - camera.clip.x)); }
void main() {
    float r2 = dot(corner, corner);
    if (r2 > 1.0) discard;
    float behind = linear(texelFetch(sceneDepth, ivec2(gl_FragCoord.xy), 0).r);
    float soft = clamp((behind - depth) * 2.0, 0.0, 1.0);
    float a = (1.0 - r2) * (1.0 - age) * soft;
    vec3 fire = mix(vec3(1.0, 0.9, 0.5), vec3(0.8, 0.2, 0.1), age);
    outColour = vec4(fire * a, a);
}
