//! What driver parts keep from launch to launch.

use gpucc_container::{Access, Entry, Resource, ResourceKind};
use gpucc_machines::drivers::DriverPart;
use gpucc_sim::texture::{Dim, Format, Image};
use gpucc_sim::{BoundTexture, Bytes, Dispatch, Kept};

/// The texels that a launch finds in memory.
fn placed(mut part: impl DriverPart, kept: &Kept, dispatch: &Dispatch) -> Bytes {
    let resource = Resource::new(ResourceKind::Texture, Access::Read, (0, 0), 0);
    let entry = Entry { resources: vec![resource], ..Entry::default() };
    part.keep(kept);
    let device = part.upload(&entry, dispatch).unwrap_or_else(|t| panic!("{t}"));
    device.residents.into_iter().find(|r| r.name == "texture 0").expect("the texture is placed").bytes
}

/// Launches of a frame: the same texture, a change of it, and that again.
fn frame<P: DriverPart>(part: impl Fn() -> P) {
    let mut image = Image::new(Format::Rgba8Unorm, false, [20, 12, 1], 3, 1);
    image.texel_bytes_mut(0, 0, 3, 2, 0).fill(7);
    let view = BoundTexture::whole(0, 0, 0, &image, Dim::D2);
    let mut dispatch = Dispatch::new([1; 3]).with_image(image).with_view(view);
    let kept = Kept::default();
    let same = |a: &Bytes, b: &Bytes| match (a, b) {
        (Bytes::Shared(a), Bytes::Shared(b)) => std::sync::Arc::ptr_eq(a, b),
        _ => false,
    };
    let first = placed(part(), &kept, &dispatch);
    assert!(same(&first, &placed(part(), &kept, &dispatch)), "placed twice");
    assert!(same(&first, &placed(part(), &kept, &dispatch.clone())), "a copy is the same texture");
    assert!(!same(&first, &placed(part(), &Kept::default(), &dispatch)), "another store has its own");
    dispatch.images[0].texel_bytes_mut(0, 0, 3, 2, 0).fill(9);
    let second = placed(part(), &kept, &dispatch);
    assert_eq!(first.iter().filter(|b| **b == 7).count(), 4);
    assert_eq!((second.iter().filter(|b| **b == 9).count(), second.contains(&7)), (4, false), "a change is seen");
    assert!(same(&second, &placed(part(), &kept, &dispatch)));
}

#[test]
fn a_texture_that_nobody_changes_is_placed_once() {
    frame(|| gpucc_gcn_driver::part("gfx8", None).expect("a generation"));
    frame(|| gpucc_tesla_driver::part("nva3", None).expect("a generation"));
    frame(|| gpucc_valhall_driver::part("v10", None).expect("a generation"));
    frame(|| gpucc_vivante_driver::part("gc3000", None).expect("a generation"));
}
