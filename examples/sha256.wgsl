// SHA-256 (FIPS 180-4), one message an invocation. Messages lie padded in `blocks`, 16 big-endian words a block; message
// i goes from block first[i] up to first[i + 1].
@group(0) @binding(0) var<storage, read> first: array<u32>;
@group(0) @binding(1) var<storage, read> blocks: array<array<u32, 16>>;
@group(0) @binding(2) var<storage, read_write> digests: array<array<u32, 8>>;

const K = array<u32, 64>(
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
);

fn rotr(x: u32, n: u32) -> u32 {
    return (x >> n) | (x << (32u - n));
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&digests) {
        return;
    }
    var hash = array<u32, 8>(
        0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u,
    );
    for (var block = first[id.x]; block < first[id.x + 1u]; block++) {
        // The schedule of 64 words, of which the last 16 suffice.
        var w = blocks[block];
        var a = hash[0];
        var b = hash[1];
        var c = hash[2];
        var d = hash[3];
        var e = hash[4];
        var f = hash[5];
        var g = hash[6];
        var h = hash[7];
        for (var t = 0u; t < 64u; t++) {
            let i = t & 15u;
            if t >= 16u {
                let w15 = w[(t + 1u) & 15u];
                let w2 = w[(t + 14u) & 15u];
                let s0 = rotr(w15, 7u) ^ rotr(w15, 18u) ^ (w15 >> 3u);
                let s1 = rotr(w2, 17u) ^ rotr(w2, 19u) ^ (w2 >> 10u);
                w[i] += s0 + w[(t + 9u) & 15u] + s1;
            }
            let s1 = rotr(e, 6u) ^ rotr(e, 11u) ^ rotr(e, 25u);
            let choice = (e & f) ^ (~e & g);
            let t1 = h + s1 + choice + K[t] + w[i];
            let s0 = rotr(a, 2u) ^ rotr(a, 13u) ^ rotr(a, 22u);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            h = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + s0 + majority;
        }
        hash[0] += a;
        hash[1] += b;
        hash[2] += c;
        hash[3] += d;
        hash[4] += e;
        hash[5] += f;
        hash[6] += g;
        hash[7] += h;
    }
    digests[id.x] = hash;
}
