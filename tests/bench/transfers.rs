//! Moving memory: copies as fast as the machine's, maps that cost nothing whatever their size.

use crate::Row;
use crate::latency::best;
use crate::limits::Resource::Copy;
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Device, check, cl};
use std::ptr::{null, null_mut};

const GIBIBYTE: usize = 1 << 30;

pub fn run(device: Device, filter: &str, print: &mut impl FnMut(Row)) {
    let context = Context::of(device);
    let mut row = |name: &str, unit: &'static str, more_is_better: bool, measure: &dyn Fn() -> Result<f64, String>| {
        if name.contains(filter) {
            print(Row {
                name: name.to_owned(),
                family: "transfers",
                needs: if more_is_better { &[(Copy(2 * GIBIBYTE), 2e9)] } else { &[] },
                unit,
                more_is_better,
                value: measure(),
            });
        }
    };
    row("copy 1 GiB, buffer to buffer", "GB/s", true, &|| copy(&context));
    row("map and unmap 4 KiB", "us", false, &|| map(&context, 4096));
    row("map and unmap 1 GiB", "us", false, &|| map(&context, GIBIBYTE));
}

/// A buffer of ones, or of nothing in particular.
fn buffer(context: &Context, size: usize, value: Option<u8>) -> Result<cl_mem, String> {
    let mut status = 0;
    let buffer = cl!(clCreateBuffer(context.id, CL_MEM_READ_WRITE, size, null_mut(), &mut status));
    if status != CL_SUCCESS {
        return Err(format!("clCreateBuffer: {status}"));
    }
    // Also so that the pages are there.
    let value = value.unwrap_or(0);
    let pattern = std::ptr::from_ref(&value).cast();
    check(
        cl!(clEnqueueFillBuffer(
            context.queue,
            buffer,
            pattern,
            1,
            0,
            size,
            0,
            null(),
            null_mut()
        )),
        "clEnqueueFillBuffer",
    );
    context.finish();
    Ok(buffer)
}

fn copy(context: &Context) -> Result<f64, String> {
    let (from, to) = (buffer(context, GIBIBYTE, Some(7))?, buffer(context, GIBIBYTE, None)?);
    let time = best(|| {
        check(
            cl!(clEnqueueCopyBuffer(context.queue, from, to, 0, 0, GIBIBYTE, 0, null(), null_mut())),
            "clEnqueueCopyBuffer",
        );
        context.finish();
    });
    let mut last = 0_u8;
    let place = std::ptr::from_mut(&mut last).cast();
    check(
        cl!(clEnqueueReadBuffer(
            context.queue,
            to,
            CL_TRUE,
            GIBIBYTE - 1,
            1,
            place,
            0,
            null(),
            null_mut()
        )),
        "clEnqueueReadBuffer",
    );
    cl!(clReleaseMemObject(from));
    cl!(clReleaseMemObject(to));
    if last != 7 {
        return Err(format!("the last byte is {last}"));
    }
    Ok(GIBIBYTE as f64 / time.as_secs_f64() / 1e9)
}

fn map(context: &Context, size: usize) -> Result<f64, String> {
    let buffer = buffer(context, size, Some(1))?;
    let time = best(|| {
        let mut status = 0;
        let pointer = cl!(clEnqueueMapBuffer(
            context.queue,
            buffer,
            CL_TRUE,
            CL_MAP_READ | CL_MAP_WRITE,
            0,
            size,
            0,
            null(),
            null_mut(),
            &mut status
        ));
        check(status, "clEnqueueMapBuffer");
        check(
            cl!(clEnqueueUnmapMemObject(context.queue, buffer, pointer, 0, null(), null_mut())),
            "clEnqueueUnmapMemObject",
        );
        context.finish();
    });
    cl!(clReleaseMemObject(buffer));
    Ok(time.as_secs_f64() * 1e6)
}
