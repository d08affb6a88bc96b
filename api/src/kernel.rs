//! Kernel objects and their arguments: §5.9.

use crate::allocations::check_svm_support;
use crate::cl::*;
use crate::context::Context;
use crate::device_queue::DeviceQueue;
use crate::environment::{self, has_svm, version};
use crate::error::{Result, fail_if};
use crate::handle::{self, Handle, Kind, Object, lookup, publish};
use crate::launch::Blocks;
use crate::memory::{Memory, memory_of};
use crate::program::Program;
use crate::raw::{In, Out};
use crate::sampler::Sampler;
use crate::unified_svm;
use ::device::enqueue;
use ::device::lock::Lock;
use ::device::memory::ArgumentBlock;
use compiler::prepared::Prepared;
use compiler::{ArgumentInfo, ArgumentKind, KernelInfo};
use core::ffi::{c_char, c_void};
use core::sync::atomic::Ordering;
use once_cell::race::OnceBox;
use std::collections::BTreeSet;
use std::sync::{Arc, Weak};
use vendors::limits;

/// A kernel.
#[derive(Debug)]
pub struct Kernel {
    handle: Handle,
    /// Its program.
    pub program: Arc<Program>,
    /// Holds the program's memory and code, also when the program is built anew.
    executable: Arc<compiler::Program>,
    /// What the compiler knows of it.
    pub code: Arc<compiler::Kernel>,
    /// Every work-group must have the same size.
    pub uniform_groups: bool,
    /// What the next launch gets.
    pub arguments: Lock<Arguments>,
    /// What its program's kernels enqueue.
    blocks: OnceBox<Blocks>,
}

impl Object for Kernel {
    const KIND: Kind = Kind::Kernel;
    const INVALID: cl_int = CL_INVALID_KERNEL;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// The arguments' values as far as they have been set.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The argument block, complete but for offsets of local memory and addresses of memory objects, which a launch puts there that keeps them.
    pub block: ArgumentBlock,
    /// What each argument was set to.
    pub values: Vec<Value>,
    /// How many have not been set.
    pub unset: usize,
    /// What the last launch ran, as the next is likely to want the same.
    pub prepared: Option<Arc<Prepared>>,
    /// Arguments that lead to objects of 2^32 - 2^12 bytes or more, or of a size that nobody knows.
    pub large: BTreeSet<usize>,
}

/// Objects of so many bytes are large: 32-bit indices may wrap within them.
const LARGE: usize = (1 << 32) - (1 << 12);

/// What an argument was set to.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing yet.
    Unset,
    /// Its bytes are in the block: a value, a NULL pointer, an SVM pointer.
    InBlock,
    /// A memory object. A kernel must not keep its arguments alive, hence weak.
    Memory(Weak<Memory>),
    /// So many bytes of local memory.
    Local(u64),
    /// An on-device queue, which a kernel doesn't keep either.
    Queue(Weak<enqueue::Queue>),
}

impl Arguments {
    fn new(info: &KernelInfo) -> Arguments {
        Arguments {
            block: ArgumentBlock::new(info.argument_bytes as usize),
            values: vec![Value::Unset; info.arguments.len()],
            unset: info.arguments.len(),
            prepared: None,
            large: BTreeSet::new(),
        }
    }

    fn set(&mut self, index: usize, value: Value) {
        if matches!(self.values[index], Value::Unset) {
            self.unset -= 1;
        }
        self.large.remove(&index);
        self.values[index] = value;
    }

    /// Puts bytes into the block. An argument whose place is not in the block would be the compiler's mistake; it is refused.
    fn put(&mut self, info: &ArgumentInfo, bytes: &[u8]) -> Result<()> {
        fail_if(!self.block.put(info.offset as usize, bytes), CL_INVALID_ARG_SIZE)
    }
}

impl Kernel {
    fn create(program: &Arc<Program>, executable: &Arc<compiler::Program>, code: &Arc<compiler::Kernel>, uniform_groups: bool) -> Kernel {
        program.kernels.fetch_add(1, Ordering::AcqRel);
        Kernel {
            handle: Handle::default(),
            program: program.clone(),
            executable: executable.clone(),
            arguments: Lock::new(Arguments::new(&code.info)),
            code: code.clone(),
            uniform_groups,
            blocks: OnceBox::new(),
        }
    }

    /// What its program's kernels enqueue, as kernels.
    pub fn blocks(&self) -> &Blocks {
        let kernel = |code| Kernel::create(&self.program, &self.executable, code, self.uniform_groups);
        self.blocks
            .get_or_init(|| Box::new(Blocks::new(self.executable.blocks.iter().map(kernel))))
    }

    /// What the application holds of it.
    pub fn id(&self) -> cl_kernel {
        self.handle.as_ptr()
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        &self.program.context
    }

    /// What is known of it without compiling it.
    pub fn info(&self) -> &KernelInfo {
        &self.code.info
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.kernels.fetch_sub(1, Ordering::AcqRel);
    }
}

/// clCreateKernel
pub fn create_kernel(program: cl_program, kernel_name: In<c_char>) -> Result<cl_kernel> {
    // CL_INVALID_PROGRAM if program is not a valid program object.
    let program = lookup::<Program>(program)?;
    program.context.check_alive()?;
    // CL_INVALID_VALUE if kernel_name is NULL.
    let name = kernel_name.text().ok_or(CL_INVALID_VALUE)?;
    // CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built executable for program.
    let (executable, uniform_groups) = program.executable().ok_or(CL_INVALID_PROGRAM_EXECUTABLE)?;
    // CL_INVALID_KERNEL_NAME if kernel_name is not found in program.
    let code = executable
        .kernels
        .iter()
        .find(|kernel| kernel.info.name == name)
        .ok_or(CL_INVALID_KERNEL_NAME)?;
    publish(Arc::new(Kernel::create(&program, &executable, code, uniform_groups)))
}

/// clCreateKernelsInProgram
pub fn create_kernels_in_program(
    program: cl_program,
    num_kernels: cl_uint,
    kernels: Out<cl_kernel>,
    num_kernels_ret: Out<cl_uint>,
) -> Result<()> {
    // CL_INVALID_PROGRAM if program is not a valid program object.
    let program = lookup::<Program>(program)?;
    program.context.check_alive()?;
    // CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built executable for any device in program.
    let (executable, uniform_groups) = program.executable().ok_or(CL_INVALID_PROGRAM_EXECUTABLE)?;
    // CL_INVALID_VALUE if kernels is not NULL and num_kernels is less than the number of kernels in program.
    fail_if(
        !kernels.is_null() && (num_kernels as usize) < executable.kernels.len(),
        CL_INVALID_VALUE,
    )?;
    if !kernels.is_null() {
        for (index, code) in executable.kernels.iter().enumerate() {
            kernels.write_at(
                index,
                publish(Arc::new(Kernel::create(&program, &executable, code, uniform_groups)))?,
            );
        }
    }
    num_kernels_ret.write(executable.kernels.len() as cl_uint);
    Ok(())
}

/// clCloneKernel
pub fn clone_kernel(source_kernel: cl_kernel) -> Result<cl_kernel> {
    // CL_INVALID_KERNEL if source_kernel is not a valid kernel.
    let source = lookup::<Kernel>(source_kernel)?;
    source.context().check_alive()?;
    let clone = Kernel::create(&source.program, &source.executable, &source.code, source.uniform_groups);
    *clone.arguments.lock() = source.arguments.lock().clone();
    publish(Arc::new(clone))
}

/// clRetainKernel
pub fn retain_kernel(kernel: cl_kernel) -> Result<()> {
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    handle::retain::<Kernel>(kernel)
}

/// clReleaseKernel
pub fn release_kernel(kernel: cl_kernel) -> Result<()> {
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    handle::release::<Kernel>(kernel)
}

/// clSetKernelArg
pub fn set_kernel_arg(kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: In<u8>) -> Result<()> {
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    // CL_INVALID_ARG_INDEX if arg_index is not a valid argument index.
    let info = kernel.info().arguments.get(arg_index as usize).ok_or(CL_INVALID_ARG_INDEX)?;
    kernel
        .arguments
        .lock()
        .assign(kernel.context(), info, arg_index as usize, arg_size, arg_value)
}

impl Arguments {
    /// Sets one argument.
    pub fn assign(&mut self, context: &Arc<Context>, info: &ArgumentInfo, index: usize, size: usize, value: In<u8>) -> Result<()> {
        // CL_INVALID_ARG_SIZE if arg_size does not match the size of the data type for an argument that is not a memory object, or if the
        // argument is a memory object and arg_size != sizeof(cl_mem), or if the argument is a sampler and arg_size != sizeof(cl_sampler).
        let object = || -> Result<Option<*mut c_void>> {
            fail_if(size != size_of::<*mut c_void>(), CL_INVALID_ARG_SIZE)?;
            Ok(value
                .bytes(size)
                .map(|bytes| usize::from_ne_bytes(bytes.try_into().unwrap_or_default()) as *mut c_void))
        };
        match info.kind {
            ArgumentKind::Value => {
                // CL_INVALID_ARG_VALUE if arg_value specified is not a valid value.
                fail_if(value.is_null(), CL_INVALID_ARG_VALUE)?;
                fail_if(size as u64 != info.size, CL_INVALID_ARG_SIZE)?;
                self.put(info, value.bytes(size).unwrap_or_default())?;
                self.set(index, Value::InBlock);
            }
            ArgumentKind::LocalPointer => {
                // CL_INVALID_ARG_VALUE: "If the argument is declared with the local qualifier, the arg_value entry must be NULL."
                fail_if(!value.is_null(), CL_INVALID_ARG_VALUE)?;
                // CL_INVALID_ARG_SIZE if arg_size is zero. "This error condition does not apply if the platform is OpenCL 3.1 or newer."
                fail_if(size == 0 && environment::opencl_version() < version(3, 1, 0), CL_INVALID_ARG_SIZE)?;
                // CL_MAX_SIZE_RESTRICTION_EXCEEDED if arg_size exceeds a language-specified maximum size restriction, or what the device has.
                let most = info.max_bytes.unwrap_or(limits::LOCAL_MEMORY).min(limits::LOCAL_MEMORY);
                fail_if(size as u64 > most, CL_MAX_SIZE_RESTRICTION_EXCEEDED)?;
                self.set(index, Value::Local(size as u64));
            }
            ArgumentKind::GlobalPointer { constant } => match object()? {
                Some(memory) if !memory.is_null() => {
                    // CL_INVALID_MEM_OBJECT if arg_value does not point to a valid memory object, or to one that is not valid for the
                    // argument. CL_INVALID_CONTEXT if its context is another.
                    let memory = memory_of(memory, context)?;
                    memory.check_buffer()?;
                    // CL_INVALID_ARG_VALUE: an immutable buffer "cannot be modified by the implementation", and the kernel may write to it.
                    let reads_only = constant || info.is_only_read || info.qualifiers.is_const;
                    fail_if(!reads_only && memory.flags & CL_MEM_IMMUTABLE_EXT != 0, CL_INVALID_ARG_VALUE)?;
                    // CL_MAX_SIZE_RESTRICTION_EXCEEDED if the size in bytes of the memory object exceeds a language-specified maximum size
                    // restriction for this argument, such as the MaxByteOffset SPIR-V decoration.
                    let too_large = info.max_bytes.is_some_and(|most| memory.size as u64 > most);
                    fail_if(too_large, CL_MAX_SIZE_RESTRICTION_EXCEEDED)?;
                    self.set(index, Value::Memory(Arc::downgrade(&memory)));
                    if memory.size >= LARGE {
                        self.large.insert(index);
                    }
                }
                _ => {
                    self.put(info, &0_usize.to_ne_bytes())?;
                    self.set(index, Value::InBlock);
                }
            },
            ArgumentKind::Image { kind, depth, read, write } => {
                // CL_INVALID_MEM_OBJECT if arg_value is NULL or points to NULL, or to what is not a valid memory object. CL_INVALID_CONTEXT
                // if its context is another.
                let memory = memory_of(object()?.ok_or(CL_INVALID_MEM_OBJECT)?, context)?;
                // CL_INVALID_MEM_OBJECT if the memory object is not valid for the kernel argument: it is not an image, or one of another
                // kind.
                let image = memory.image()?;
                fail_if(image.kind() != kind || depth && !image.is_depth(), CL_INVALID_MEM_OBJECT)?;
                // CL_INVALID_ARG_VALUE if the argument is an image declared with the read_only qualifier and arg_value points to an image
                // object created with the memory flag CL_MEM_WRITE_ONLY, or with write_only, and CL_MEM_READ_ONLY or CL_MEM_IMMUTABLE_EXT.
                fail_if(!write && memory.flags & CL_MEM_WRITE_ONLY != 0, CL_INVALID_ARG_VALUE)?;
                fail_if(!read && memory.flags & CL_MEM_READ_ONLY != 0, CL_INVALID_ARG_VALUE)?;
                fail_if(write && memory.flags & CL_MEM_IMMUTABLE_EXT != 0, CL_INVALID_ARG_VALUE)?;
                self.set(index, Value::Memory(Arc::downgrade(&memory)));
            }
            // CL_INVALID_SAMPLER if the kernel argument is a sampler, but arg_value does not point to a valid sampler object.
            ArgumentKind::Sampler => {
                let sampler = lookup::<Sampler>(object()?.ok_or(CL_INVALID_SAMPLER)?)?;
                // CL_INVALID_CONTEXT if its context is another.
                fail_if(!Arc::ptr_eq(&sampler.context, context), CL_INVALID_CONTEXT)?;
                self.put(info, &sampler.argument().to_ne_bytes())?;
                self.set(index, Value::InBlock);
            }
            // CL_INVALID_MEM_OBJECT if the argument is a pipe and arg_value does not point to a valid pipe object.
            ArgumentKind::Pipe => {
                let memory = memory_of(object()?.ok_or(CL_INVALID_MEM_OBJECT)?, context)?;
                memory.pipe()?;
                self.set(index, Value::Memory(Arc::downgrade(&memory)));
            }
            // CL_INVALID_DEVICE_QUEUE for an argument declared to be of type queue_t when the specified arg_value is not a valid device
            // queue object.
            ArgumentKind::Queue => {
                let queue = lookup::<DeviceQueue>(object()?.ok_or(CL_INVALID_DEVICE_QUEUE)?).map_err(|_| CL_INVALID_DEVICE_QUEUE)?;
                fail_if(!queue.is_of(context), CL_INVALID_DEVICE_QUEUE)?;
                self.set(index, Value::Queue(Arc::downgrade(&queue.queue)));
            }
        }
        Ok(())
    }
}

/// clSetKernelArgSVMPointer, clSetKernelArgMemPointerINTEL
pub fn set_kernel_arg_svm_pointer(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) -> Result<()> {
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    // CL_INVALID_OPERATION if no devices in the context associated with kernel support SVM.
    check_svm_support()?;
    set_pointer(&kernel, arg_index, arg_value)
}

fn set_pointer(kernel: &Kernel, arg_index: cl_uint, arg_value: *const c_void) -> Result<()> {
    // CL_INVALID_ARG_INDEX if arg_index is not a valid argument index.
    let info = kernel.info().arguments.get(arg_index as usize).ok_or(CL_INVALID_ARG_INDEX)?;
    let context = kernel.context().clone();
    kernel
        .arguments
        .lock()
        .assign_pointer(&context, info, arg_index as usize, arg_value)
}

impl Arguments {
    /// Sets one argument to an address.
    pub fn assign_pointer(&mut self, context: &Context, info: &ArgumentInfo, index: usize, address: *const c_void) -> Result<()> {
        // CL_INVALID_ARG_VALUE if arg_value specified is not a valid value: "can only be used for arguments that are declared to be a pointer
        // to global or constant memory".
        fail_if(!matches!(info.kind, ArgumentKind::GlobalPointer { .. }), CL_INVALID_ARG_VALUE)?;
        self.put(info, &(address as usize).to_ne_bytes())?;
        self.set(index, Value::InBlock);
        let known = context.svm.find(address.cast());
        if !address.is_null() && known.is_none_or(|found| found.bytes >= LARGE) {
            self.large.insert(index);
        }
        Ok(())
    }
}

/// clSetKernelArgDevicePointerEXT (cl_ext_buffer_device_address): all pointers are of one kind here.
pub fn set_kernel_arg_address(kernel: cl_kernel, arg_index: cl_uint, address: cl_ulong) -> Result<()> {
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    // CL_INVALID_OPERATION if no devices in the context associated with kernel support the cl_ext_buffer_device_address extension.
    fail_if(!environment::has("cl_ext_buffer_device_address"), CL_INVALID_OPERATION)?;
    // CL_INVALID_ARG_INDEX if arg_index corresponds to an argument that is not a pointer to the global address space.
    set_pointer(&kernel, arg_index, address as usize as *const c_void).map_err(|code| match code {
        CL_INVALID_ARG_VALUE => CL_INVALID_ARG_INDEX,
        code => code,
    })
}

/// clSetKernelExecInfo: every allocation is accessible to every kernel, named or not.
pub fn set_kernel_exec_info(
    kernel: cl_kernel,
    param_name: cl_kernel_exec_info,
    param_value_size: usize,
    param_value: In<c_void>,
) -> Result<()> {
    // CL_INVALID_KERNEL if kernel is a not a valid kernel object.
    lookup::<Kernel>(kernel)?;
    check_exec_info(param_name, param_value_size, param_value)
}

/// What clSetKernelExecInfo checks of its parameters.
pub fn check_exec_info(param_name: cl_kernel_exec_info, param_value_size: usize, param_value: In<c_void>) -> Result<()> {
    // CL_INVALID_VALUE if param_name is not valid, if param_value is NULL and param_value_size is greater than zero, or if the size
    // specified by param_value_size is not valid. ("To specify that no SVM allocations will be accessed": a size of 0 and NULL.)
    fail_if(param_value.is_null() && param_value_size != 0, CL_INVALID_VALUE)?;
    let unified = environment::has("cl_intel_unified_shared_memory");
    let (list, supported) = match param_name {
        CL_KERNEL_EXEC_INFO_SVM_PTRS => (true, has_svm()),
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => (false, has_svm()),
        CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR if unified_svm::is_there() => (false, has_svm()),
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => (false, unified),
        CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => (true, unified),
        CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => (true, environment::has("cl_ext_buffer_device_address")),
        _ => return Err(CL_INVALID_VALUE),
    };
    let valid = match list {
        true => param_value_size.is_multiple_of(size_of::<*mut c_void>()),
        false => param_value_size == size_of::<cl_bool>(),
    };
    fail_if(!valid, CL_INVALID_VALUE)?;
    // CL_INVALID_OPERATION if param_name is about memory that no devices in the context associated with kernel support.
    fail_if(!supported, CL_INVALID_OPERATION)
}
