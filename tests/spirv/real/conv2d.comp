#version 450
// Convolution of several channels with a square kernel of fixed size and a bias, clipped as asked.
layout(constant_id = 0) const uint SIZE = 32;
layout(constant_id = 1) const int K = 3;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform P { int w; int h; int channels; uint weights; uint bias; float low; } p;
layout(std430, binding = 0) writeonly buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
void main() {
    int ow = p.w - K + 1, oh = p.h - K + 1, c = int(gl_WorkGroupID.y);
    for (int i = int(gl_LocalInvocationID.x); i < ow * oh; i += int(SIZE)) {
        ivec2 at = ivec2(i % ow, i / ow);
        float sum = a[p.bias + uint(c)];
        for (int n = 0; n < p.channels; ++n) {
            for (int y = 0; y < K; ++y) {
                for (int x = 0; x < K; ++x) {
                    sum += a[(n * p.h + at.y + y) * p.w + at.x + x] * a[p.weights + uint(((c * p.channels + n) * K + y) * K + x)];
                }
            }
        }
        o[c * ow * oh + i] = max(sum, p.low);
    }
}
