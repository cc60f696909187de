// Structures that hold arrays, of which one field is an index into another.
struct Node { value: i32, next: i32, weights: array<f32, 4>, colour: vec3f }
struct Tree { nodes: array<Node, 10>, root: i32 }
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var t: Tree; t.root = i32(p.x) % 10;
    for (var k = 0; k < 10; k++) {
        t.nodes[k].value = (k * 7 + i32(p.y)) % 10;
        t.nodes[k].next = (k * 3 + 1) % 10;
        for (var w = 0; w < 4; w++) { t.nodes[k].weights[w] = f32((k + w) % 5) * 0.25; }
        t.nodes[k].colour = vec3f(f32(k), f32(9 - k), f32(k % 2)) * 0.0625;
    }
    var at = t.root; var sum = vec3f(); var weight = 0.0;
    for (var step = 0; step < 12; step++) {
        let v = t.nodes[at].value;
        sum += t.nodes[v].colour; weight += t.nodes[at].weights[v % 4];
        at = t.nodes[at].next;
    }
    return vec4f(sum * 0.25, weight * 0.0625);
}
