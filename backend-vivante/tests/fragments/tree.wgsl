// Nodes of a tree in an array, by their numbers.
struct Node { data: i32, left: i32, right: i32 }
var<private> tree: array<Node, 10>;
fn insert(at: i32, data: i32) {
    var n = 0;
    for (var k = 0; k <= at; k++) {
        if data <= tree[n].data {
            if tree[n].left == -1 { tree[n].left = at; tree[at] = Node(data, -1, -1); return; }
            n = tree[n].left;
        } else {
            if tree[n].right == -1 { tree[n].right = at; tree[at] = Node(data, -1, -1); return; }
            n = tree[n].right;
        }
    }
}
fn find(t: i32) -> i32 {
    var n = 0;
    for (var k = 0; k < 10; k++) {
        if n == -1 { return -1; }
        if tree[n].data == t { return k; }
        n = select(tree[n].right, tree[n].left, t <= tree[n].data);
    }
    return -1;
}
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    tree[0] = Node(9, -1, -1);
    insert(1, 5); insert(2, 12); insert(3, 15 + i32(p.x) % 5); insert(4, 7); insert(5, 8); insert(6, 2); insert(7, 6); insert(8, 17); insert(9, 13);
    return vec4f(f32(find(i32(p.y) % 20) + 1) * 0.1, f32(find(i32(p.x) % 20) + 1) * 0.1, f32(tree[i32(p.x) % 10].data) * 0.05, 1.0);
}
