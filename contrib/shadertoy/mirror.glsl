// Bubbles and balls of metal in the sky of a cube map (channel 0).
//   gpucc render contrib/shadertoy/mirror.glsl -o mirror.png --time 1 --channel 0=cube

vec4 ball(int k) {
    float f = float(k);
    return vec4(2.1 * cos(f * 1.26 + 0.3 * iTime), 0.55 * sin(f * 2.4 + iTime), 2.1 * sin(f * 1.26 + 0.3 * iTime), 0.55 + 0.2 * sin(f * 4.0));
}

float hit(vec3 from, vec3 to, vec4 b) {
    vec3 q = from - b.xyz;
    float h = dot(q, to), d = h * h - dot(q, q) + b.w * b.w;
    return d < 0.0 ? -1.0 : -h - sqrt(d);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float a = 0.2 * iTime + 0.9;
    vec3 eye = vec3(5.5 * sin(a), 1.1, 5.5 * cos(a));
    vec3 w = normalize(-eye), u = normalize(cross(w, vec3(0, 1, 0))), v = cross(u, w);
    vec3 ray = normalize(p.x * u + p.y * v + 1.7 * w), tint = vec3(1.0);
    for (int bounce = 0; bounce < 3; bounce++) {
        float t = 1e9;
        int which = -1;
        for (int k = 0; k < 5; k++) {
            float d = hit(eye, ray, ball(k));
            if (d > 0.001 && d < t) { t = d; which = k; }
        }
        if (which < 0) break;
        vec4 b = ball(which);
        eye += ray * t;
        vec3 n = (eye - b.xyz) / b.w;
        float edge = pow(1.0 + dot(n, ray), 4.0);
        tint *= mix(0.55 + 0.4 * cos(float(which) * 1.3 + vec3(0.0, 2.0, 4.0)), vec3(1.0), edge);
        ray = reflect(ray, n);
    }
    fragColor = vec4(tint * texture(iChannel0, ray).rgb, 1.0);
}
