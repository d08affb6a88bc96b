//! Platforms, devices and contexts.

use crate::*;

#[test]
fn platforms_and_devices() {
    let Fixture { platform, device, .. } = Fixture::new();
    let mut count = 0;
    let mut place = null_mut();
    refused! {
        CL_INVALID_VALUE: platform::get_platform_ids(0, Out::from_mut(&mut place), Out::null());
        CL_INVALID_VALUE: platform::get_platform_ids(1, Out::null(), Out::null());
        CL_INVALID_PLATFORM: platform::get_platform_info(device, CL_PLATFORM_NAME, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: platform::get_platform_info(platform, 1, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: platform::get_platform_info(platform, CL_PLATFORM_NAME, 1, out(&mut count), Out::null());
        CL_INVALID_PLATFORM: platform::get_device_ids(device, CL_DEVICE_TYPE_ALL, 0, Out::null(), Out::from_mut(&mut count));
        CL_INVALID_DEVICE_TYPE: platform::get_device_ids(platform, 0, 0, Out::null(), Out::from_mut(&mut count));
        CL_INVALID_DEVICE_TYPE: platform::get_device_ids(platform, 1 << 20, 0, Out::null(), Out::from_mut(&mut count));
        CL_INVALID_VALUE: platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 0, Out::from_mut(&mut place), Out::null());
        CL_INVALID_VALUE: platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::null(), Out::null());
        CL_DEVICE_NOT_FOUND: platform::get_device_ids(platform, CL_DEVICE_TYPE_GPU, 0, Out::null(), Out::from_mut(&mut count));
        CL_INVALID_DEVICE: device_info::get_device_info(platform, CL_DEVICE_NAME, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: device_info::get_device_info(device, 1, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: device_info::get_device_info(device, CL_DEVICE_TYPE, 7, out(&mut count), Out::null());
        CL_INVALID_DEVICE: device::get_host_timer(platform, Out::from_mut(&mut 0));
        CL_INVALID_VALUE: device::get_host_timer(device, Out::null());
        CL_INVALID_VALUE: device::get_device_and_host_timer(device, Out::null(), Out::from_mut(&mut 0));
        CL_INVALID_VALUE: device::get_device_and_host_timer(device, Out::from_mut(&mut 0), Out::null());
        CL_INVALID_DEVICE: device::get_device_and_host_timer(platform, Out::from_mut(&mut 0), Out::from_mut(&mut 0));
        CL_INVALID_PLATFORM: platform::icd_set_platform_dispatch_data(device, NONE);
    }
}

#[test]
fn sub_devices() {
    let Fixture { platform, device, .. } = Fixture::new();
    let mut units: cl_uint = 0;
    device_info::get_device_info(device, CL_DEVICE_MAX_COMPUTE_UNITS, 4, out(&mut units), Out::null()).unwrap();
    let units = units as cl_device_partition_property;
    let equally = CL_DEVICE_PARTITION_EQUALLY as cl_device_partition_property;
    let counts = CL_DEVICE_PARTITION_BY_COUNTS as cl_device_partition_property;
    let domain = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as cl_device_partition_property;
    let create = |device, properties: &[cl_device_partition_property]| {
        device::create_sub_devices(device, In::from_slice(properties), 0, Out::null(), Out::from_mut(&mut 0))
    };
    let mut place = null_mut();
    refused! {
        CL_INVALID_DEVICE: create(platform, &[equally, 1, 0]);
        CL_INVALID_VALUE: device::create_sub_devices(device, In::null(), 0, Out::null(), Out::from_mut(&mut 0));
        CL_INVALID_VALUE: create(device, &[0]);
        CL_INVALID_VALUE: create(device, &[77, 1, 0]);
        CL_INVALID_VALUE: create(device, &[equally, 0, 0]);
        CL_INVALID_VALUE: create(device, &[equally, -1, 0]);
        CL_INVALID_VALUE: create(device, &[domain, 1 << 20, 0]);
        CL_INVALID_DEVICE_PARTITION_COUNT: create(device, &[equally, units + 1, 0]);
        CL_INVALID_DEVICE_PARTITION_COUNT: create(device, &[counts, units + 1, 0, 0]);
        CL_INVALID_DEVICE_PARTITION_COUNT: create(device, &[counts, units, 1, 0, 0]);
        CL_INVALID_DEVICE_PARTITION_COUNT: create(device, &[counts, -1, 0, 0]);
        CL_INVALID_DEVICE_PARTITION_COUNT: create(device, &[&[counts][..], &vec![1; units as usize + 1], &[0, 0]].concat());
        CL_DEVICE_PARTITION_FAILED: create(device, &[equally, units, 0]);
    }
    if units > 1 {
        let two = [counts, 1, 1, 0, 0];
        assert_eq!(
            device::create_sub_devices(device, In::from_slice(&two), 1, Out::from_mut(&mut place), Out::null()),
            Err(CL_INVALID_VALUE)
        );
        let one = [counts, 1, 0, 0];
        device::create_sub_devices(device, In::from_slice(&one), 1, Out::from_mut(&mut place), Out::null()).unwrap();
        assert_eq!(create(place, &[equally, 1, 0]), Err(CL_DEVICE_PARTITION_FAILED));
        device::release_device(place).unwrap();
    }
}

#[test]
fn contexts() {
    let Fixture {
        platform, device, context, ..
    } = Fixture::new();
    let create = |properties: &[cl_context_properties], count, devices: In<cl_device_id>, user_data| {
        context::create_context(In::from_slice(properties), count, devices, None, user_data)
    };
    let devices = [device];
    let list = In::from_slice(&devices);
    let name = CL_CONTEXT_PLATFORM as cl_context_properties;
    let ours = platform as cl_context_properties;
    let mut data = 0_u8;
    let data = std::ptr::from_mut(&mut data).cast::<c_void>();
    refused! {
        CL_INVALID_PLATFORM: create(&[name, device as cl_context_properties, 0], 1, list, NONE);
        CL_INVALID_PROPERTY: create(&[77, 1, 0], 1, list, NONE);
        CL_INVALID_PROPERTY: create(&[name, ours, name, ours, 0], 1, list, NONE);
        CL_INVALID_PROPERTY: create(&[CL_CONTEXT_INTEROP_USER_SYNC as cl_context_properties, 7, 0], 1, list, NONE);
        CL_INVALID_PROPERTY: context::create_context_from_type(In::from_slice(&[name, ours, name, ours, 0]), CL_DEVICE_TYPE_CPU, None, NONE);
        CL_INVALID_DEVICE_TYPE: context::create_context_from_type(In::null(), 1 << 20, None, NONE);
        CL_INVALID_VALUE: create(&[0], 0, list, NONE);
        CL_INVALID_VALUE: create(&[0], 1, In::null(), NONE);
        CL_INVALID_VALUE: create(&[0], 1, list, data);
        CL_INVALID_DEVICE: create(&[0], 1, In::from_slice(&[context]), NONE);
        CL_INVALID_DEVICE_TYPE: context::create_context_from_type(In::null(), 0, None, NONE);
        CL_DEVICE_NOT_FOUND: context::create_context_from_type(In::null(), CL_DEVICE_TYPE_GPU, None, NONE);
        CL_INVALID_VALUE: context::create_context_from_type(In::null(), CL_DEVICE_TYPE_CPU, None, data);
        CL_INVALID_CONTEXT: context::retain_context(device);
        CL_INVALID_CONTEXT: context::release_context(NONE);
        CL_INVALID_CONTEXT: context::get_context_info(device, CL_CONTEXT_DEVICES, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: context::get_context_info(context, 1, 0, Out::null(), Out::null());
        CL_INVALID_PROPERTY: create(&[CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1 << 20, 0], 1, list, NONE);
        CL_INVALID_PROPERTY: context::create_context_from_type(In::from_slice(&[77, 1, 0]), CL_DEVICE_TYPE_CPU, None, NONE);
        CL_INVALID_PLATFORM: context::create_context_from_type(In::from_slice(&[name, 64, 0]), CL_DEVICE_TYPE_CPU, None, NONE);
        CL_INVALID_VALUE: context::set_context_destructor_callback(context, None, NONE);
        CL_INVALID_CONTEXT: context::set_context_destructor_callback(device, None, NONE);
    }
}
