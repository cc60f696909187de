//! Statistics of pipelines. All numbers are worked out by hand.

use ash::vk;

use crate::kit::{Gpu, devices, spirv};
use crate::programs::parts::{self, Of, Pipe, SIZE};

/// The left half of the target as two triangles of a list or a strip, so that each of its pixels is in one of them. Of instance 1 it
/// lies behind the far plane.
const HALF: &str = "
    @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) n: u32) -> @builtin(position) vec4f {
        let corner = select(k, k - 3u, k > 3u);
        let x = f32(corner & 1u) - 1.0;
        let y = f32(corner >> 1u) * 2.0 - 1.0;
        return vec4f(x, y, 0.5 + f32(n), 1.0);
    }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }";

fn pool(gpu: &Gpu, flags: u32, count: u32) -> Result<vk::QueryPool, vk::Result> {
    let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::PIPELINE_STATISTICS).query_count(count);
    let info = info.pipeline_statistics(vk::QueryPipelineStatisticFlags::from_raw(flags));
    // SAFETY: by Vulkan's rules, here and below.
    unsafe { gpu.device.create_query_pool(&info, None) }
}

/// Kinds that a pool lacks, or none at all, are refused; so are more words than there is room for.
#[test]
fn pools_of_statistics_are_checked() {
    for (target, gpu) in devices() {
        let f = unsafe { gpu.instance.get_physical_device_features(gpu.physical) };
        assert_eq!(f.pipeline_statistics_query, vk::TRUE, "{target}");
        assert_eq!(pool(&gpu, 0, 1), Err(vk::Result::ERROR_VALIDATION_FAILED_EXT), "{target}");
        assert_eq!(pool(&gpu, 1 << 11, 1), Err(vk::Result::ERROR_FEATURE_NOT_PRESENT), "{target}");
        assert_eq!(pool(&gpu, 0x7ff, 1 << 22), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY), "{target}");
    }
}

/// Half of the pixels, list and strip with an index that begins it anew, what is clipped away, and no fragment program.
#[test]
fn draws_are_counted() {
    let half = u64::from(SIZE * SIZE / 2);
    for (target, gpu) in devices() {
        let image = parts::image(&gpu, Of::default());
        let pass = parts::pass(&gpu, &[(image, [0.0; 4])], None, None);
        let of = |p: Pipe<'_>| parts::made(&gpu, &Pipe { text: HALF, ..p }, &[], &pass);
        let (list, alone) = (of(Pipe::default()), of(Pipe { fragment: None, ..Pipe::default() }));
        let strip = of(Pipe { topology: vk::PrimitiveTopology::TRIANGLE_STRIP, restart: true, ..Pipe::default() });
        let fan = of(Pipe { topology: vk::PrimitiveTopology::TRIANGLE_FAN, ..Pipe::default() });
        let indices = parts::words(&gpu, &[0, 1, 2, u32::MAX, 1, 2, 3]);
        let all = pool(&gpu, 0x7ff, 6).expect("a pool");
        let two = pool(&gpu, 0x402 | 0x80, 2).expect("a pool");
        let out = gpu.buffer(128);
        out.write(&[7; 32]);
        let none = vk::QueryControlFlags::empty();
        gpu.run(|d, c| unsafe {
            d.cmd_reset_query_pool(c, all, 0, 6);
            d.cmd_reset_query_pool(c, two, 0, 2);
            parts::draw(d, c, &pass, || {
                let draw = |k: u32, made: parts::Made, draw: &dyn Fn()| {
                    made.bind(d, c);
                    d.cmd_begin_query(c, all, k, none);
                    draw();
                    d.cmd_end_query(c, all, k);
                };
                d.cmd_begin_query(c, two, 0, none);
                draw(0, list, &|| d.cmd_draw(c, 6, 1, 0, 0));
                d.cmd_bind_index_buffer(c, indices.buffer, 0, vk::IndexType::UINT32);
                draw(1, strip, &|| d.cmd_draw_indexed(c, 7, 1, 0, 0, 0));
                d.cmd_end_query(c, two, 0);
                draw(2, list, &|| d.cmd_draw(c, 3, 1, 0, 1));
                draw(3, alone, &|| d.cmd_draw(c, 6, 2, 0, 0));
                // Corners 0, 1, 2 and 3 round the first: two triangles that overlap.
                draw(4, fan, &|| d.cmd_draw(c, 4, 1, 0, 0));
                draw(5, list, &|| {});
            });
            let flags = vk::QueryResultFlags::WITH_AVAILABILITY;
            d.cmd_copy_query_pool_results(c, two, 0, 2, out.buffer, 16, 32, flags);
        })
        .expect("it runs");
        let mut found = [[0u64; 11]; 6];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        unsafe { gpu.device.get_query_pool_results(all, 0, &mut found, flags).expect("results") };
        let of = |a: [u64; 3], b: [u64; 3]| [a[0], a[1], a[2], 0, 0, b[0], b[1], b[2], 0, 0, 0];
        assert_eq!(found[0], of([6, 2, 6], [2, 2, half]), "{target}");
        assert_eq!(found[1], of([6, 2, 4], [2, 2, half]), "{target}");
        assert_eq!(found[2], of([3, 1, 3], [1, 0, 0]), "{target}");
        assert_eq!(found[3], of([12, 4, 12], [4, 2, 0]), "{target}");
        assert_eq!(found[4][..7], of([4, 2, 4], [2, 2, 0])[..7], "{target}");
        assert_eq!(found[5], [0; 11], "{target}");
        // The bits in their order: primitives, fragment and compute invocations, then whether they are there. Of what is not there that
        // word alone is written.
        let words = out.words();
        assert_eq!(words[..8], [7, 7, 7, 7, 4, 2 * half as u32, 0, 1], "{target}");
        assert_eq!(words[8..17], [7, 7, 7, 7, 7, 7, 7, 0, 7], "{target}");
        let mut narrow = [[9u32; 4]; 2];
        let flags = vk::QueryResultFlags::PARTIAL | vk::QueryResultFlags::WITH_AVAILABILITY;
        unsafe { gpu.device.get_query_pool_results(two, 0, &mut narrow, flags).expect("results") };
        assert_eq!(narrow, [[4, 2 * half as u32, 0, 1], [0; 4]], "{target}");
        let missing = unsafe { gpu.device.get_query_pool_results(two, 0, &mut narrow, vk::QueryResultFlags::empty()) };
        assert_eq!(missing, Err(vk::Result::NOT_READY), "{target}");
    }
}

/// Three by two workgroups of four by two invocations, then the same from a buffer.
#[test]
fn dispatches_are_counted() {
    let code = spirv("@compute @workgroup_size(4, 2) fn main() {}");
    for (target, gpu) in devices() {
        let layout = gpu.layout(&[], 0);
        let pipeline = gpu.compute(&code, layout, &[]).expect("a pipeline");
        let (all, grid) = (pool(&gpu, 0x7ff, 2).expect("a pool"), parts::words(&gpu, &[5, 1, 1]));
        gpu.run(|d, c| unsafe {
            d.cmd_reset_query_pool(c, all, 0, 2);
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
            d.cmd_begin_query(c, all, 0, vk::QueryControlFlags::empty());
            d.cmd_dispatch(c, 3, 2, 1);
            d.cmd_end_query(c, all, 0);
            d.cmd_begin_query(c, all, 1, vk::QueryControlFlags::empty());
            d.cmd_dispatch_indirect(c, grid.buffer, 0);
            d.cmd_dispatch(c, 0, 1, 1);
            d.cmd_end_query(c, all, 1);
        })
        .expect("it runs");
        let mut found = [[0u64; 11]; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        unsafe { gpu.device.get_query_pool_results(all, 0, &mut found, flags).expect("results") };
        for (found, n) in found.iter().zip([48, 40]) {
            assert_eq!(found[..10], [0; 10], "{target}");
            assert_eq!(found[10], n, "{target}");
        }
    }
}
