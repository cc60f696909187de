// A sky of stars with a galaxy of noise: functions that take the channel as an argument.
//   gpucc render contrib/shadertoy/starfield.glsl -o starfield.png --time 5

float value(sampler2D tex, vec2 p) { return textureLod(tex, p / 64.0, 0.0).x; }

float fbm(sampler2D tex, vec2 p) {
    float sum = 0.0, part = 0.5;
    mat2 turn = mat2(0.8, 0.6, -0.6, 0.8);
    for (int i = 0; i < 5; i++) {
        sum += part * value(tex, p);
        p = turn * p * 2.03 + 17.0;
        part *= 0.5;
    }
    return sum;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float band = exp(-6.0 * pow(p.y - 0.35 * p.x, 2.0));
    float dust = fbm(iChannel0, p * 3.0 + 5.0 + 0.02 * iTime), gas = fbm(iChannel0, p * 2.0 - 3.0);
    vec3 col = vec3(0.01, 0.012, 0.03) + band * mix(vec3(0.5, 0.32, 0.5), vec3(0.3, 0.45, 0.75), gas) * pow(gas, 1.5) * 1.4;
    col *= 1.0 - 0.75 * band * smoothstep(0.48, 0.62, dust);
    for (int k = 0; k < 3; k++) {
        float scale = 12.0 * float(k + 1);
        vec2 q = p * scale + float(k) * 31.7, cell = floor(q), f = fract(q) - 0.5;
        vec4 r = texelFetch(iChannel1, ivec2(cell + 64.0 * 8.0) & 63, 0);
        float d = length(f - 0.6 * (r.xy - 0.5));
        float blink = 0.75 + 0.25 * sin(iTime * 3.0 + r.w * 40.0);
        col += step(0.55, r.z) * blink * mix(vec3(1.0, 0.8, 0.6), vec3(0.7, 0.85, 1.0), r.w) * 0.006 / (d * d * 3.0 + 0.004) * smoothstep(0.5, 0.1, d);
    }
    fragColor = vec4(sqrt(col), 1.0);
}
