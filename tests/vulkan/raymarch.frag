#version 450
// A scene of distances, marched; functions that return early and write to their parameters.
layout(constant_id = 0) const int STEPS = 24;
layout(push_constant) uniform Push { vec3 eye; float time; vec2 resolution; } push;
layout(location = 0) in vec2 inUv;
layout(location = 0) out vec4 outColour;

struct Hit { float distance; int material; };

float box(vec3 p, vec3 b) {
    vec3 q = abs(p) - b;
    return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0);
}

Hit nearer(Hit a, Hit b) {
    if (a.distance < b.distance) return a;
    return b;
}

Hit map(vec3 p) {
    Hit h = Hit(p.y + 1.0, 0);
    h = nearer(h, Hit(length(p - vec3(0.6, sin(push.time) * 0.2, 0.0)) - 0.8, 1));
    h = nearer(h, Hit(box(p + vec3(1.0, 0.4, 0.2), vec3(0.4)) - 0.1, 2));
    return h;
}

bool march(vec3 from, vec3 way, out vec3 at, inout int material) {
    float t = 0.05;
    for (int i = 0; i < STEPS; i++) {
        at = from + way * t;
        Hit h = map(at);
        if (h.distance < 0.004 * t) {
            material = h.material;
            return true;
        }
        t += h.distance;
        if (t > 12.0) break;
    }
    return false;
}

vec3 normal(vec3 p) {
    const vec2 e = vec2(0.01, 0.0);
    return normalize(vec3(map(p + e.xyy).distance - map(p - e.xyy).distance, map(p + e.yxy).distance - map(p - e.yxy).distance,
                          map(p + e.yyx).distance - map(p - e.yyx).distance));
}

void main() {
    vec2 q = (inUv * 2.0 - 1.0) * vec2(push.resolution.x / push.resolution.y, -1.0);
    vec3 f = normalize(-push.eye), r = normalize(cross(f, vec3(0, 1, 0))), u = cross(r, f);
    vec3 way = normalize(q.x * r + q.y * u + 1.6 * f);
    vec3 at;
    int material = -1;
    vec3 c = mix(vec3(0.8, 0.85, 0.9), vec3(0.3, 0.5, 0.8), clamp(way.y + 0.3, 0.0, 1.0));
    if (march(push.eye, way, at, material)) {
        const vec3 sun = vec3(0.577, 0.577, 0.577);
        vec3 n = normal(at);
        vec3 base;
        switch (material) {
        case 0:
            base = vec3(0.4 + 0.2 * mod(floor(at.x) + floor(at.z), 2.0));
            break;
        case 1:
            base = vec3(0.9, 0.3, 0.2);
            break;
        default:
            base = vec3(0.2, 0.6, 0.9);
        }
        vec3 ignored;
        int blocker = -1;
        float light = max(dot(n, sun), 0.0);
        if (light > 0.0 && march(at + n * 0.02, sun, ignored, blocker)) light *= 0.2;
        c = base * (0.2 + 0.8 * light);
    }
    outColour = vec4(sqrt(c), 1.0);
}
