#version 450
layout(binding = 1) uniform sampler1D ramp;
layout(location = 0) in vec3 inNormal;
layout(location = 1) in vec3 inView;
layout(location = 2) in vec3 inLight;
layout(location = 0) out vec4 outColour;

void desaturate(inout vec3 c, in float amount, out float grey) {
    grey = dot(vec3(0.2126, 0.7152, 0.0722), c);
    c = mix(c, vec3(grey), amount);
}

void main() {
    vec3 n = normalize(inNormal), l = normalize(inLight), v = normalize(inView);
    float intensity = max(dot(n, l), 0.0);
    vec3 c;
    if (intensity > 0.98) c = vec3(1.0);
    else if (intensity > 0.9) c = vec3(0.9);
    else if (intensity > 0.5) c = vec3(0.7);
    else if (intensity > 0.25) c = vec3(0.45);
    else c = vec3(0.3);
    c *= textureLod(ramp, intensity, 0.0).rgb;
    float grey;
    desaturate(c, 0.35, grey);
    float edge = smoothstep(0.0, 0.35, abs(dot(n, v)));
    outColour = vec4(c * edge + grey * 0.1, 1.0);
}
