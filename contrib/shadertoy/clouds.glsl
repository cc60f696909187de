// Clouds in a volume of noise (channel 0), seen from below a setting sun.
//   gpucc render contrib/shadertoy/clouds.glsl -o clouds.png --time 3 --channel 0=volume

float density(vec3 p) {
    p.x += 0.3 * iTime;
    float n = textureLod(iChannel0, p / 24.0, 0.0).x * 0.55 + textureLod(iChannel0, p / 9.3, 0.0).y * 0.28 + textureLod(iChannel0, p / 4.1, 0.0).z * 0.17;
    float layer = 1.0 - abs(p.y - 3.0) / 1.4;
    return clamp((n - 0.62 + 0.22 * layer) * 4.0, 0.0, 1.0) * smoothstep(0.0, 0.4, layer);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    vec3 ray = normalize(vec3(p.x, p.y + 0.75, 1.6));
    vec3 sun = normalize(vec3(0.35, 0.22, 1.0));
    float toward = max(dot(ray, sun), 0.0);
    vec3 col = mix(vec3(0.98, 0.62, 0.36), vec3(0.22, 0.36, 0.66), sqrt(clamp(ray.y * 1.3, 0.0, 1.0)));
    col += vec3(1.0, 0.7, 0.4) * (0.3 * pow(toward, 8.0) + 1.5 * pow(toward, 400.0));
    float left = 1.0;
    vec3 light = vec3(0.0);
    if (ray.y > 0.02) {
        // Each pixel begins elsewhere, so that steps make no bands.
        float start = fract(52.9829189 * fract(dot(fragCoord, vec2(0.06711056, 0.00583715))));
        float near = 1.6 / ray.y, far = min(4.4 / ray.y, 40.0), steps = (far - near) / 24.0;
        for (int i = 0; i < 24 && near < far; i++) {
            vec3 q = ray * (near + (float(i) + start) * steps);
            float d = density(q);
            if (d > 0.0) {
                float above = density(q + sun * 0.5);
                vec3 c = mix(vec3(1.15, 0.9, 0.72), vec3(0.36, 0.34, 0.46), clamp(above * 1.6, 0.0, 1.0)) + 0.5 * pow(toward, 6.0);
                float a = 1.0 - exp(-d * steps * 1.2);
                light += left * a * mix(c, vec3(0.95, 0.66, 0.45), clamp(length(q) / 40.0, 0.0, 1.0));
                left *= 1.0 - a;
                if (left < 0.03) break;
            }
        }
    }
    fragColor = vec4(sqrt(col * left + light), 1.0);
}
