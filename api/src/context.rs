//! Contexts: §4.4.

use crate::allocations::Allocations;
use crate::cl::*;
use crate::device::{self, Device};
use crate::environment;
use crate::error::{self, Result, fail_if};
use crate::handle::{self, Borrowed, Handle, Kind, Object, lookup, publish};
use crate::info::Info;
use crate::platform::{self, Platform};
use crate::raw::{HostPointer, In, Out, named};
use ::device::lock::Lock;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};
use std::ffi::CString;
use std::sync::{Arc, Weak};

/// A context: the devices that share objects.
#[derive(Debug)]
pub struct Context {
    handle: Handle,
    /// Its devices, each once.
    pub devices: Vec<Arc<Device>>,
    /// CL_CONTEXT_PROPERTIES, with the zero that ends it; empty if none were given.
    properties: Vec<cl_context_properties>,
    notify: Option<Notify>,
    destructor_callbacks: Lock<Vec<Callback>>,
    /// Its shared virtual memory.
    pub svm: Allocations,
    queues: Lock<Vec<Weak<dyn Commands>>>,
    /// Not zero once the context has been terminated; kernels that run look at it ([`Context::stop_word`]).
    terminated: AtomicU32,
}

/// What a context asks of its queues.
pub trait Commands: core::fmt::Debug + Send + Sync {
    /// Waits until every command that was enqueued before has ended (clFinish).
    fn finish_all(self: Arc<Self>);
    /// Ends all commands that have not begun, and lets none wait (clTerminateContextKHR).
    fn terminate_all(self: Arc<Self>);
}

/// Whom to tell of errors.
#[derive(Clone, Copy, Debug)]
struct Notify {
    function: unsafe extern "C" fn(*const core::ffi::c_char, *const c_void, usize, *mut c_void),
    user_data: HostPointer,
}

/// A function of the application that is to be called for an object.
#[derive(Clone, Copy, Debug)]
pub struct Callback {
    function: unsafe extern "C" fn(*mut c_void, *mut c_void),
    user_data: HostPointer,
}

impl Callback {
    /// `None` if the application gave no function.
    pub fn new(function: ObjectNotify, user_data: *mut c_void) -> Option<Callback> {
        Some(Callback {
            function: function?,
            user_data: HostPointer(user_data.cast()),
        })
    }

    /// Calls it.
    #[allow(
        clippy::not_unsafe_ptr_arg_deref,
        reason = "a handle, which nobody dereferences but by looking it up"
    )]
    pub fn call(self, object: *mut c_void) {
        // SAFETY: the application gave this function and its argument for this use.
        unsafe { (self.function)(object, self.user_data.0.cast()) }
    }
}

impl Object for Context {
    const KIND: Kind = Kind::Context;
    const INVALID: cl_int = CL_INVALID_CONTEXT;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Context {
    /// Tells the application of an error that no function returns (`pfn_notify` of clCreateContext).
    pub fn report(&self, message: &str) {
        if let (Some(notify), Ok(message)) = (self.notify, CString::new(message.replace('\0', " "))) {
            // SAFETY: the application gave this function and its argument for this use.
            unsafe { (notify.function)(message.as_ptr(), core::ptr::null(), 0, notify.user_data.0.cast()) }
        }
    }

    /// Which memory begins as zeros (CL_CONTEXT_MEMORY_INITIALIZE_KHR).
    fn initializes(&self, memory: cl_context_properties) -> bool {
        let pairs = self.properties.chunks_exact(2);
        pairs
            .into_iter()
            .any(|pair| pair[0] == CL_CONTEXT_MEMORY_INITIALIZE_KHR && pair[1] & memory != 0)
    }

    /// Work-groups find their local memory zeroed.
    pub fn initializes_local(&self) -> bool {
        self.initializes(CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR)
    }

    /// Private variables begin as zeros.
    pub fn initializes_private(&self) -> bool {
        self.initializes(CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR)
    }

    /// CL_CONTEXT_TERMINATE_KHR
    fn can_terminate(&self) -> bool {
        let mut pairs = self.properties.chunks_exact(2);
        pairs.any(|pair| matches!(pair[0], CL_CONTEXT_TERMINATE_KHR | CL_CONTEXT_TERMINATE_KHR_1X) && pair[1] != 0)
    }

    /// Has it been terminated?
    pub fn is_terminated(&self) -> bool {
        self.terminated.load(Ordering::Acquire) != 0
    }

    /// What functions that create an object or enqueue a command check of it.
    pub fn check_alive(&self) -> Result<()> {
        // CL_CONTEXT_TERMINATED_KHR: "once a context has been terminated, all OpenCL API calls that create objects or enqueue commands".
        fail_if(self.is_terminated(), CL_CONTEXT_TERMINATED_KHR)
    }

    /// Where kernels see that they are to stop: a word that lives as long as the context. `None` if the context can't be terminated.
    pub fn stop_word(&self) -> Option<u64> {
        self.can_terminate().then_some(self.terminated.as_ptr() as u64)
    }

    /// Tells of a command that failed. Those of a terminated context are no news.
    pub fn report_failure(&self, code: cl_int) {
        if code != CL_CONTEXT_TERMINATED_KHR {
            self.report(&format!("a command ended with {} ({code})", error::name(code)));
        }
    }

    /// Remembers a queue that was made.
    pub fn add_queue(&self, queue: &Arc<dyn Commands>) {
        let mut queues = self.queues.lock();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(Arc::downgrade(queue));
    }

    /// Its queues that live.
    pub fn queues(&self) -> Vec<Arc<dyn Commands>> {
        self.queues.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Is a device one of the context's?
    pub fn has(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|own| Arc::ptr_eq(own, device))
    }

    /// What the application holds of it.
    pub fn id(&self) -> cl_context {
        self.handle.as_ptr()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // "The registered callback functions are called in the reverse order in which they were registered."
        let id = self.id();
        for callback in self.destructor_callbacks.get_mut().drain(..).rev() {
            callback.call(id);
        }
    }
}

/// Checks a property list, and names its platform.
fn check_properties(properties: &[cl_context_properties]) -> Result<()> {
    // CL_INVALID_PROPERTY if the same property name is specified more than once.
    for (name, value) in named(properties, CL_INVALID_PROPERTY)? {
        match name {
            // CL_INVALID_PLATFORM if the platform value specified in properties is not a valid platform.
            CONTEXT_PLATFORM => {
                lookup::<Platform>(value as cl_platform_id)?;
            }
            // CL_INVALID_PROPERTY if the value specified for a supported property name is not valid.
            CONTEXT_INTEROP_USER_SYNC => fail_if(value != 0 && value != 1, CL_INVALID_PROPERTY)?,
            CL_CONTEXT_MEMORY_INITIALIZE_KHR if environment::has("cl_khr_initialize_memory") => {
                const BOTH: cl_context_properties = CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
                fail_if(value & !BOTH != 0, CL_INVALID_PROPERTY)?;
            }
            CL_CONTEXT_TERMINATE_KHR | CL_CONTEXT_TERMINATE_KHR_1X if environment::has("cl_khr_terminate_context") => {
                fail_if(value != 0 && value != 1, CL_INVALID_PROPERTY)?
            }
            // CL_INVALID_PROPERTY if a context property name in properties is not a supported property name.
            _ => return Err(CL_INVALID_PROPERTY),
        }
    }
    Ok(())
}

const CONTEXT_PLATFORM: cl_context_properties = CL_CONTEXT_PLATFORM as cl_context_properties;
const CONTEXT_INTEROP_USER_SYNC: cl_context_properties = CL_CONTEXT_INTEROP_USER_SYNC as cl_context_properties;

/// clCreateContext
pub fn create_context(
    properties: In<cl_context_properties>,
    num_devices: cl_uint,
    devices: In<cl_device_id>,
    pfn_notify: ContextNotify,
    user_data: *mut c_void,
) -> Result<cl_context> {
    let properties = properties.properties().unwrap_or_default();
    check_properties(&properties)?;
    // CL_INVALID_VALUE if devices is NULL; if num_devices is equal to zero;
    fail_if(devices.is_null() || num_devices == 0, CL_INVALID_VALUE)?;
    // or if pfn_notify is NULL but user_data is not NULL.
    fail_if(pfn_notify.is_none() && !user_data.is_null(), CL_INVALID_VALUE)?;
    // CL_INVALID_DEVICE if any device in devices is not a valid device.
    let list = device::from_list(&devices.list(num_devices as usize).ok_or(CL_INVALID_VALUE)?)?;
    create(properties, list, pfn_notify, user_data)
}

/// clCreateContextFromType
pub fn create_context_from_type(
    properties: In<cl_context_properties>,
    device_type: cl_device_type,
    pfn_notify: ContextNotify,
    user_data: *mut c_void,
) -> Result<cl_context> {
    let properties = properties.properties().unwrap_or_default();
    check_properties(&properties)?;
    // CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL.
    fail_if(pfn_notify.is_none() && !user_data.is_null(), CL_INVALID_VALUE)?;
    // CL_INVALID_DEVICE_TYPE if device_type is not a valid value.
    // CL_DEVICE_NOT_FOUND if no devices that match device_type and property values specified in properties were found.
    let device = platform::named(core::ptr::null_mut())?
        .device_of_type(device_type)?
        .ok_or(CL_DEVICE_NOT_FOUND)?;
    create(properties, vec![device.clone()], pfn_notify, user_data)
}

fn create(
    properties: Vec<cl_context_properties>,
    list: Vec<Arc<Device>>,
    pfn_notify: ContextNotify,
    user_data: *mut c_void,
) -> Result<cl_context> {
    // "Duplicate devices specified in devices are ignored."
    let mut devices: Vec<Arc<Device>> = Vec::new();
    for device in list {
        if !devices.iter().any(|own| Arc::ptr_eq(own, &device)) {
            devices.push(device);
        }
    }
    compiler::checked::begin();
    publish(Arc::new(Context {
        handle: Handle::default(),
        devices,
        properties,
        notify: pfn_notify.map(|function| Notify {
            function,
            user_data: HostPointer(user_data.cast()),
        }),
        destructor_callbacks: Lock::default(),
        svm: Allocations::default(),
        queues: Lock::default(),
        terminated: AtomicU32::new(0),
    }))
}

/// A context that something is to be made in.
pub fn alive(context: cl_context) -> Result<Borrowed<Context>> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = lookup::<Context>(context)?;
    context.check_alive()?;
    Ok(context)
}

/// clRetainContext
pub fn retain_context(context: cl_context) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid OpenCL context.
    handle::retain::<Context>(context)
}

/// clReleaseContext
pub fn release_context(context: cl_context) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid OpenCL context.
    handle::release::<Context>(context)
}

/// clTerminateContextKHR: commands that have not begun end at once; kernels that run find out where they go round a loop. What the host
/// runs (a native kernel) and copies that are under way end by themselves.
pub fn terminate_context(context: cl_context) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid OpenCL context.
    let context = lookup::<Context>(context)?;
    // CL_INVALID_OPERATION if context was not created with CL_CONTEXT_TERMINATE_KHR set to CL_TRUE.
    fail_if(!context.can_terminate(), CL_INVALID_OPERATION)?;
    // CL_CONTEXT_TERMINATED_KHR if context has already been terminated.
    fail_if(context.terminated.swap(1, Ordering::AcqRel) != 0, CL_CONTEXT_TERMINATED_KHR)?;
    for queue in context.queues() {
        queue.terminate_all();
    }
    // "A callback function registered when the context was created will be called."
    context.report("the context was terminated");
    Ok(())
}

/// clGetContextInfo
pub fn get_context_info(
    context: cl_context,
    param_name: cl_context_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = lookup::<Context>(context)?;
    let info = match param_name {
        CL_CONTEXT_REFERENCE_COUNT => Info::of(context.handle.references()),
        CL_CONTEXT_NUM_DEVICES => Info::of(context.devices.len() as cl_uint),
        CL_CONTEXT_DEVICES => Info::list(&context.devices.iter().map(|device| device.id()).collect::<Vec<_>>()),
        CL_CONTEXT_PROPERTIES => Info::list(&context.properties),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}

/// clSetContextDestructorCallback
pub fn set_context_destructor_callback(context: cl_context, pfn_notify: ObjectNotify, user_data: *mut c_void) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = alive(context)?;
    // CL_INVALID_VALUE if pfn_notify is NULL.
    let callback = Callback::new(pfn_notify, user_data).ok_or(CL_INVALID_VALUE)?;
    context.destructor_callbacks.lock().push(callback);
    Ok(())
}
