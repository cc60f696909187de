// A field of rounded boxes by the distance to them, with a soft shadow and fog.
//   gpucc render contrib/shadertoy/raymarch.glsl -o raymarch.png --time 2

float box(vec3 p, vec3 half_size, float r) {
    vec3 q = abs(p) - half_size + r;
    return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0) - r;
}

// Of whole numbers, so that it is the same on every chip: a hash made of a sine is another one on each.
float hash(vec2 p) {
    uint n = uint(int(p.x)) * 1597334673u ^ uint(int(p.y)) * 3812015801u;
    n = (n ^ n >> 15) * 747796405u;
    return float(n >> 8) / 16777216.0;
}

float map(vec3 p) {
    vec2 cell = floor(p.xz / 2.0 + 0.5);
    float h = 0.35 + 0.55 * hash(cell) + 0.25 * sin(iTime + cell.x * 0.7 + cell.y * 1.3);
    vec3 q = vec3(p.x - cell.x * 2.0, p.y - h, p.z - cell.y * 2.0);
    return min(min(box(q, vec3(0.62, h, 0.62), 0.12), p.y), 0.9);
}

vec3 normalAt(vec3 p) {
    vec2 e = vec2(0.002, -0.002);
    return normalize(e.xyy * map(p + e.xyy) + e.yyx * map(p + e.yyx) + e.yxy * map(p + e.yxy) + e.xxx * map(p + e.xxx));
}

float shadow(vec3 from, vec3 to) {
    float lit = 1.0, t = 0.05;
    for (int i = 0; i < 36; i++) {
        float d = map(from + to * t);
        lit = min(lit, 8.0 * d / t);
        t += clamp(d * 0.6, 0.03, 0.25);
        if (lit < 0.01 || t > 6.0) break;
    }
    return clamp(lit, 0.0, 1.0);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    float a = 0.15 * iTime + 0.6;
    vec3 eye = vec3(7.0 * cos(a), 5.0, 7.0 * sin(a));
    vec3 w = normalize(vec3(0.0, 0.4, 0.0) - eye), u = normalize(cross(w, vec3(0, 1, 0))), v = cross(u, w);
    vec3 ray = normalize(p.x * u + p.y * v + 1.9 * w);
    vec3 sun = normalize(vec3(0.6, 0.7, -0.3));
    float t = 0.0;
    for (int i = 0; i < 110; i++) {
        float d = map(eye + ray * t);
        if (d < 0.002 * t || t > 30.0) break;
        t += d * 0.6;
    }
    vec3 sky = mix(vec3(0.85, 0.75, 0.65), vec3(0.35, 0.5, 0.75), clamp(ray.y * 2.0 + 0.7, 0.0, 1.0));
    vec3 col = sky;
    if (t < 30.0) {
        vec3 q = eye + ray * t, n = normalAt(q);
        vec3 tint = q.y < 0.06 ? vec3(0.3) : 0.5 + 0.4 * cos(6.28 * hash(floor(q.xz / 2.0 + 0.5)) + vec3(0.0, 1.0, 2.0));
        float lit = max(dot(n, sun), 0.0) * shadow(q + n * 0.02, sun);
        col = tint * (vec3(1.3, 1.15, 0.95) * lit + vec3(0.25, 0.3, 0.38) * (0.6 + 0.4 * n.y));
        col = mix(col, sky, 1.0 - exp(-0.0025 * t * t));
    }
    fragColor = vec4(sqrt(col), 1.0);
}
