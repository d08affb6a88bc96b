//! Declarations of cl_intel_subgroups, _short, _char and _long, cl_intel_subgroup_local_block_io, cl_intel_bfloat16_conversions and cl_intel_split_work_group_barrier, which clang
//! does not know without a header of 18,000 lines, or not at all. Its SPIR-V back end knows the functions by their mangled names, once they are
//! declared; what is only another name for a function of the core is defined by that.

use std::fmt::Write;

/// What all of the names begin with.
pub const START: &str = "intel_";

const SUB_GROUP: &str = "intel_sub_group_";

/// Types that are shuffled: name, vectors of it too, and the extension that brings them.
const SHUFFLED: [(&str, bool, &str); 11] = [
    ("float", true, "cl_intel_subgroups"),
    ("int", true, "cl_intel_subgroups"),
    ("uint", true, "cl_intel_subgroups"),
    ("long", false, "cl_intel_subgroups"),
    ("ulong", false, "cl_intel_subgroups"),
    ("short", true, "cl_intel_subgroups_short"),
    ("ushort", true, "cl_intel_subgroups_short"),
    ("char", true, "cl_intel_subgroups_char"),
    ("uchar", true, "cl_intel_subgroups_char"),
    ("double", false, "cl_khr_fp64"),
    ("half", false, "cl_khr_fp16"),
];

/// Types that the core's broadcasts, reductions and scans don't take.
const SMALL: [(&str, &str); 4] = [
    ("short", "cl_intel_subgroups_short"),
    ("ushort", "cl_intel_subgroups_short"),
    ("char", "cl_intel_subgroups_char"),
    ("uchar", "cl_intel_subgroups_char"),
];

/// Elements of blocks: the ending of the functions' names, the type, the extension, and the most of them that a work-item reads at once.
const BLOCKS: [(&str, &str, &str, u32); 4] = [
    ("", "uint", "cl_intel_subgroups", 8),
    ("_us", "ushort", "cl_intel_subgroups_short", 16),
    ("_uc", "uchar", "cl_intel_subgroups_char", 16),
    ("_ul", "ulong", "cl_intel_subgroups_long", 8),
];

const COUNTS: [&str; 6] = ["", "2", "3", "4", "8", "16"];

fn to_bfloat16(count: &str) -> String {
    format!("intel_convert_bfloat16{count}_as_ushort{count}")
}

fn from_bfloat16(count: &str) -> String {
    format!("intel_convert_as_bfloat16{count}_float{count}")
}

/// Declares functions, as far as there are such.
pub fn declarations<'a>(prelude: &mut String, names: impl Iterator<Item = &'a str>) {
    let mut text = String::new();
    for name in names {
        declare(&mut text, name);
    }
    if !text.is_empty() {
        // The extensions are written against OpenCL C 1.2; before, nothing is static.
        *prelude += "#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 120\n";
        *prelude += "#define __brolga_conv __attribute__((overloadable, convergent))\n";
        *prelude += &text;
        *prelude += "#undef __brolga_conv\n#endif\n";
    }
}

/// Declares a function; nothing for names of other functions.
fn declare(prelude: &mut String, name: &str) {
    let Some(rest) = name.strip_prefix(SUB_GROUP) else {
        return declare_other(prelude, name);
    };
    match rest {
        "shuffle" | "shuffle_xor" => shuffles(prelude, |vector| format!("{vector} __brolga_conv {name}({vector}, uint);")),
        "shuffle_up" | "shuffle_down" => shuffles(prelude, |vector| {
            format!("{vector} __brolga_conv {name}({vector}, {vector}, uint);")
        }),
        "broadcast" => {
            for (ty, extension) in SMALL {
                let lines = COUNTS.map(|count| {
                    format!(
                        "static inline {ty}{count} __brolga_conv {name}({ty}{count} x, uint id) {{ return sub_group_broadcast(x, id); }}"
                    )
                });
                within(prelude, extension, &lines);
            }
        }
        "reduce_add" | "reduce_min" | "reduce_max" | "scan_inclusive_add" | "scan_inclusive_min" | "scan_inclusive_max"
        | "scan_exclusive_add" | "scan_exclusive_min" | "scan_exclusive_max" => {
            for (ty, extension) in SMALL {
                let line = format!("static inline {ty} __brolga_conv {name}({ty} x) {{ return sub_group_{rest}(x); }}");
                within(prelude, extension, &[line]);
            }
        }
        _ => {
            block(prelude, name, rest);
        }
    }
}

/// Functions of other extensions than those of sub-groups.
fn declare_other(prelude: &mut String, name: &str) {
    if let "intel_work_group_barrier_arrive" | "intel_work_group_barrier_wait" = name {
        let line = |parameters: &str| format!("void __brolga_conv {name}({parameters});");
        let lines = [
            line("cl_mem_fence_flags"),
            "#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200".into(),
            line("cl_mem_fence_flags, memory_scope"),
            "#endif".into(),
        ];
        return within(prelude, "cl_intel_split_work_group_barrier", &lines);
    }
    for count in COUNTS {
        let line = if name == to_bfloat16(count) {
            format!("ushort{count} __attribute__((overloadable)) {name}(float{count});")
        } else if name == from_bfloat16(count) {
            format!("float{count} __attribute__((overloadable)) {name}(ushort{count});")
        } else {
            continue;
        };
        within(prelude, "cl_intel_bfloat16_conversions", &[line]);
    }
}

/// Lines that stand only where there is the extension.
fn within(prelude: &mut String, extension: &str, lines: &[String]) {
    // A half as a parameter is allowed only where its extension has been enabled; what follows starts as if it had not.
    let pragma = |state: &str| match extension {
        "cl_khr_fp16" | "cl_khr_fp64" => format!("#pragma OPENCL EXTENSION {extension} : {state}\n"),
        _ => String::new(),
    };
    let _ = writeln!(
        prelude,
        "#ifdef {extension}\n{}{}\n{}#endif",
        pragma("enable"),
        lines.join("\n"),
        pragma("disable")
    );
}

fn shuffles(prelude: &mut String, line: impl Fn(&str) -> String) {
    for (ty, vectors, extension) in SHUFFLED {
        let counts = if vectors { &COUNTS[..] } else { &COUNTS[..1] };
        let lines: Vec<String> = counts.iter().map(|count| line(&format!("{ty}{count}"))).collect();
        within(prelude, extension, &lines);
    }
}

/// `block_read_us4` and its kin.
fn block(prelude: &mut String, name: &str, rest: &str) -> Option<()> {
    let (ending, write) = match (rest.strip_prefix("block_read"), rest.strip_prefix("block_write")) {
        (Some(ending), _) => (ending, false),
        (_, Some(ending)) => (ending, true),
        _ => return None,
    };
    let kind = ending.trim_end_matches(|c: char| c.is_ascii_digit());
    let count = &ending[kind.len()..];
    if kind == "_ui" {
        // The newer name of the plain function.
        let plain = name.replacen("_ui", "", 1);
        declare(prelude, &plain);
        let _ = writeln!(prelude, "#define {name} {plain}");
        return Some(());
    }
    let &(_, ty, extension, most) = BLOCKS.iter().find(|(ending, ..)| *ending == kind)?;
    let number: u32 = if count.is_empty() { 1 } else { count.parse().ok()? };
    if !number.is_power_of_two() || number > most || count == "1" {
        return None;
    }
    let images = ["read_only", "write_only", "read_write"].iter().filter(|&&access| match access {
        "read_only" => !write,
        "write_only" => write,
        _ => true,
    });
    let mut lines = vec!["#ifdef cl_intel_spirv_subgroups".to_string()];
    for access in images {
        let read_write = *access == "read_write";
        if read_write {
            lines.push("#ifdef __opencl_c_read_write_images".into());
        }
        lines.push(match write {
            true => format!("void __brolga_conv {name}({access} image2d_t, int2, {ty}{count});"),
            false => format!("{ty}{count} __brolga_conv {name}({access} image2d_t, int2);"),
        });
        if read_write {
            lines.push("#endif".into());
        }
    }
    lines.push("#endif".into());
    let of_memory = |space: &str| match write {
        true => format!("void __brolga_conv {name}({space} {ty} *, {ty}{count});"),
        false => format!("{ty}{count} __brolga_conv {name}(const {space} {ty} *);"),
    };
    lines.extend([
        "#ifdef cl_intel_subgroup_local_block_io".into(),
        of_memory("local"),
        "#endif".into(),
        of_memory("global"),
    ]);
    within(prelude, extension, &lines);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> String {
        let mut text = String::new();
        declare(&mut text, name);
        text
    }

    #[test]
    fn functions_are_declared_by_name() {
        let read = of("intel_sub_group_block_read_us4");
        assert!(read.starts_with("#ifdef cl_intel_subgroups_short\n"), "{read}");
        assert!(read.ends_with("ushort4 __brolga_conv intel_sub_group_block_read_us4(const global ushort *);\n#endif\n"));
        assert!(read.contains("ushort4 __brolga_conv intel_sub_group_block_read_us4(read_only image2d_t, int2);"));
        let local = "#ifdef cl_intel_subgroup_local_block_io\nushort4 __brolga_conv intel_sub_group_block_read_us4(const local ushort *);\n#endif\n";
        assert!(read.contains(local), "{read}");
        assert!(
            of("intel_sub_group_block_write_us16")
                .contains("void __brolga_conv intel_sub_group_block_write_us16(global ushort *, ushort16);")
        );
        assert!(of("intel_sub_group_block_write_ui2").ends_with("#define intel_sub_group_block_write_ui2 intel_sub_group_block_write2\n"));
        assert!(of("intel_sub_group_shuffle_up").contains("char16 __brolga_conv intel_sub_group_shuffle_up(char16, char16, uint);"));
        for unknown in [
            "intel_sub_group_block_read3",
            "intel_sub_group_block_read16",
            "intel_sub_group_block_read_ul16",
            "intel_sub_group_avc",
            "other",
        ] {
            assert_eq!(of(unknown), "", "{unknown}");
        }
    }
}
