use super::*;

/// Every kind of instruction, and every name of an operation; not all of it would pass the verifier.
fn everything() -> String {
    let mut text = String::from("function workgroup @every thing -> f32x8, i64 {\n  slot0: 16 align 4\n  slot1: 4096 align 128\n");
    text += "block3(v0: i32, v1: i64, v2: f32x8, v3: maskx8, v4: mask):\n";
    let mut next = 10;
    let mut line = |text: &mut String, results: usize, rest: &str| {
        let names: Vec<String> = (next..next + results).map(|n| format!("v{n}")).collect();
        next += results;
        let equals = if results > 0 { " = " } else { "" };
        *text += &format!("  {}{equals}{rest}\n", names.join(", "));
    };
    for (_, name) in UnaryOp::NAMES {
        line(&mut text, 1, &format!("{name} v0"));
    }
    for (_, name) in BinaryOp::NAMES {
        line(&mut text, 1, &format!("{name} v0, v1"));
    }
    for (_, name) in DotOp::NAMES {
        line(&mut text, 1, &format!("dot.{name} v0, v1, v0"));
    }
    for (_, name) in IntCc::NAMES {
        line(&mut text, 1, &format!("icmp.{name} v0, v1"));
    }
    for (_, name) in FloatCc::NAMES {
        line(&mut text, 1, &format!("fcmp.{name} v2, v2"));
    }
    for (index, (_, name)) in ConvertOp::NAMES.iter().enumerate() {
        let rounding = Rounding::NAMES[index % 4].1;
        line(
            &mut text,
            1,
            &format!("{name}.f64x16 v2 {rounding}{}", if index % 2 == 0 { "" } else { " sat" }),
        );
    }
    for constant in [
        "const.i8 -128",
        "const.i8x4 127",
        "const.i16 -1",
        "const.i32 2147483647",
        "const.i64 -9223372036854775808",
        "const.mask true",
        "const.maskx32 false",
        "const.f16 0x3c00",
        "const.bf16 0x7f80",
        "const.f32x8 0x80000000",
        "const.f64 0xffffffffffffffff",
        "const.f64 0x0",
    ] {
        line(&mut text, 1, constant);
    }
    for (_, op) in ReduceOp::NAMES {
        for scan in ["reduce", "inclusive_scan", "exclusive_scan"] {
            line(&mut text, 1, &format!("sub_group {scan}.{op} v2"));
            line(&mut text, 1, &format!("work_group {scan}.{op} v2"));
            line(&mut text, 1, &format!("lane {scan}.{op} f32x8 v2, v3"));
        }
        line(&mut text, 1, &format!("sub_group clustered_reduce.{op}.4 v2"));
    }
    for op in ["all", "any", "all_equal", "ballot", "broadcast_first"] {
        line(&mut text, 1, &format!("sub_group {op} v4"));
    }
    for op in ["broadcast", "shuffle"] {
        line(&mut text, 1, &format!("sub_group {op} v2, v0"));
        line(&mut text, 1, &format!("work_group {op} v2, v1"));
    }
    for op in ["all", "any"] {
        line(&mut text, 1, &format!("work_group {op} v4"));
    }
    for op in [
        "iota i32x8",
        "splat f32x4 v0",
        "extract.3 f32 v2",
        "extract_dynamic f32 v2, v0",
        "insert.7 f32x8 v2, v0",
        "permute f32x8 v2, v0",
        "mask_bits i32 v3",
        "bits_mask maskx8 v0",
        "any_true mask v3",
        "all_true mask v3",
        "compress f32x8 v2, v3",
        "expand f32x8 v2, v3",
    ] {
        line(&mut text, 1, &format!("lane {op}"));
    }
    for (builtin, name) in Builtin::NAMES {
        line(
            &mut text,
            1,
            &format!("builtin {name}{}", if builtin.has_dimension() { " 2" } else { "" }),
        );
    }
    for (order, name) in Order::NAMES {
        line(&mut text, 1, &format!("atomic_load.f32 {name} device global align 4 [v1]"));
        line(&mut text, 0, &format!("fence {order} all_devices"));
    }
    for (_, name) in Scope::NAMES {
        line(&mut text, 0, &format!("barrier {name} seq_cst work_item"));
    }
    for (_, name) in Space::NAMES {
        line(
            &mut text,
            1,
            &format!("load.f32 {name} align 1 volatile nontemporal invariant dereferenceable alias 7 [v1]"),
        );
    }
    for (_, name) in AtomicOp::NAMES {
        line(
            &mut text,
            1,
            &format!("atomic_rmw.{name} v0, relaxed work_group local align 4 [v1] mask v4"),
        );
    }
    for (_, name) in Runtime::NAMES {
        let results = Runtime::parse(name).and_then(|routine| routine.signature().1).is_some();
        line(&mut text, usize::from(results), &format!("call_runtime {name}(v1, v1)"));
    }
    for (results, rest) in [
        (1, "add v0, v0 !nsw,nuw"),
        (1, "fma v2, v2, v2 !nnan,ninf,nsz,arcp,contract,reassoc,afn"),
        (1, "select v3, v2, v2"),
        (1, "slot_address slot1"),
        (1, "global_address global7"),
        (1, "load.f32x8 global align 4 [v1 + v0 * 4 - 16] mask v3 or v2"),
        (1, "load.f32x8 global align 4 [v1 + v0 * 2147483648 + 2147483647] mask v3"),
        (1, "load.f32x8 global align 4 [v1 - 2147483648]"),
        (0, "store v2, private align 16 nontemporal [v1 + 4] mask v3"),
        (3, "load_interleaved.f32x8 3 global align 4 [v1] mask v3"),
        (0, "store_interleaved v2, v2, v2, global align 4 alias 65535 [v1 + v0 * 12] mask v3"),
        (0, "copy v1 global align 8, v1 constant align 4 volatile, v1"),
        (0, "atomic_store v0, release device global align 4 [v1]"),
        (1, "atomic_cas v0, v0, acq_rel all_devices generic align 4 [v1] mask v4"),
        (0, "call fn3()"),
        (2, "call fn4294(v0, v1) -> f32, maskx8"),
        (0, "trap 3"),
    ] {
        line(&mut text, results, rest);
    }
    text += "block1:\n  unreachable\nblock2 cold(v5: i32):\n  jump block1\nblock8 cold:\n  jump block2(v0)\n";
    text += "block9:\n  branch v4, block2(v0), block1\nblock10:\n  switch v0, 1: block1, 18446744073709551615: block2(v0), block1\n";
    text += "block11:\n  switch v0, block1\nblock12:\n  return\nblock13:\n  return v2, v1\n}\n";
    text
}

#[test]
fn every_instruction_reads_back() {
    let text = everything();
    let func = parse_function(&text).unwrap();
    assert_eq!(func.to_string(), text);
    assert_eq!(func.layout.len(), 9);
}

#[test]
fn results_may_depend_on_later_lines() {
    let text = "function workitem @f -> i32 {\nblock0:\n  jump block2\nblock1:\n  v1 = add v0, v0\n  return v1\nblock2:\n  v0 = const.i32 3\n  jump block1\n}\n";
    let func = parse_function(text).unwrap();
    assert_eq!(func.to_string(), text);
    verify::verify(&func, None).unwrap();
}

#[test]
fn modules_read_back() {
    let text = "global0 = constant @a b align 4 [00ff10]\nglobal1 = @ align 128 [] 0: global0 + -8 8: global1 + 4\n\n\
                fn0 = function workitem @f {\nblock0:\n  return\n}\n\nfn1 = function workitem @g {\nblock0:\n  call fn0()\n  return\n}\n";
    let module = parse_module(text).unwrap();
    assert_eq!(module.to_string(), text);
    verify::verify_module(&module).unwrap();
}

#[test]
fn errors_say_line_and_expectation() {
    let body = |line: &str| format!("; comment\nfunction workitem @f {{\nblock0(v0: i32):\n  {line}\n  return\n}}\n");
    for (line, message) in [
        ("v1 = ad v0, v0", "line 4: expected an instruction, but there is `ad v0, v0`"),
        ("v1 = add v0", "line 4: expected 2 operands, but there is `v0`"),
        ("v1 = add v0, v7", "line 4: v7 is defined nowhere"),
        ("v0 = add v0, v0", "line 4: v0 is defined on line 3 already"),
        ("v1 = add v1, v0", "line 4: the result's type depends on itself"),
        ("v1, v2 = neg v0", "line 4: the instruction has 1 results, not 2"),
        (
            "v1 = const.i8 128",
            "line 4: expected a signed integer of 8 bits, but there is `128`",
        ),
        (
            "v1 = const.f32 0x100000000",
            "line 4: expected 32 bits at most, but there is `0x100000000`",
        ),
        (
            "v1 = load.f33 global align 4 [v0]",
            "line 4: expected a type after `load.`, but there is `load.f33 global align 4 [v0]`",
        ),
        ("v1 = load.f32 global align 4 [v0", "line 4: expected `]`, but the line ends"),
        (
            "v1 = load.f32 global align 3 [v0]",
            "line 4: expected an alignment, but there is `3 [v0]`",
        ),
        ("jump block7", "line 4: block7 is not in the function"),
        (
            "v99999999 = neg v0",
            "line 4: expected `v` and a number below 16777216, but there is `v99999999 = neg v0`",
        ),
        ("v1 = neg v0 !fast", "line 4: expected a flag, but there is `fast`"),
        (
            "v1 = work_group all",
            "line 4: expected `v` and a number below 16777216, but the line ends",
        ),
        ("v1 = sub_group all", "line 4: too few operands"),
    ] {
        assert_eq!(parse_function(&body(line)).unwrap_err().to_string(), message);
    }
    assert_eq!(
        parse_function("").unwrap_err().to_string(),
        "line 1: expected a function, but the text ends"
    );
    let unfinished = "function workitem @f {\nblock0:\n  return";
    assert_eq!(
        parse_function(unfinished).unwrap_err().to_string(),
        "line 3: expected `}`, but the text ends"
    );
}

/// No text makes the parser panic.
#[test]
fn damaged_text_is_refused_or_read() {
    let text = everything();
    let mut seed = 1u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize
    };
    let alphabet = b" .,()[]{}:+-*!@v0917block=\n;";
    for _ in 0..2000 {
        // A few lines only, so that what is damaged is reached.
        let lines: Vec<&str> = text.lines().collect();
        let from = random() % lines.len();
        let mut bytes = "function workgroup @f {\nblock3(v0: i32, v1: i64, v2: f32x8, v3: maskx8, v4: mask):\n"
            .as_bytes()
            .to_vec();
        let few = lines[from..].iter().take(3).copied().collect::<Vec<_>>().join("\n");
        bytes.extend(few.bytes());
        bytes.extend(b"\n}\n");
        for _ in 0..1 + random() % 3 {
            let at = random() % bytes.len();
            match random() % 3 {
                0 => bytes[at] = alphabet[random() % alphabet.len()],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, alphabet[random() % alphabet.len()]),
            }
        }
        let text = String::from_utf8(bytes).unwrap();
        if let Ok(func) = parse_function(&text) {
            let _ = verify::verify(&func, None);
        }
    }
}
