//! What hosts call and ask.

use crate::row::{Row, version};

pub(super) static ROWS: &[&Row] = &[
    &IL_PROGRAM,
    &ICD,
    &EXTENDED_VERSIONING,
    &CREATE_COMMAND_QUEUE,
    &DEVICE_UUID,
    &PCI_BUS_INFO,
    &SUGGESTED_LOCAL_WORK_SIZE,
    &INITIALIZE_MEMORY,
    &TERMINATE_CONTEXT,
    &PRIORITY_HINTS,
    &THROTTLE_HINTS,
    &SEMAPHORE,
    &COMMAND_BUFFER,
    &COMMAND_BUFFER_MUTABLE_DISPATCH,
    &UNIFIED_SVM,
];

static IL_PROGRAM: Row = Row {
    opencl: &[("cl_khr_il_program", version(1, 0, 0))],
    functions: &["clCreateProgramWithILKHR"],
    needs: &["core:intermediate_language"],
    ..Row::on("cl_khr_il_program")
};

static ICD: Row = Row {
    opencl: &[("cl_khr_icd", version(2, 0, 0))],
    functions: &[
        "clIcdGetPlatformIDsKHR",
        "clIcdGetFunctionAddressForPlatformKHR",
        "clIcdSetPlatformDispatchDataKHR",
    ],
    ..Row::on("cl_khr_icd")
};

static EXTENDED_VERSIONING: Row = Row {
    opencl: &[("cl_khr_extended_versioning", version(1, 0, 0))],
    ..Row::on("cl_khr_extended_versioning")
};

static CREATE_COMMAND_QUEUE: Row = Row {
    opencl: &[("cl_khr_create_command_queue", version(1, 0, 0))],
    functions: &["clCreateCommandQueueWithPropertiesKHR"],
    ..Row::on("cl_khr_create_command_queue")
};

static DEVICE_UUID: Row = Row {
    opencl: &[("cl_khr_device_uuid", version(1, 0, 0))],
    ..Row::on("cl_khr_device_uuid")
};

static PCI_BUS_INFO: Row = Row {
    opencl: &[("cl_khr_pci_bus_info", version(1, 0, 0))],
    ..Row::off("cl_khr_pci_bus_info", "a processor is on no PCI bus")
};

static SUGGESTED_LOCAL_WORK_SIZE: Row = Row {
    opencl: &[("cl_khr_suggested_local_work_size", version(1, 0, 0))],
    functions: &["clGetKernelSuggestedLocalWorkSizeKHR"],
    ..Row::on("cl_khr_suggested_local_work_size")
};

static INITIALIZE_MEMORY: Row = Row {
    opencl: &[("cl_khr_initialize_memory", version(1, 0, 0))],
    ..Row::on("cl_khr_initialize_memory")
};

static TERMINATE_CONTEXT: Row = Row {
    opencl: &[("cl_khr_terminate_context", version(1, 0, 0))],
    functions: &["clTerminateContextKHR"],
    ..Row::on("cl_khr_terminate_context")
};

static PRIORITY_HINTS: Row = Row {
    opencl: &[("cl_khr_priority_hints", version(1, 0, 0))],
    ..Row::on("cl_khr_priority_hints")
};

static THROTTLE_HINTS: Row = Row {
    opencl: &[("cl_khr_throttle_hints", version(1, 0, 0))],
    ..Row::on("cl_khr_throttle_hints")
};

static SEMAPHORE: Row = Row {
    opencl: &[("cl_khr_semaphore", version(1, 0, 1))],
    functions: &[
        "clCreateSemaphoreWithPropertiesKHR",
        "clEnqueueWaitSemaphoresKHR",
        "clEnqueueSignalSemaphoresKHR",
        "clGetSemaphoreInfoKHR",
        "clReleaseSemaphoreKHR",
        "clRetainSemaphoreKHR",
        // Of cl_khr_external_semaphore; programs that use semaphores look it up with the others.
        "clGetSemaphoreHandleForTypeKHR",
    ],
    ..Row::on("cl_khr_semaphore")
};

static COMMAND_BUFFER: Row = Row {
    opencl: &[("cl_khr_command_buffer", version(0, 9, 8))],
    functions: &[
        "clCreateCommandBufferKHR",
        "clRetainCommandBufferKHR",
        "clReleaseCommandBufferKHR",
        "clFinalizeCommandBufferKHR",
        "clEnqueueCommandBufferKHR",
        "clCommandBarrierWithWaitListKHR",
        "clCommandCopyBufferKHR",
        "clCommandCopyBufferRectKHR",
        "clCommandCopyBufferToImageKHR",
        "clCommandCopyImageKHR",
        "clCommandCopyImageToBufferKHR",
        "clCommandFillBufferKHR",
        "clCommandFillImageKHR",
        "clCommandNDRangeKernelKHR",
        "clCommandSVMMemcpyKHR",
        "clCommandSVMMemFillKHR",
        "clGetCommandBufferInfoKHR",
    ],
    ..Row::on("cl_khr_command_buffer")
};

static COMMAND_BUFFER_MUTABLE_DISPATCH: Row = Row {
    opencl: &[("cl_khr_command_buffer_mutable_dispatch", version(0, 9, 5))],
    functions: &["clUpdateMutableCommandsKHR", "clGetMutableCommandInfoKHR"],
    needs: &["cl_khr_command_buffer"],
    ..Row::on("cl_khr_command_buffer_mutable_dispatch")
};

/// Experimental: types of shared virtual memory, and allocations of a type.
static UNIFIED_SVM: Row = Row {
    opencl: &[("cl_khr_unified_svm", version(0, 9, 0))],
    functions: &[
        "clSVMAllocWithPropertiesKHR",
        "clSVMFreeWithPropertiesKHR",
        "clGetSVMPointerInfoKHR",
        "clGetSVMSuggestedTypeIndexKHR",
    ],
    needs: &["core:svm"],
    ..Row::provisional("cl_khr_unified_svm")
};
