// Waves of three sources and the slope of their sum, as light on it: dFdx and dFdy count from the lower left.
//   gpucc render contrib/shadertoy/interference.glsl -o interference.png --time 1

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float h = 0.0;
    for (int k = 0; k < 3; k++) {
        float a = float(k) * 2.0944 + 0.2 * iTime;
        float d = length(p - 0.7 * vec2(cos(a), sin(a)));
        h += sin(d * 22.0 - iTime * 5.0) / (1.0 + 3.0 * d);
    }
    vec2 slope = vec2(dFdx(h), dFdy(h)) * iResolution.y * 0.02;
    vec3 n = normalize(vec3(-slope, 1.0));
    float light = max(dot(n, normalize(vec3(0.5, 0.7, 0.6))), 0.0);
    vec3 col = mix(vec3(0.08, 0.16, 0.3), vec3(0.95, 0.8, 0.55), 0.5 + 0.45 * h) * (0.35 + 0.8 * light);
    col += pow(max(reflect(vec3(0, 0, -1), n).y * 0.6 + n.z * 0.4, 0.0), 24.0) * 0.5;
    fragColor = vec4(col, 1.0);
}
