#version 450
// Spheres on quads, with depths of their own.
layout(push_constant) uniform Push { mat4 projection; vec4 light; } push;
layout(location = 0) in vec3 inAt;
layout(location = 1) flat in vec4 inSphere;
layout(location = 2) flat in vec3 inColour;
layout(location = 0) out vec4 outColour;
layout(depth_greater) out float gl_FragDepth;
void main() {
    vec3 way = normalize(inAt);
    float b = dot(way, inSphere.xyz);
    float d = b * b - dot(inSphere.xyz, inSphere.xyz) + inSphere.w * inSphere.w;
    if (d < 0.0) discard;
    vec3 at = way * (b - sqrt(d));
    vec3 n = (at - inSphere.xyz) / inSphere.w;
    vec4 clip = push.projection * vec4(at, 1.0);
    gl_FragDepth = clip.z / clip.w;
    outColour = vec4(inColour * (0.2 + 0.8 * max(dot(n, push.light.xyz), 0.0)), 1.0);
}
