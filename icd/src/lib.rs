//! The driver as a shared library: exported symbols, the dispatch table, the loader's protocol, and the panic fence. No logic.

mod address;
#[cfg(feature = "command")]
mod command;
mod entry;
mod fence;
mod table;

#[global_allocator]
static ALLOCATOR: device::blocks::Allocator = device::blocks::Allocator;

/// Tells the object model where the dispatch table is, before anyone can call anything.
extern "C" fn at_load() {
    api::handle::set_dispatch_table(table::TABLE.as_ptr().cast());
}

// SAFETY: an array of functions that the dynamic linker calls when it loads the library; `at_load` does no more than to store a pointer.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;

/// Tells of what the application leaves behind, where it asks for that.
extern "C" fn at_unload() {
    let _ = std::panic::catch_unwind(|| {
        api::at_exit();
        device::blocks::give_back();
    });
}

// SAFETY: an array of functions that the dynamic linker calls when it unloads the library, at the latest behind what the process registered with
// `atexit`; `at_unload` needs nothing that is gone by then.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_UNLOAD: extern "C" fn() = at_unload;
