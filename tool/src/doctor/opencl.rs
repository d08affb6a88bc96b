//! As much of OpenCL as the doctor needs, by the names of a library that is loaded when it is asked for: an ICD loader, or a driver.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

type Int = i32;
type Handle = *mut c_void;
type GetIds = unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> Int;
type GetInfo = unsafe extern "C" fn(Handle, u32, usize, *mut c_void, *mut usize) -> Int;

const PLATFORM_VERSION: u32 = 0x0901;
const PLATFORM_NAME: u32 = 0x0902;
const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const DEVICE_NAME: u32 = 0x102b;
const MEM_READ_WRITE: u64 = 1;

/// A library with OpenCL's functions.
pub struct Library(Handle);

impl Library {
    /// Loads a library; gives the dynamic linker's complaint where that fails.
    pub fn open(path: &str) -> Result<Library, String> {
        let name = CString::new(path).map_err(|_| "a path with a zero byte".to_owned())?;
        // SAFETY: a string. What the library does when it is loaded is why this is done in a child.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            return Ok(Library(handle));
        }
        // SAFETY: after a failure it gives a string, or null.
        let message = unsafe { libc::dlerror() };
        match message.is_null() {
            true => Err(format!("{path} can't be loaded")),
            // SAFETY: a string of the linker's, until the next call.
            false => Err(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()),
        }
    }

    /// Is there a function of this name?
    pub fn has(&self, name: &CStr) -> bool {
        self.function::<Handle>(name).is_ok()
    }

    /// A function of the library as a value of the type that it has in OpenCL's headers.
    fn function<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        assert_eq!(size_of::<F>(), size_of::<Handle>());
        // SAFETY: a handle of dlopen's, and a string.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        if address.is_null() {
            return Err(format!("it has no {}", name.to_string_lossy()));
        }
        // SAFETY: a pointer to a function, by its size; the callers name its type by the headers.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }

    /// The platforms. `function` is `clGetPlatformIDs` of a loader, or `clIcdGetPlatformIDsKHR` of a driver.
    pub fn platforms(&self, function: &CStr) -> Result<Vec<Platform<'_>>, String> {
        let get: GetIds = self.function(function)?;
        let mut ids = [null_mut(); 64];
        let mut count = 0;
        // SAFETY: room for as many as it is told.
        let code = unsafe { get(ids.len() as u32, ids.as_mut_ptr(), &mut count) };
        // CL_PLATFORM_NOT_FOUND_KHR: a loader without drivers.
        if code != 0 && code != -1001 {
            return Err(format!("{} gives error {code}", function.to_string_lossy()));
        }
        let ids = &ids[..(count as usize).min(ids.len())];
        let platform = |&id: &Handle| Platform { library: self, id };
        Ok(if code == 0 {
            ids.iter().map(platform).collect()
        } else {
            Vec::new()
        })
    }
}

/// A platform of a library.
pub struct Platform<'a> {
    library: &'a Library,
    id: Handle,
}

impl Platform<'_> {
    /// Its name and version: `Brolga, OpenCL 3.1 Brolga 0.1.0`.
    pub fn title(&self) -> String {
        format!("{}, {}", self.text(PLATFORM_NAME), self.text(PLATFORM_VERSION))
    }

    fn text(&self, what: u32) -> String {
        text(self.library, c"clGetPlatformInfo", self.id, what)
    }

    /// Its devices' names.
    pub fn devices(&self) -> Vec<String> {
        let devices = self.device_ids().unwrap_or_default();
        let name = |&device: &Handle| text(self.library, c"clGetDeviceInfo", device, DEVICE_NAME);
        devices.iter().map(name).collect()
    }

    fn device_ids(&self) -> Result<Vec<Handle>, String> {
        type GetDevices = unsafe extern "C" fn(Handle, u64, u32, *mut Handle, *mut u32) -> Int;
        let get: GetDevices = self.library.function(c"clGetDeviceIDs")?;
        let mut ids = [null_mut(); 64];
        let mut count = 0;
        // SAFETY: a platform of this library's, and room for as many as it is told.
        let code = unsafe { get(self.id, DEVICE_TYPE_ALL, ids.len() as u32, ids.as_mut_ptr(), &mut count) };
        checked("clGetDeviceIDs", code)?;
        Ok(ids[..(count as usize).min(ids.len())].to_vec())
    }

    /// Runs a kernel over a buffer of `words` on the first device, one work-item a word, and gives what the buffer holds then.
    pub fn run(&self, il: &[u8], kernel: &CStr, words: &[u32]) -> Result<Vec<u32>, String> {
        type CreateContext = unsafe extern "C" fn(*const isize, u32, *const Handle, *const c_void, Handle, *mut Int) -> Handle;
        type CreateQueue = unsafe extern "C" fn(Handle, Handle, *const u64, *mut Int) -> Handle;
        type CreateProgram = unsafe extern "C" fn(Handle, *const c_void, usize, *mut Int) -> Handle;
        type Build = unsafe extern "C" fn(Handle, u32, *const Handle, *const c_char, *const c_void, Handle) -> Int;
        type CreateKernel = unsafe extern "C" fn(Handle, *const c_char, *mut Int) -> Handle;
        type CreateBuffer = unsafe extern "C" fn(Handle, u64, usize, Handle, *mut Int) -> Handle;
        type SetArgument = unsafe extern "C" fn(Handle, u32, usize, *const c_void) -> Int;
        type Launch =
            unsafe extern "C" fn(Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle) -> Int;
        type Transfer = unsafe extern "C" fn(Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle) -> Int;
        let library = self.library;
        let device = *self.device_ids()?.first().ok_or("it has no device")?;
        let mut result = words.to_vec();
        let bytes = size_of_val(words);
        let mut code = 0;
        // SAFETY: the types are those of OpenCL's headers, sizes are those of what the pointers point to, and the objects are of this library.
        // They live until this process, a child, ends.
        unsafe {
            let context = library.function::<CreateContext>(c"clCreateContext")?(null(), 1, &device, null(), null_mut(), &mut code);
            checked("clCreateContext", code)?;
            let queue = library.function::<CreateQueue>(c"clCreateCommandQueueWithProperties")?(context, device, null(), &mut code);
            checked("clCreateCommandQueueWithProperties", code)?;
            let create = library.function::<CreateProgram>(c"clCreateProgramWithIL")?;
            let program = create(context, il.as_ptr().cast(), il.len(), &mut code);
            checked("clCreateProgramWithIL", code)?;
            let build = library.function::<Build>(c"clBuildProgram")?;
            checked("clBuildProgram", build(program, 1, &device, c"".as_ptr(), null(), null_mut()))?;
            let kernel = library.function::<CreateKernel>(c"clCreateKernel")?(program, kernel.as_ptr(), &mut code);
            checked("clCreateKernel", code)?;
            let create = library.function::<CreateBuffer>(c"clCreateBuffer")?;
            let buffer = create(context, MEM_READ_WRITE, bytes, null_mut(), &mut code);
            checked("clCreateBuffer", code)?;
            let write = library.function::<Transfer>(c"clEnqueueWriteBuffer")?;
            let written = write(queue, buffer, 1, 0, bytes, result.as_mut_ptr().cast(), 0, null(), null_mut());
            checked("clEnqueueWriteBuffer", written)?;
            let set = library.function::<SetArgument>(c"clSetKernelArg")?;
            checked("clSetKernelArg", set(kernel, 0, size_of::<Handle>(), (&raw const buffer).cast()))?;
            let launch = library.function::<Launch>(c"clEnqueueNDRangeKernel")?;
            let launched = launch(queue, kernel, 1, null(), &words.len(), null(), 0, null(), null_mut());
            checked("clEnqueueNDRangeKernel", launched)?;
            let read = library.function::<Transfer>(c"clEnqueueReadBuffer")?;
            let done = read(queue, buffer, 1, 0, bytes, result.as_mut_ptr().cast(), 0, null(), null_mut());
            checked("clEnqueueReadBuffer", done)?;
        }
        Ok(result)
    }
}

fn checked(function: &str, code: Int) -> Result<(), String> {
    match code {
        0 => Ok(()),
        code => Err(format!("{function} gives error {code}")),
    }
}

/// A text that an object tells of itself; empty where it does not.
fn text(library: &Library, function: &CStr, object: Handle, what: u32) -> String {
    let Ok(get) = library.function::<GetInfo>(function) else {
        return String::new();
    };
    let mut bytes = [0u8; 4096];
    let mut length = 0;
    // SAFETY: an object of this library's, and room for as much as it is told.
    let code = unsafe { get(object, what, bytes.len(), bytes.as_mut_ptr().cast(), &mut length) };
    let bytes = if code == 0 { &bytes[..length.min(bytes.len())] } else { &[] };
    String::from_utf8_lossy(bytes).trim_end_matches('\0').trim().to_owned()
}
