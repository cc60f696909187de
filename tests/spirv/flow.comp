#version 450
// Control flow that SPIR-V writes in ways WGSL cannot: fallthrough, a case that shares the default's block, loops that end at
// the bottom, `continue` inside `switch` inside a loop, returns from the middle of loops.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { int a[]; };
layout(std430, binding = 1) writeonly buffer Out { int o[]; };

int classify(int x) {
    int r = 0;
    switch (x) {
        case 1: r += 1;
        case 2: r += 10; break;
        case -3: r += 100;
        default: r += 1000;
        case 5: r += 10000; break;
        case 7: return -7;
    }
    return r;
}

int shared_default(int x) {
    switch (x & 3) {
        case 1:
        default: return 40;
        case 2: return 50;
    }
}

int first_factor(int n) {
    for (int d = 2; d * d <= n; d++) {
        if (d == 4) continue;
        if (n % d == 0) return d;
    }
    return n;
}

int walk(int n) {
    int steps = 0;
    do {
        switch (n & 3) {
            case 0: n >>= 2; break;
            case 2: n >>= 1; break;
            case 3: if (n > 1000) { n -= 3; continue; }
            default: n = 3 * n + 1;
        }
        steps++;
        if (steps > 50) break;
    } while (n > 1);
    return steps * 1000 + n % 1000;
}

int nested(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (true) {
            if (j > i) break;
            if (((i ^ j) & 1) == 0) { j += 2; continue; }
            sum += i * j;
            j++;
            if (sum > 500) return -sum;
        }
        sum ^= i;
    }
    return sum;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    int x = a[i];
    o[i * 5 + 0] = classify(x);
    o[i * 5 + 1] = shared_default(x);
    o[i * 5 + 2] = first_factor(x < 0 ? -x : x);
    o[i * 5 + 3] = walk(x < 1 ? 1 - x : x);
    o[i * 5 + 4] = nested(x & 31);
}
