//! Modules: SPIR-V that was checked against the environment of Level Zero (`brolga validate --env level-zero`) and, where nothing is missing, linked.

use crate::context::Context;
use crate::device::Device;
use crate::error::{Result, entry, fail_if};
use crate::handle::{self, Handle, publish};
use crate::native;
use crate::pointer::{Address, In, Out, extension, list, text};
use crate::ze::*;
use ::device::lock::Lock;
use compiler::checked;
use compiler::environment::Environment;
use compiler::{BuildError, BuildErrorKind, BuildOptions, Checks, Module as Checked, Program};
use core::ffi::c_char;
use std::ffi::CString;
use std::sync::Arc;

/// A module.
pub struct Module {
    /// Its context.
    pub context: Arc<Context>,
    parts: Vec<Part>,
    checked: Vec<Arc<Checked>>,
    options: BuildOptions,
    /// The names of its kernels.
    kernels: Vec<CString>,
    /// What its kernels are of; `None` as long as it imports what nothing exports.
    program: Lock<Option<Arc<Program>>>,
}

/// SPIR-V, and what it is built with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The module's words.
    pub il: Vec<u8>,
    /// ze_module_desc_t.pBuildFlags
    pub flags: String,
    /// ze_module_desc_t.pConstants: `SpecId`s and bytes of values.
    pub constants: Vec<(u32, Vec<u8>)>,
}

/// What was said of a build.
pub struct BuildLog {
    text: String,
}

impl Module {
    /// What its kernels are of: ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED if it still imports something.
    pub fn program(&self) -> Result<Arc<Program>> {
        self.program.lock().clone().ok_or(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED)
    }

    /// It has a kernel of this name.
    pub fn has_kernel(&self, name: &str) -> bool {
        self.kernels.iter().any(|kernel| kernel.to_bytes() == name.as_bytes())
    }

    /// What names its kernels' identifiers.
    pub fn identity(&self) -> String {
        let hashes = self.parts.iter().map(|part| compiler::source::cache::hash(&part.il));
        hashes.map(|hash| format!("{hash:016x}")).collect()
    }
}

/// Reads `pBuildFlags`: the flags of Level Zero, and those of OpenCL that are about code. Those that are about a GPU's registers and addresses mean
/// nothing here.
fn options(flags: &str) -> core::result::Result<BuildOptions, String> {
    let mut options = BuildOptions::default();
    for flag in flags.split_whitespace() {
        match flag {
            "-ze-opt-disable" | "-cl-opt-disable" | "-ze-opt-level=0" | "-ze-opt-level=O0" => options.optimizations_disabled = true,
            "-cl-mad-enable" => options.mad_enable = true,
            "-cl-no-signed-zeros" => options.no_signed_zeros = true,
            "-cl-unsafe-math-optimizations" => options.unsafe_math = true,
            "-cl-finite-math-only" => options.finite_math_only = true,
            "-cl-fast-relaxed-math" => options.fast_relaxed_math = true,
            "-cl-denorms-are-zero" => options.denorms_are_zero = true,
            "-cl-fp32-correctly-rounded-divide-sqrt" | "-ze-fp32-correctly-rounded-divide-sqrt" => {
                options.correctly_rounded_divide_sqrt = true;
            }
            "-g" | "-ze-opt-greater-than-4GB-buffer-required" | "-ze-opt-large-register-file" | "-ze-opt-has-buffer-offset-arg" => {}
            "-library-compilation" | "-ze-take-global-address" => {}
            _ if flag.starts_with("-ze-opt-level=") => {}
            _ => match flag.strip_prefix("-brolga-check=") {
                Some(list) => options.checks |= Checks::parse(list).map_err(|error| format!("error: {flag}: {error}\n"))?,
                None => return Err(format!("error: {flag}: there is no such build flag\n")),
            },
        }
    }
    options.checks |= checked::asked_for().map_err(|error| format!("error: {error}\n"))?;
    checked::watch_memory(options.checks);
    Ok(if compiler::reproducible() {
        options.reproducible()
    } else {
        options
    })
}

/// The values of `pConstants`, of which the module says how large they are.
fn constants(il: &[u8], given: In<ze_module_constants_t>, environment: &Environment) -> core::result::Result<Vec<(u32, Vec<u8>)>, String> {
    let Ok(given) = given.get() else { return Ok(Vec::new()) };
    let count = given.numConstants as usize;
    if count == 0 {
        return Ok(Vec::new());
    }
    let declared = Checked::of(il, &[], environment).map_err(|error| error.log)?;
    let ids = given.pConstantIds.list(count);
    ids.into_iter()
        .zip(given.pConstantValues.list(count))
        .map(|(id, value)| {
            let constant = declared.spec_constants.iter().find(|constant| constant.id == id);
            let size = constant
                .ok_or_else(|| format!("error: the module has no specialization constant with SpecId {id}\n"))?
                .size;
            let bytes = value
                .bytes(size as usize)
                .ok_or_else(|| format!("error: the value of the specialization constant with SpecId {id} is NULL\n"))?;
            Ok((id, bytes))
        })
        .collect()
}

/// The parts of a module that is to be made.
fn parts(desc: &ze_module_desc_t, environment: &Environment) -> Result<core::result::Result<Vec<Part>, String>> {
    let several = extension::<ze_module_program_exp_desc_t>(desc.pNext);
    if desc.format == ZE_MODULE_FORMAT_NATIVE {
        // ZE_RESULT_ERROR_INVALID_ARGUMENT: several modules are of SPIR-V; a binary has them in one.
        fail_if(several.is_some(), ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        let bytes = desc
            .pInputModule
            .bytes(desc.inputSize)
            .ok_or(ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        return native::decode(&bytes).map(Ok).ok_or(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    }
    let Some(several) = several else {
        let part = part(desc.pInputModule, desc.inputSize, desc.pBuildFlags, desc.pConstants, environment)?;
        return Ok(part.map(|part| vec![part]));
    };
    // ZE_experimental_module_program: "the application must set … inputSize and pInputModule to zero"; the modules are in the extension.
    let several = several.read()?;
    let count = several.count as usize;
    let (sizes, modules) = (several.inputSizes.list(count), several.pInputModules.list(count));
    fail_if(
        sizes.len() < count || modules.len() < count || count == 0,
        ZE_RESULT_ERROR_INVALID_NULL_POINTER,
    )?;
    let (flags, constants) = (several.pBuildFlags.list(count), several.pConstants.list(count));
    let mut all = Vec::new();
    for (index, (&size, &module)) in sizes.iter().zip(&modules).enumerate() {
        let flags = flags.get(index).copied().unwrap_or(desc.pBuildFlags);
        let constants = constants.get(index).copied().unwrap_or(desc.pConstants);
        match part(module, size, flags, constants, environment)? {
            Ok(part) => all.push(part),
            Err(log) => return Ok(Err(log)),
        }
    }
    Ok(Ok(all))
}

fn part(
    il: In<u8>,
    size: usize,
    flags: In<c_char>,
    given: In<ze_module_constants_t>,
    environment: &Environment,
) -> Result<core::result::Result<Part, String>> {
    // ZE_RESULT_ERROR_INVALID_NULL_POINTER: nullptr == desc->pInputModule
    let il = il.bytes(size).ok_or(ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
    // ZE_RESULT_ERROR_INVALID_SIZE: 0 == desc->inputSize
    fail_if(size == 0, ZE_RESULT_ERROR_INVALID_SIZE)?;
    let flags = flags.text().unwrap_or_default();
    Ok(constants(&il, given, environment).map(|constants| Part { il, flags, constants }))
}

/// Checks and links. What could not be linked for something that is imported waits for zeModuleDynamicLink.
fn build(context: &Arc<Context>, parts: Vec<Part>, environment: &Environment, log: &mut String) -> core::result::Result<Module, String> {
    let flags: Vec<&str> = parts.iter().map(|part| part.flags.as_str()).collect();
    let options = options(&flags.join(" "))?;
    let mut checked = Vec::new();
    for part in &parts {
        let module = Checked::of(&part.il, &part.constants, environment).map_err(|error| error.log)?;
        log.push_str(&module.log);
        checked.push(module);
    }
    let program = match compiler::link(&checked, &options) {
        Ok(program) => Some(program),
        Err(BuildError {
            kind: BuildErrorKind::Link,
            log: missing,
        }) => {
            log.push_str(&missing);
            None
        }
        Err(error) => return Err(error.log),
    };
    let entry_points = checked.iter().flat_map(|module| &module.spirv().entry_points);
    Ok(Module {
        context: context.clone(),
        kernels: entry_points.filter_map(|entry| CString::new(entry.name.clone()).ok()).collect(),
        parts,
        checked,
        options,
        program: Lock::new(program),
    })
}

/// Gives the application a log, if it wants one.
fn hand_out(log: Out<Handle<BuildLog>>, text: String) {
    if !log.is_null() {
        log.put(publish(Arc::new(BuildLog { text })));
    }
}

entry! {
    /// zeModuleCreate
    pub fn zeModuleCreate(hContext: Handle<Context>, hDevice: Handle<Device>, desc: In<ze_module_desc_t>, phModule: Out<Handle<Module>>, phBuildLog: Out<Handle<BuildLog>>) {
        let context = hContext.get()?;
        hDevice.check()?;
        let desc = desc.get()?;
        phModule.check()?;
        // ZE_RESULT_ERROR_INVALID_ENUMERATION: ZE_MODULE_FORMAT_NATIVE < desc->format
        fail_if(desc.format > ZE_MODULE_FORMAT_NATIVE, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        let environment = Environment::level_zero_device();
        let mut log = String::new();
        let built = parts(&desc, &environment)?.and_then(|parts| build(&context, parts, &environment, &mut log));
        match built {
            Ok(module) => {
                hand_out(phBuildLog, log);
                phModule.write(publish(Arc::new(module)))
            }
            Err(error) => {
                hand_out(phBuildLog, log + &error);
                Err(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE)
            }
        }
    }

    /// zeModuleDestroy
    pub fn zeModuleDestroy(hModule: Handle<Module>) {
        hModule.destroy().map(drop)
    }

    /// zeModuleDynamicLink: the modules become one program, with one of each variable. Kernels that were created before stay what they were.
    pub fn zeModuleDynamicLink(numModules: u32, phModules: Handles<Module>, phLinkLog: Out<Handle<BuildLog>>) {
        fail_if(phModules.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        let modules = handle::all(phModules.list(numModules as usize))?;
        let Some(first) = modules.first() else { return Ok(()) };
        let checked: Vec<_> = modules.iter().flat_map(|module| module.checked.iter().cloned()).collect();
        match compiler::link(&checked, &first.options) {
            Ok(program) => {
                modules.iter().for_each(|module| *module.program.lock() = Some(program.clone()));
                hand_out(phLinkLog, String::new());
                Ok(())
            }
            Err(error) => {
                hand_out(phLinkLog, error.log);
                Err(ZE_RESULT_ERROR_MODULE_LINK_FAILURE)
            }
        }
    }

    /// zeModuleBuildLogDestroy
    pub fn zeModuleBuildLogDestroy(hModuleBuildLog: Handle<BuildLog>) {
        hModuleBuildLog.destroy().map(drop)
    }

    /// zeModuleBuildLogGetString
    pub fn zeModuleBuildLogGetString(hModuleBuildLog: Handle<BuildLog>, pSize: Out<usize>, pBuildLog: Out<c_char>) {
        let log = hModuleBuildLog.get()?;
        let mut bytes = log.text.replace('\0', " ").into_bytes();
        bytes.push(0);
        text(pSize, pBuildLog, &bytes)
    }

    /// zeModuleGetNativeBinary
    pub fn zeModuleGetNativeBinary(hModule: Handle<Module>, pSize: Out<usize>, pModuleNativeBinary: Out<c_char>) {
        let module = hModule.get()?;
        text(pSize, pModuleNativeBinary, &native::encode(&module.parts))
    }

    /// zeModuleGetGlobalPointer
    pub fn zeModuleGetGlobalPointer(hModule: Handle<Module>, pGlobalName: In<c_char>, pSize: Out<usize>, pptr: Out<Address>) {
        let module = hModule.get()?;
        let name = pGlobalName.text().ok_or(ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        let (address, bytes) = module.program()?.variable(&name).ok_or(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME)?;
        pSize.put(bytes);
        pptr.put(Address(address as usize));
        Ok(())
    }

    /// zeModuleGetKernelNames: names of the module, which live as long.
    pub fn zeModuleGetKernelNames(hModule: Handle<Module>, pCount: Out<u32>, pNames: Out<*const c_char>) {
        let module = hModule.get()?;
        list(pCount, pNames, module.kernels.iter().map(|name| name.as_ptr()))
    }

    /// zeModuleGetProperties
    pub fn zeModuleGetProperties(hModule: Handle<Module>, pModuleProperties: Out<ze_module_properties_t>) {
        let module = hModule.get()?;
        let flags = if module.program().is_ok() { 0 } else { ZE_MODULE_PROPERTY_FLAG_IMPORTS };
        pModuleProperties.fill(|properties| properties.flags = flags)
    }
}
