//! Compares our declarations with the header's: sizes, places and values, and the tables' slots. Where there is no header (Debian: libze-dev), or no C compiler,
//! the test says so and passes.

use crate::tables::TABLES;
use crate::ze::{CORE, MANAGEMENT, field_name, flags, result};
use std::fmt::Write;
use std::process::Command;

/// The minor version that brought a structure, or a value.
fn since(name: &str) -> u32 {
    match name {
        "ze_init_driver_type_desc_t" => 10,
        "ze_image_view_planar_ext_desc_t" => 5,
        "ze_kernel_max_group_size_properties_ext_t" => 6,
        "ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP" => 6,
        _ if name.to_lowercase().starts_with("ze_event_query_kernel_timestamps_") => 6,
        _ if name.starts_with("ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_") => 7,
        "ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST" => 8,
        "ze_device_readonly_memory_ext_properties_t" | "ZE_DEVICE_READONLY_MEMORY_CAPABILITY_ENFORCED" => 17,
        _ => 0,
    }
}

/// The type of a table, from the name of the function that fills it: `zeGetCommandListExpProcAddrTable` fills a `ze_command_list_exp_dditable_t`.
fn table_type(getter: &str) -> String {
    let (interface, name) = getter.split_once("Get").expect("the function's name");
    let name = name.trim_end_matches("ProcAddrTable");
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() {
            words.push('_');
        }
        words.push(letter.to_ascii_lowercase());
    }
    format!("{interface}{words}_dditable_t")
}

/// ZE_STRUCTURE_TYPE_…, from the name of a structure.
fn structure_type(name: &str) -> String {
    // The header's own names are in another order twice.
    let name = match name {
        "ze_image_memory_properties_exp_t" => "ze_image_memory_exp_properties_t",
        "ze_kernel_max_group_size_properties_ext_t" => "ze_kernel_max_group_size_ext_properties_t",
        _ => name,
    };
    let (interface, words) = name.trim_end_matches("_t").split_once('_').expect("the structure's name");
    format!("{interface}_STRUCTURE_TYPE_{words}").to_uppercase()
}

/// The header's minor version, which its first lines tell.
fn minor_version() -> Option<u32> {
    let header = ["/usr/include", "/usr/local/include"]
        .iter()
        .find_map(|place| std::fs::read_to_string(format!("{place}/level_zero/ze_ddi.h")).ok())?;
    header.split("@version v1.").nth(1)?.split('-').next()?.parse().ok()
}

/// A C program that compiles if our declarations are those of a header of this version.
fn assertions(minor: u32) -> String {
    let mut source = String::from(
        "#include <level_zero/ze_ddi.h>\n#include <level_zero/zes_ddi.h>\n#include <stddef.h>\n#define SAME(a, b) _Static_assert((a) == (b), #a \" is \" #b);\n",
    );
    let values = result::VALUES.iter().chain(flags::VALUES);
    for (name, value) in values.filter(|(name, _)| since(name) <= minor) {
        let _ = writeln!(source, "SAME({name}, {value}u)");
    }
    for (name, size, stype, fields) in CORE.iter().chain(MANAGEMENT).filter(|(name, ..)| since(name) <= minor) {
        let _ = writeln!(source, "SAME(sizeof({name}), {size})");
        for (field, offset) in *fields {
            let _ = writeln!(source, "SAME(offsetof({name}, {}), {offset})", field_name(field));
        }
        if let Some(stype) = stype {
            let _ = writeln!(source, "SAME({}, {stype})", structure_type(name));
        }
    }
    for (getter, slots) in TABLES {
        let table = table_type(getter);
        for (place, (_, slot)) in slots.iter().enumerate().filter(|(_, (since, _))| *since <= minor) {
            let _ = writeln!(source, "SAME(offsetof({table}, {slot}), {place} * sizeof(void *))");
        }
        // The table that a loader of this version hands over has room for all that is written there, and for no more.
        let count = slots.iter().filter(|(since, _)| *since <= minor).count();
        let known = slots.last().is_none_or(|(since, _)| *since > minor || minor <= 13);
        if count > 0 && known {
            let _ = writeln!(source, "SAME(sizeof({table}), {count} * sizeof(void *))");
        }
    }
    source
}

#[test]
fn declarations_are_the_headers() {
    let Some(minor) = minor_version() else {
        println!("skipped: there is no level_zero/ze_ddi.h (Debian: apt-get install libze-dev)");
        return;
    };
    let file = std::env::temp_dir().join(format!("brolga-level-zero-{}.c", std::process::id()));
    std::fs::write(&file, assertions(minor)).expect("a place for a source");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let result = Command::new(compiler).args(["-std=c11", "-fsyntax-only"]).arg(&file).output();
    let _ = std::fs::remove_file(&file);
    match result {
        Err(_) => println!("skipped: there is no C compiler"),
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn slots_are_in_the_order_of_their_versions() {
    for (getter, slots) in TABLES {
        assert!(slots.is_sorted_by_key(|(since, _)| since), "{getter}");
    }
}
