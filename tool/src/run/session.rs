//! A kernel of a file, with the arguments of the command line.

use super::super::host::{Host, value};
use super::argument::Argument;
use api::cl::*;
use api::raw::In;
use std::ptr::null_mut;
use std::time::Duration;

/// A kernel that is ready to run.
pub struct Session {
    host: Host,
    kernel: cl_kernel,
}

impl Session {
    /// Builds a file for the device. A build that fails gives its log.
    pub fn new(file: &str, options: &str, kernel: Option<&str>) -> Result<Session, String> {
        let host = Host::new()?;
        let mut bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        if !bytes.starts_with(&0x0723_0203_u32.to_le_bytes()) {
            // Reports tell the lines of the file by its name.
            let line = format!("#line 1 \"{}\"\n", file.replace('\\', "\\\\").replace('"', "\\\""));
            bytes = [line.into_bytes(), bytes].concat();
        }
        let program = host.create(&bytes)?;
        host.build(program, options)
            .map_err(|error| format!("{file} does not build: {error}"))?;
        let names = host.kernel_names(program);
        let all = names.replace(';', ", ");
        let wanted = match (kernel, names.contains(';')) {
            (Some(kernel), _) => kernel,
            (None, false) => names.as_str(),
            (None, true) => return Err(format!("{file} has several kernels, --kernel names one: {all}")),
        };
        let kernel = host.kernel(program, wanted);
        let kernel = kernel.map_err(|_| format!("{file} has no kernel {wanted:?}; it has {all}"))?;
        Ok(Session { host, kernel })
    }

    /// Sets the kernel's arguments. Gives their buffers; null for what is none.
    pub fn set(&self, arguments: &[Argument]) -> Result<Vec<cl_mem>, String> {
        let mut buffers = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let mut buffer = null_mut();
            let (size, value): (usize, In<u8>) = match argument {
                Argument::Buffer {
                    data,
                    only_read,
                    is_written,
                } => {
                    let access = if *only_read { CL_MEM_READ_ONLY } else { CL_MEM_READ_WRITE };
                    buffer = self.host.buffer(access, data.bytes.len())?;
                    if *is_written {
                        self.host.write(buffer, &data.bytes)?;
                    }
                    (size_of::<cl_mem>(), value(&buffer))
                }
                Argument::Value(bytes) => (bytes.len(), In::from_slice(bytes)),
                Argument::Local(bytes) => (*bytes, In::null()),
                Argument::Null => (size_of::<cl_mem>(), In::null()),
            };
            self.host.set(self.kernel, index as u32, size, value)?;
            buffers.push(buffer);
        }
        Ok(buffers)
    }

    /// Runs the kernel. Gives the time from enqueueing to its end.
    pub fn launch(&self, global: &[usize], offset: &[usize], local: Option<&[usize]>) -> Result<Duration, String> {
        self.host.launch(self.kernel, global, offset, local)
    }

    /// A buffer's bytes.
    pub fn read(&self, buffer: cl_mem, size: usize) -> Result<Vec<u8>, String> {
        self.host.read(buffer, size)
    }
}
