//! The dispatch table: `struct _cl_icd_dispatch` of the headers' `cl_icd.h`, slot by slot.

use crate::entry;
use api::cl::{CL_ICD2_TAG_KHR, CL_INVALID_OPERATION, c_void, cl_int};

/// A slot: an entry point, or the tag of cl_khr_icd 2.0.0.
#[repr(transparent)]
pub struct Slot(*const c_void);

// SAFETY: an address that never changes.
unsafe impl Sync for Slot {}

/// What a slot has that no loader calls on this system (sharing with Direct3D); an error rather than a jump to nowhere.
unsafe extern "C" fn absent() -> cl_int {
    CL_INVALID_OPERATION
}

macro_rules! slot {
    (entry $name:ident) => {
        Slot(entry::$name as *const c_void)
    };
    (absent $name:ident) => {
        Slot(absent as *const c_void)
    };
    // "The pointers to clGetPlatformIDs and clUnloadCompiler in the dispatch structure must be set to CL_ICD2_TAG_KHR."
    (tag $name:ident) => {
        Slot(CL_ICD2_TAG_KHR as *const c_void)
    };
}

macro_rules! table {
    ($($kind:ident $name:ident,)*) => {
        /// The table that every handle points to.
        pub static TABLE: [Slot; [$(stringify!($name)),*].len()] = [$(slot!($kind $name)),*];
    };
}

table! {
    tag clGetPlatformIDs,
    entry clGetPlatformInfo,
    entry clGetDeviceIDs,
    entry clGetDeviceInfo,
    entry clCreateContext,
    entry clCreateContextFromType,
    entry clRetainContext,
    entry clReleaseContext,
    entry clGetContextInfo,
    entry clCreateCommandQueue,
    entry clRetainCommandQueue,
    entry clReleaseCommandQueue,
    entry clGetCommandQueueInfo,
    entry clSetCommandQueueProperty,
    entry clCreateBuffer,
    entry clCreateImage2D,
    entry clCreateImage3D,
    entry clRetainMemObject,
    entry clReleaseMemObject,
    entry clGetSupportedImageFormats,
    entry clGetMemObjectInfo,
    entry clGetImageInfo,
    entry clCreateSampler,
    entry clRetainSampler,
    entry clReleaseSampler,
    entry clGetSamplerInfo,
    entry clCreateProgramWithSource,
    entry clCreateProgramWithBinary,
    entry clRetainProgram,
    entry clReleaseProgram,
    entry clBuildProgram,
    tag clUnloadCompiler,
    entry clGetProgramInfo,
    entry clGetProgramBuildInfo,
    entry clCreateKernel,
    entry clCreateKernelsInProgram,
    entry clRetainKernel,
    entry clReleaseKernel,
    entry clSetKernelArg,
    entry clGetKernelInfo,
    entry clGetKernelWorkGroupInfo,
    entry clWaitForEvents,
    entry clGetEventInfo,
    entry clRetainEvent,
    entry clReleaseEvent,
    entry clGetEventProfilingInfo,
    entry clFlush,
    entry clFinish,
    entry clEnqueueReadBuffer,
    entry clEnqueueWriteBuffer,
    entry clEnqueueCopyBuffer,
    entry clEnqueueReadImage,
    entry clEnqueueWriteImage,
    entry clEnqueueCopyImage,
    entry clEnqueueCopyImageToBuffer,
    entry clEnqueueCopyBufferToImage,
    entry clEnqueueMapBuffer,
    entry clEnqueueMapImage,
    entry clEnqueueUnmapMemObject,
    entry clEnqueueNDRangeKernel,
    entry clEnqueueTask,
    entry clEnqueueNativeKernel,
    entry clEnqueueMarker,
    entry clEnqueueWaitForEvents,
    entry clEnqueueBarrier,
    entry clGetExtensionFunctionAddress,
    entry clCreateFromGLBuffer,
    entry clCreateFromGLTexture2D,
    entry clCreateFromGLTexture3D,
    entry clCreateFromGLRenderbuffer,
    entry clGetGLObjectInfo,
    entry clGetGLTextureInfo,
    entry clEnqueueAcquireGLObjects,
    entry clEnqueueReleaseGLObjects,
    entry clGetGLContextInfoKHR,
    absent clGetDeviceIDsFromD3D10KHR,
    absent clCreateFromD3D10BufferKHR,
    absent clCreateFromD3D10Texture2DKHR,
    absent clCreateFromD3D10Texture3DKHR,
    absent clEnqueueAcquireD3D10ObjectsKHR,
    absent clEnqueueReleaseD3D10ObjectsKHR,
    entry clSetEventCallback,
    entry clCreateSubBuffer,
    entry clSetMemObjectDestructorCallback,
    entry clCreateUserEvent,
    entry clSetUserEventStatus,
    entry clEnqueueReadBufferRect,
    entry clEnqueueWriteBufferRect,
    entry clEnqueueCopyBufferRect,
    entry clCreateSubDevicesEXT,
    entry clRetainDeviceEXT,
    entry clReleaseDeviceEXT,
    entry clCreateEventFromGLsyncKHR,
    entry clCreateSubDevices,
    entry clRetainDevice,
    entry clReleaseDevice,
    entry clCreateImage,
    entry clCreateProgramWithBuiltInKernels,
    entry clCompileProgram,
    entry clLinkProgram,
    entry clUnloadPlatformCompiler,
    entry clGetKernelArgInfo,
    entry clEnqueueFillBuffer,
    entry clEnqueueFillImage,
    entry clEnqueueMigrateMemObjects,
    entry clEnqueueMarkerWithWaitList,
    entry clEnqueueBarrierWithWaitList,
    entry clGetExtensionFunctionAddressForPlatform,
    entry clCreateFromGLTexture,
    absent clGetDeviceIDsFromD3D11KHR,
    absent clCreateFromD3D11BufferKHR,
    absent clCreateFromD3D11Texture2DKHR,
    absent clCreateFromD3D11Texture3DKHR,
    absent clCreateFromDX9MediaSurfaceKHR,
    absent clEnqueueAcquireD3D11ObjectsKHR,
    absent clEnqueueReleaseD3D11ObjectsKHR,
    absent clGetDeviceIDsFromDX9MediaAdapterKHR,
    absent clEnqueueAcquireDX9MediaSurfacesKHR,
    absent clEnqueueReleaseDX9MediaSurfacesKHR,
    entry clCreateFromEGLImageKHR,
    entry clEnqueueAcquireEGLObjectsKHR,
    entry clEnqueueReleaseEGLObjectsKHR,
    entry clCreateEventFromEGLSyncKHR,
    entry clCreateCommandQueueWithProperties,
    entry clCreatePipe,
    entry clGetPipeInfo,
    entry clSVMAlloc,
    entry clSVMFree,
    entry clEnqueueSVMFree,
    entry clEnqueueSVMMemcpy,
    entry clEnqueueSVMMemFill,
    entry clEnqueueSVMMap,
    entry clEnqueueSVMUnmap,
    entry clCreateSamplerWithProperties,
    entry clSetKernelArgSVMPointer,
    entry clSetKernelExecInfo,
    entry clGetKernelSubGroupInfoKHR,
    entry clCloneKernel,
    entry clCreateProgramWithIL,
    entry clEnqueueSVMMigrateMem,
    entry clGetDeviceAndHostTimer,
    entry clGetHostTimer,
    entry clGetKernelSubGroupInfo,
    entry clSetDefaultDeviceCommandQueue,
    entry clSetProgramReleaseCallback,
    entry clSetProgramSpecializationConstant,
    entry clCreateBufferWithProperties,
    entry clCreateImageWithProperties,
    entry clSetContextDestructorCallback,
    entry clGetKernelSuggestedLocalWorkSize,
}
