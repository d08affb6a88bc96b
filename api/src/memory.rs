//! Memory objects: §5.2 "Buffer Objects", §5.4 "Pipes" and §5.5 "Querying, Unmapping, Migrating, Retaining and Releasing Memory Objects".
//!
//! An object's memory is host memory: the application's own (CL_MEM_USE_HOST_PTR), or an allocation. A sub-buffer is a part of its
//! parent's, and so is an image that is made of a buffer or of another image.

use crate::allocations::Found;
use crate::cl::*;
use crate::context::{self, Callback, Context};
use crate::environment;
use crate::error::{Result, fail_if};
use crate::handle::{self, Handle, Kind, Object, lookup, publish};
use crate::image::Image;
use crate::info::Info;
use crate::machine;
use crate::raw::{HostPointer, In, Out};
use crate::rect::Rect;
use ::device::live::written;
use ::device::lock::Lock;
use ::device::memory::Allocation;
use compiler::buffers::allocate;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::null_mut;
use std::sync::Arc;

/// A memory object.
#[derive(Debug)]
pub struct Memory {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    /// What its bytes are.
    form: Form,
    /// CL_MEM_FLAGS
    pub flags: cl_mem_flags,
    /// CL_MEM_SIZE
    pub size: usize,
    /// CL_MEM_HOST_PTR
    host_pointer: HostPointer,
    /// CL_MEM_PROPERTIES, with the zero that ends it; empty if none were given.
    properties: Vec<cl_properties>,
    /// The memory object that it is a part of, and where there it begins.
    pub parent: Option<(Arc<Memory>, usize)>,
    /// Where its bytes are. Out of here go [`Address`]es only, which last no longer than whoever asks holds the object.
    data: HostPointer,
    /// What holds them, unless the application or the parent does.
    _allocation: Option<Allocation>,
    /// What clEnqueueMapBuffer and clEnqueueMapImage have mapped.
    pub mappings: Lock<Vec<Mapping>>,
    destructor_callbacks: Lock<Vec<Callback>>,
}

/// The address of an object's bytes. It borrows the object, and its pointer is not `Send`: a command, which is run later and elsewhere, can keep
/// neither, so it has to keep the object and ask again.
#[derive(Clone, Copy, Debug)]
pub struct Address<'object> {
    pointer: *mut u8,
    _object: PhantomData<&'object Memory>,
}

impl Address<'_> {
    /// The pointer.
    pub fn ptr(self) -> *mut u8 {
        self.pointer
    }

    /// The address as a number, to compare and to show.
    pub fn number(self) -> usize {
        self.pointer as usize
    }
}

/// What a memory object is.
#[derive(Debug)]
pub enum Form {
    /// Bytes.
    Buffer,
    /// Pixels.
    Image(Image),
    /// Packets.
    Pipe(Pipe),
}

/// Where an object's bytes are, and who holds them.
#[derive(Debug)]
pub struct Storage {
    data: HostPointer,
    host_pointer: HostPointer,
    allocation: Option<Allocation>,
    parent: Option<(Arc<Memory>, usize)>,
}

impl Storage {
    /// Memory for `size` bytes, as the flags say: the application's own, or an allocation, with the application's bytes in it or without.
    pub fn new(flags: cl_mem_flags, size: usize, host_ptr: HostPointer) -> Result<Storage> {
        if flags & CL_MEM_USE_HOST_PTR != 0 {
            // It may be shared memory, which holds what the application says.
            written::set(host_ptr.0, size);
            return Ok(Storage {
                data: host_ptr,
                host_pointer: host_ptr,
                allocation: None,
                parent: None,
            });
        }
        // CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for the object.
        let allocation = allocate(size, 0).map_err(|_| CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
        let data = HostPointer(allocation.as_ptr());
        if flags & CL_MEM_COPY_HOST_PTR != 0 {
            // SAFETY: host_ptr points to `size` bytes, as the application says; the allocation is new and has as many.
            unsafe { ::device::memory::copy(data.0, host_ptr.0, size, machine::compute_units() as usize) };
        }
        Ok(Storage {
            data,
            host_pointer: HostPointer(null_mut()),
            allocation: Some(allocation),
            parent: None,
        })
    }

    /// Nobody has written to it yet, unless it came with contents, and nobody does without that checks see it.
    fn follow_writes(&self, flags: cl_mem_flags) {
        if let Some(allocation) = self.allocation.as_ref().filter(|_| flags & CL_MEM_COPY_HOST_PTR == 0) {
            allocation.follow_writes();
        }
    }

    /// The memory of a part of another object.
    pub fn part_of(parent: &Arc<Memory>, origin: usize) -> Storage {
        let used = parent.host_pointer;
        Storage {
            data: HostPointer(parent.address().ptr()).at(origin),
            host_pointer: if used.0.is_null() { used } else { used.at(origin) },
            allocation: None,
            parent: Some((parent.clone(), origin)),
        }
    }

    /// Where the bytes are.
    pub fn data(&self) -> HostPointer {
        self.data
    }
}

/// What is said of a pipe.
#[derive(Clone, Copy, Debug)]
pub struct Pipe {
    /// CL_PIPE_PACKET_SIZE
    pub packet_size: cl_uint,
    /// CL_PIPE_MAX_PACKETS
    pub max_packets: cl_uint,
}

/// A mapped region.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// What the application got.
    pub pointer: HostPointer,
    /// Does it write there?
    pub writes: bool,
    /// Its place in the object.
    pub rect: Rect,
}

impl Object for Memory {
    const KIND: Kind = Kind::Memory;
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Memory {
    /// Makes a memory object.
    pub fn create(
        context: &Arc<Context>,
        form: Form,
        flags: cl_mem_flags,
        size: usize,
        storage: Storage,
        properties: Vec<cl_properties>,
    ) -> Result<cl_mem> {
        let Storage {
            data,
            host_pointer,
            allocation,
            parent,
        } = storage;
        if flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT) != 0
            && let Some(allocation) = &allocation
        {
            allocation.set_only_read();
        }
        publish(Arc::new(Memory {
            handle: Handle::default(),
            context: context.clone(),
            form,
            // "If the value specified for flags is 0, the default is used which is CL_MEM_READ_WRITE."
            flags: if flags & (KERNEL_ACCESS | CL_MEM_IMMUTABLE_EXT) == 0 {
                flags | CL_MEM_READ_WRITE
            } else {
                flags
            },
            size,
            host_pointer,
            properties,
            parent,
            data,
            _allocation: allocation,
            mappings: Lock::default(),
            destructor_callbacks: Lock::default(),
        }))
    }

    /// Where its bytes are, for as long as the object is held.
    pub fn address(&self) -> Address<'_> {
        Address {
            pointer: self.data.ptr(),
            _object: PhantomData,
        }
    }

    /// What a kernel gets for the object: the address of its bytes, or of its record if it is an image. It is valid for as long as the object
    /// is held, and so belongs beside what holds it.
    pub fn kernel_argument(&self) -> usize {
        match &self.form {
            Form::Image(image) => image.argument() as usize,
            Form::Buffer | Form::Pipe(_) => self.address().number(),
        }
    }

    /// CL_INVALID_MEM_OBJECT if it is not a buffer object.
    pub fn check_buffer(&self) -> Result<()> {
        fail_if(!matches!(self.form, Form::Buffer), CL_INVALID_MEM_OBJECT)
    }

    /// CL_INVALID_MEM_OBJECT if it is not an image object.
    pub fn image(&self) -> Result<&Image> {
        match &self.form {
            Form::Image(image) => Ok(image),
            Form::Buffer | Form::Pipe(_) => Err(CL_INVALID_MEM_OBJECT),
        }
    }

    /// CL_INVALID_MEM_OBJECT if it is not a pipe object.
    pub fn pipe(&self) -> Result<&Pipe> {
        match &self.form {
            Form::Pipe(pipe) => Ok(pipe),
            Form::Buffer | Form::Image(_) => Err(CL_INVALID_MEM_OBJECT),
        }
    }

    /// What the application holds of it.
    pub fn id(&self) -> cl_mem {
        self.handle.as_ptr()
    }

    /// Does a region lie within the object?
    pub fn contains(&self, offset: usize, size: usize) -> bool {
        offset.checked_add(size).is_some_and(|end| end <= self.size)
    }

    /// CL_INVALID_OPERATION if a host access flag forbids what the host wants to do.
    pub fn check_host_access(&self, forbidding: cl_mem_flags) -> Result<()> {
        fail_if(self.flags & (forbidding | CL_MEM_HOST_NO_ACCESS) != 0, CL_INVALID_OPERATION)
    }

    /// CL_INVALID_OPERATION if it was created with CL_MEM_IMMUTABLE_EXT, and something is to change it.
    pub fn check_mutable(&self) -> Result<()> {
        fail_if(self.flags & CL_MEM_IMMUTABLE_EXT != 0, CL_INVALID_OPERATION)
    }

    /// CL_MISALIGNED_SUB_BUFFER_OFFSET if it is a sub-buffer object and its offset is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN.
    pub fn check_alignment(&self) -> Result<()> {
        let aligned = self
            .parent
            .as_ref()
            .is_none_or(|(_, origin)| origin.is_multiple_of(machine::MEMORY_ALIGNMENT));
        fail_if(!aligned, CL_MISALIGNED_SUB_BUFFER_OFFSET)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // "The registered callback functions are called in the reverse order in which they were registered."
        let id = self.id();
        for callback in self.destructor_callbacks.get_mut().drain(..).rev() {
            callback.call(id);
        }
    }
}

/// A memory object that a command of `context` names.
pub fn memory_of(memory: cl_mem, context: &Arc<Context>) -> Result<Arc<Memory>> {
    // CL_INVALID_MEM_OBJECT if memobj is not a valid memory object.
    let memory = lookup::<Memory>(memory)?;
    // CL_INVALID_CONTEXT if the context associated with command_queue and memobj are not the same.
    fail_if(!Arc::ptr_eq(&memory.context, context), CL_INVALID_CONTEXT)?;
    Ok(memory.clone())
}

/// A buffer that a command of `context` names.
pub fn buffer_of(buffer: cl_mem, context: &Arc<Context>) -> Result<Arc<Memory>> {
    let memory = memory_of(buffer, context)?;
    // CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object.
    memory.check_buffer()?;
    Ok(memory)
}

const KERNEL_ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST_ACCESS: cl_mem_flags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
/// What contradicts CL_MEM_IMMUTABLE_EXT.
const CHANGES: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY;
const HOST_POINTER: cl_mem_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// CL_INVALID_VALUE if values specified in flags are not valid, as the table of memory flags has it.
pub fn check_flags(flags: cl_mem_flags) -> Result<()> {
    let immutable = if environment::has("cl_ext_immutable_memory_objects") {
        CL_MEM_IMMUTABLE_EXT
    } else {
        0
    };
    fail_if(
        flags & !(KERNEL_ACCESS | HOST_ACCESS | HOST_POINTER | immutable) != 0,
        CL_INVALID_VALUE,
    )?;
    // CL_INVALID_VALUE if CL_MEM_IMMUTABLE_EXT is set in flags and CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, or CL_MEM_HOST_WRITE_ONLY is set.
    fail_if(flags & CL_MEM_IMMUTABLE_EXT != 0 && flags & CHANGES != 0, CL_INVALID_VALUE)?;
    // "CL_MEM_READ_WRITE or CL_MEM_READ_ONLY and CL_MEM_WRITE_ONLY are mutually exclusive."
    fail_if((flags & KERNEL_ACCESS).count_ones() > 1, CL_INVALID_VALUE)?;
    // "CL_MEM_HOST_WRITE_ONLY and CL_MEM_HOST_READ_ONLY", CL_MEM_HOST_NO_ACCESS "are mutually exclusive."
    fail_if((flags & HOST_ACCESS).count_ones() > 1, CL_INVALID_VALUE)?;
    // "CL_MEM_ALLOC_HOST_PTR and CL_MEM_USE_HOST_PTR are mutually exclusive", as are CL_MEM_COPY_HOST_PTR and CL_MEM_USE_HOST_PTR.
    fail_if(
        flags & CL_MEM_USE_HOST_PTR != 0 && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0,
        CL_INVALID_VALUE,
    )
}

/// What an immutable object of its own begins with must come from somewhere.
pub fn check_contents(flags: cl_mem_flags) -> Result<()> {
    // CL_INVALID_VALUE if CL_MEM_IMMUTABLE_EXT is set in flags and neither CL_MEM_COPY_HOST_PTR nor CL_MEM_USE_HOST_PTR is.
    let has_contents = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0;
    fail_if(flags & CL_MEM_IMMUTABLE_EXT != 0 && !has_contents, CL_INVALID_VALUE)
}

/// CL_INVALID_HOST_PTR if host_ptr is NULL and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are set in flags or if host_ptr is not NULL but
/// CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are not set in flags.
pub fn check_host_pointer(flags: cl_mem_flags, host_ptr: *mut c_void) -> Result<()> {
    let wants_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    fail_if(host_ptr.is_null() == wants_pointer, CL_INVALID_HOST_PTR)
}

/// clCreateBuffer
pub fn create_buffer(context: cl_context, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void) -> Result<cl_mem> {
    create_buffer_with_properties(context, In::null(), flags, size, host_ptr)
}

/// clCreateBufferWithProperties
pub fn create_buffer_with_properties(
    context: cl_context,
    properties: In<cl_properties>,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    // CL_INVALID_PROPERTY if a property name in properties is not a supported property name, if the value specified for a supported property
    // name is not valid, or if the same property name is specified more than once.
    let known: &[_] = match environment::has("cl_ext_buffer_device_address") {
        true => &[(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE as cl_properties)],
        false => &[],
    };
    let properties = properties.bit_fields(known, CL_INVALID_PROPERTY)?.list;
    check_flags(flags)?;
    check_contents(flags)?;
    // CL_INVALID_BUFFER_SIZE if size is 0 or if size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE for all devices in context.
    fail_if(size == 0 || size as u64 > machine::max_allocation_bytes(), CL_INVALID_BUFFER_SIZE)?;
    check_host_pointer(flags, host_ptr)?;
    // CL_INVALID_BUFFER_SIZE if CL_MEM_USE_HOST_PTR is set in flags and host_ptr is a pointer returned by clSVMAlloc and size is greater
    // than the size passed to clSVMAlloc.
    let host = HostPointer(host_ptr.cast());
    if flags & CL_MEM_USE_HOST_PTR != 0
        && let Some(Found { start, bytes, .. }) = context.svm.find(host.0)
    {
        fail_if(host.0 as usize - start + size > bytes, CL_INVALID_BUFFER_SIZE)?;
    }
    let storage = Storage::new(flags, size, host)?;
    storage.follow_writes(flags);
    Memory::create(&context, Form::Buffer, flags, size, storage, properties)
}

/// The flags of an object that is made of another one: those given, and those that it inherits.
pub fn flags_of_part(parent: &Memory, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    check_flags(flags)?;
    // CL_INVALID_VALUE if buffer was created with CL_MEM_WRITE_ONLY and flags specifies CL_MEM_READ_WRITE or CL_MEM_READ_ONLY, or if
    // buffer was created with CL_MEM_READ_ONLY and flags specifies CL_MEM_READ_WRITE or CL_MEM_WRITE_ONLY,
    let conflict = |own: cl_mem_flags, asked: cl_mem_flags| parent.flags & own != 0 && flags & asked != 0;
    fail_if(conflict(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY), CL_INVALID_VALUE)?;
    fail_if(conflict(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY), CL_INVALID_VALUE)?;
    // or if flags specifies CL_MEM_USE_HOST_PTR or CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR.
    fail_if(flags & HOST_POINTER != 0, CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if buffer was created with CL_MEM_HOST_WRITE_ONLY and flags specify CL_MEM_HOST_READ_ONLY, or if buffer was created
    // with CL_MEM_HOST_READ_ONLY and flags specify CL_MEM_HOST_WRITE_ONLY, or if buffer was created with CL_MEM_HOST_NO_ACCESS and flags
    // specify CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_WRITE_ONLY.
    fail_if(conflict(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY), CL_INVALID_VALUE)?;
    fail_if(conflict(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY), CL_INVALID_VALUE)?;
    fail_if(
        conflict(CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY),
        CL_INVALID_VALUE,
    )?;
    // CL_INVALID_VALUE if buffer was created with CL_MEM_IMMUTABLE_EXT and flags specifies CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, or
    // CL_MEM_HOST_WRITE_ONLY.
    fail_if(conflict(CL_MEM_IMMUTABLE_EXT, CHANGES), CL_INVALID_VALUE)?;
    let inherited = |mask: cl_mem_flags| if flags & mask != 0 { flags & mask } else { parent.flags & mask };
    let access = inherited(KERNEL_ACCESS | CL_MEM_IMMUTABLE_EXT) | parent.flags & CL_MEM_IMMUTABLE_EXT;
    Ok(access | inherited(HOST_ACCESS) | parent.flags & HOST_POINTER)
}

/// clCreateSubBuffer
pub fn create_sub_buffer(
    buffer: cl_mem,
    flags: cl_mem_flags,
    buffer_create_type: cl_buffer_create_type,
    buffer_create_info: In<c_void>,
) -> Result<cl_mem> {
    // CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object or is a sub-buffer object.
    let parent = lookup::<Memory>(buffer)?;
    parent.check_buffer()?;
    fail_if(parent.parent.is_some(), CL_INVALID_MEM_OBJECT)?;
    parent.context.check_alive()?;
    let flags = flags_of_part(&parent, flags)?;
    // CL_INVALID_VALUE if the value specified in buffer_create_type is not valid.
    fail_if(buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION, CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE if value(s) specified in buffer_create_info (for a given buffer_create_type) is not valid or if it is NULL.
    let (origin, size) = buffer_create_info.region().ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_BUFFER_SIZE if the size field of the cl_buffer_region structure is 0.
    fail_if(size == 0, CL_INVALID_BUFFER_SIZE)?;
    // CL_INVALID_VALUE if the region specified by the cl_buffer_region structure is out of bounds in buffer.
    fail_if(!parent.contains(origin, size), CL_INVALID_VALUE)?;
    // CL_MISALIGNED_SUB_BUFFER_OFFSET if there are no devices in context for which the origin is aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN.
    fail_if(!origin.is_multiple_of(machine::MEMORY_ALIGNMENT), CL_MISALIGNED_SUB_BUFFER_OFFSET)?;
    let storage = Storage::part_of(&parent, origin);
    Memory::create(&parent.context, Form::Buffer, flags, size, storage, Vec::new())
}

impl In<c_void> {
    /// The `cl_buffer_region` that it points to.
    fn region(self) -> Option<(usize, usize)> {
        // SAFETY: the pointer is NULL, or to what the create type demands: a record of two sizes.
        let region: In<usize> = unsafe { crate::raw::FromC::from_c(self.as_ptr().cast::<usize>()) };
        region.list(2).map(|fields| (fields[0], fields[1]))
    }
}

/// clRetainMemObject
pub fn retain_mem_object(memobj: cl_mem) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if memobj is not a valid memory object.
    handle::retain::<Memory>(memobj)
}

/// clReleaseMemObject
pub fn release_mem_object(memobj: cl_mem) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if memobj is not a valid memory object.
    handle::release::<Memory>(memobj)
}

/// clSetMemObjectDestructorCallback
pub fn set_mem_object_destructor_callback(memobj: cl_mem, pfn_notify: ObjectNotify, user_data: *mut c_void) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if memobj is not a valid memory object.
    let memory = lookup::<Memory>(memobj)?;
    // CL_INVALID_VALUE if pfn_notify is NULL.
    let callback = Callback::new(pfn_notify, user_data).ok_or(CL_INVALID_VALUE)?;
    memory.destructor_callbacks.lock().push(callback);
    Ok(())
}

/// clGetMemObjectInfo
pub fn get_mem_object_info(
    memobj: cl_mem,
    param_name: cl_mem_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if memobj is a not a valid memory object.
    let memory = lookup::<Memory>(memobj)?;
    let info = match param_name {
        CL_MEM_TYPE => Info::of(match &memory.form {
            Form::Buffer => CL_MEM_OBJECT_BUFFER,
            Form::Image(image) => image.kind(),
            Form::Pipe(_) => CL_MEM_OBJECT_PIPE,
        }),
        CL_MEM_FLAGS => Info::of(memory.flags),
        CL_MEM_SIZE => Info::of(memory.size),
        CL_MEM_HOST_PTR => Info::of::<*mut c_void>(memory.host_pointer.0.cast()),
        CL_MEM_MAP_COUNT => Info::of(memory.mappings.lock().len() as cl_uint),
        CL_MEM_REFERENCE_COUNT => Info::of(memory.handle.references()),
        CL_MEM_CONTEXT => Info::of(memory.context.id()),
        CL_MEM_ASSOCIATED_MEMOBJECT => Info::of(memory.parent.as_ref().map_or(null_mut(), |(parent, _)| parent.id())),
        CL_MEM_OFFSET => Info::of(memory.parent.as_ref().map_or(0, |(_, origin)| *origin)),
        CL_MEM_USES_SVM_POINTER => {
            Info::boolean(!memory.host_pointer.0.is_null() && memory.context.svm.find(memory.host_pointer.0).is_some())
        }
        CL_MEM_PROPERTIES => Info::list(&memory.properties),
        CL_MEM_DEVICE_ADDRESS_EXT if environment::has("cl_ext_buffer_device_address") => {
            // CL_INVALID_OPERATION if memobj was not created with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT. Every device has the same address.
            let whole = memory.parent.as_ref().map_or(&**memory, |(parent, _)| &**parent);
            let addressed = whole
                .properties
                .chunks_exact(2)
                .any(|pair| pair == [CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1]);
            fail_if(!addressed, CL_INVALID_OPERATION)?;
            Info::list(&vec![memory.address().number() as cl_ulong; memory.context.devices.len()])
        }
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}
