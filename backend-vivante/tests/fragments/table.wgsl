// A table of constants that is walked through.
const steps = array<i32, 64>(3,1,4,1,5,9,2,6,5,3,5,8,9,7,9,3,2,3,8,4,6,2,6,4,3,3,8,3,2,7,9,5,0,2,8,8,4,1,9,7,1,6,9,3,9,9,3,7,5,1,0,5,8,2,0,9,7,4,9,4,4,5,9,2);
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var x = i32(p.x); var sum = 0;
    if p.y > 4.0 { for (var k = 0; k < i32(p.y); k++) { x = (x + steps[x % 64]) % 64; sum += steps[(x + k) % 64]; } }
    return vec4f(f32(x) / 64.0, f32(sum % 64) / 64.0, f32(steps[i32(p.y) % 64]) * 0.1, 1.0);
}
