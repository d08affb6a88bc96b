//! The encoder, against a disassembler's reading; and which instructions are chosen.

use super::encode::{Code, Encoding, Imm, Instruction, Map, Mem, MemBase, Op, Rm, Size, Tuple};
use super::fused_signs::FUSED;
use super::{Program, Target, emit, ops, select};
use ir::parse::parse_function;
use rustc_hash::FxHashMap;
use std::process::Command;

/// How an operation is used, which its encoding does not say.
struct Form {
    sizes: &'static [Size],
    /// ModRM.reg is one of these digits.
    digits: &'static [(u8, &'static str)],
    /// VEX.vvvv is an operand.
    three: bool,
    imm: Imm,
    /// ModRM.rm must be one of both.
    reg: bool,
    mem: bool,
    /// Operands that are no vectors (general or mask registers): ModRM.reg and ModRM.rm.
    other_reg: bool,
    other_rm: bool,
    /// A mask can choose among the lanes of the result, and set those to 0 that are off.
    maskable: bool,
}

fn form(op: &Op) -> Form {
    use Size::*;
    let vector: &[Size] = &[X, Y];
    let mut form = Form {
        sizes: if op.encoding == Encoding::Legacy { &[D, Q] } else { vector },
        digits: &[],
        three: op.encoding != Encoding::Legacy,
        imm: Imm::No,
        reg: true,
        mem: true,
        other_reg: false,
        other_rm: false,
        maskable: true,
    };
    let named = |names: &[&str]| names.contains(&op.name);
    let prefixed = |prefixes: &[&str]| prefixes.iter().any(|prefix| op.name.starts_with(prefix));
    match op.name {
        "alu" => {
            form.digits = &[(0, "add"), (1, "or"), (4, "and"), (5, "sub"), (6, "xor"), (7, "cmp")];
            form.imm = if op.code == 0x83 { Imm::I8(5) } else { Imm::I32(0x1234) };
        }
        "shift" => {
            form.digits = &[(0, "rol"), (1, "ror"), (4, "shl"), (5, "shr"), (7, "sar")];
            form.imm = if op.code == 0xc1 { Imm::I8(5) } else { Imm::No };
        }
        "group3" => form.digits = &[(2, "not"), (3, "neg"), (4, "mul"), (5, "imul"), (6, "div"), (7, "idiv")],
        "test" if op.code == 0xf7 => (form.digits, form.imm) = (&[(0, "test")], Imm::I32(0x1234)),
        "imul" if op.code == 0x69 => form.imm = Imm::I32(0x1234),
        "mov" if op.code == 0xc7 => (form.digits, form.imm) = (&[(0, "mov")], Imm::I32(0x1234)),
        "mov" if op.code == 0xc6 => (form.sizes, form.digits, form.imm, form.reg) = (&[B], &[(0, "mov")], Imm::I8(5), false),
        "mov" if op.code == 0x88 => (form.sizes, form.reg) = (&[B], false),
        "xchg" | "xadd" | "cmpxchg" => {
            form.reg = false;
            if matches!(op.code, 0x86 | 0xc0 | 0xb0) {
                form.sizes = &[B];
            }
        }
        "cmpxchg16b" => (form.sizes, form.digits, form.reg) = (&[Q], &[(1, "cmpxchg16b")], false),
        "prefetchw" => (form.sizes, form.digits, form.reg) = (&[D], &[(1, "prefetchw")], false),
        "prefetch" => (form.sizes, form.digits, form.reg) = (&[D], &[(1, "prefetcht0")], false),
        "lea" => form.reg = false,
        "movsxd" => form.sizes = &[Q],
        "set" => (form.sizes, form.digits, form.mem) = (&[B], &[(0, "seto")], false),
        "shlx" | "shrx" | "sarx" => (form.sizes, form.reg) = (&[D, Q], true),
        "andn" | "pdep" => form.sizes = &[D, Q],
        "bls" => (form.sizes, form.digits) = (&[D, Q], &[(1, "blsr")]),
        "vpshiftw" => form.digits = &[(2, "vpsrlw"), (4, "vpsraw"), (6, "vpsllw")],
        "vpshiftd" => form.digits = &[(2, "vpsrld"), (4, "vpsrad"), (6, "vpslld")],
        "vpshiftq" => form.digits = &[(2, "vpsrlq"), (3, "vpsrldq"), (6, "vpsllq")],
        "vprotd" => form.digits = &[(0, "vprord"), (1, "vprold")],
        "vprotq" => form.digits = &[(0, "vprorq"), (1, "vprolq")],
        "vpsraq" if op.code == 0x72 => form.digits = &[(4, "vpsraq")],
        _ => {}
    }
    if op.name.starts_with("vpshift") || (!form.digits.is_empty() && op.encoding == Encoding::Evex) {
        (form.imm, form.mem) = (Imm::I8(5), false);
    }
    let scalar = op.name.ends_with("ss") || op.name.ends_with("sd") || prefixed(&["vpinsr", "vpextr", "vcvtsi2", "vcvtts"]);
    if scalar && !prefixed(&["vpabs", "vpdp"]) {
        form.sizes = &[X];
    }
    if op.name.starts_with('k') {
        (form.sizes, form.mem) = (&[X], false);
        (form.other_reg, form.other_rm) = (true, true);
        let two = prefixed(&["kmov", "knot", "kortest", "kshift"]);
        if !two {
            form.sizes = &[Y];
        }
        form.three = !two;
        match op.code {
            0x90 => form.mem = true,
            0x91 => (form.reg, form.mem) = (false, true),
            _ => {}
        }
    }
    if prefixed(&["vcvtsi2", "vcvttss2si", "vcvttsd2si"]) || named(&["vmovd"]) {
        form.sizes = &[D, Q];
    }
    if named(&["vinsertps", "vpermilps"]) {
        form.sizes = &[X];
    }
    if named(&[
        "vinserti128",
        "vextracti128",
        "vpermq",
        "vpermd",
        "vcvttpd2dq",
        "vcvtpd2ps",
        "vcvttpd2udq",
        "vcvtqq2ps",
        "vcvtuqq2ps",
    ]) {
        form.sizes = &[Y];
    }
    if named(&["vinserti64x4", "vextracti64x4"]) {
        form.sizes = &[Z];
    }
    let two = prefixed(&[
        "vmov",
        "vpmov",
        "vpbroadcast",
        "vpcompress",
        "vpexpand",
        "vplzcnt",
        "vpopcnt",
        "vpscatter",
        "vcvtudq",
        "vcvtqq",
        "vcvtuqq",
        "vpextr",
        "vextract",
        "vpabs",
        "vucomi",
        "vcvttp",
        "vcvtdq",
        "vcvtp",
        "vcvtts",
        "vpshufd",
        "vrcp14p",
        "vgetexpp",
        "vgetmantp",
        "vreducep",
        "vrsqrt14p",
    ]) || named(&[
        "vsqrtps",
        "vrsqrtps",
        "vrcpps",
        "vsqrtpd",
        "vsqrtph",
        "vroundps",
        "vroundpd",
        "vrndscaleph",
    ]) || (op.name == "vpermq" && op.map == Map::M3A)
        || (op.encoding == Encoding::Evex && op.name.starts_with("vpgather"));
    if two && op.encoding != Encoding::Legacy {
        form.three = false;
    }
    if (matches!(op.map, Map::M3A) && form.digits.is_empty())
        || named(&["vshufps", "vpshufd", "vpinsrw", "vcmpps", "vcmppd", "vcmpss", "vcmpsd"])
    {
        form.imm = if op.name.contains("blendv") { Imm::I8(0x30) } else { Imm::I8(1) };
    }
    if named(&["vmovss", "vmovsd"]) || prefixed(&["vmaskmov", "vmovnt", "vpgather"]) {
        form.reg = false;
    }
    if named(&["vmovhps"]) {
        (form.sizes, form.reg, form.three) = (&[X], false, op.code == 0x16);
    }
    if prefixed(&["vpmovmskb", "vmovmsk"]) {
        form.mem = false;
    }
    let from_mask = op.encoding == Encoding::Evex && prefixed(&["vpmovm2"]);
    let to_mask = op.encoding == Encoding::Evex && (prefixed(&["vpcmp", "vcmp", "vptest"]) || op.name.ends_with("2m"));
    let spreads_int = op.encoding == Encoding::Evex && prefixed(&["vpbroadcast"]);
    if from_mask || op.name.ends_with("2m") || spreads_int {
        form.mem = false;
    }
    if prefixed(&["vpscatter"]) {
        form.reg = false;
    }
    form.other_reg |= to_mask || prefixed(&["vcvttss2si", "vcvttsd2si"]);
    form.other_rm |= from_mask || spreads_int || prefixed(&["vpinsr", "vpextr", "vcvtsi2"]) || op.name == "vmovd";
    form.maskable = !(to_mask
        || from_mask
        || form.other_reg
        || (form.other_rm && !spreads_int)
        || prefixed(&[
            "vpinsr",
            "vpextr",
            "vpsadbw",
            "vinsertps",
            "vmovhps",
            "vucomi",
            "vcvtsi2",
            "vpscatter",
            "vpgather",
        ])
        || is_backwards(op));
    form
}

/// The result, or what is last to be read in Intel's syntax, is in ModRM.rm.
fn is_backwards(op: &Op) -> bool {
    let last_is_reg =
        matches!(op.code, 0x01 | 0x09 | 0x11 | 0x21 | 0x29 | 0x31 | 0x85..=0x89) && op.encoding == Encoding::Legacy && op.map == Map::One;
    let store = match op.name {
        "xadd" | "cmpxchg" | "vpextrb" | "vpextrw" | "vpextrd" | "vpextrq" | "vextracti128" | "vextracti64x4" | "vcvtps2ph" => true,
        "vpmovwb" | "vpmovdw" | "vpmovqd" | "vpmovdb" | "vpmovqw" | "vpmovqb" | "vpcompressd" | "vpcompressq" => true,
        "vpmovswb" | "vpmovsdw" | "vpmovsdb" | "vpmovuswb" | "vpmovusdw" | "vpmovusdb" => true,
        "vmovd" => op.code == 0x7e,
        "vmovups" | "vmovupd" | "vmovss" | "vmovsd" => op.code == 0x11,
        "vmovdqu8" | "vmovdqu16" => op.code == 0x7f,
        "vmovhps" => op.code == 0x17,
        "vmovntps" => true,
        "kmovq" => op.code == 0x91,
        name => (name.starts_with("vmaskmov") && op.code >= 0x2e) || name.starts_with("vpscatter"),
    };
    last_is_reg || store
}

/// The numbers of the registers that a text names, those of a memory operand in brackets with what else is there.
fn reading(operands: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut in_memory: Option<String> = None;
    for c in operands.chars().chain([',']) {
        match c {
            '[' => (in_memory, word) = (Some(String::new()), String::new()),
            ']' => {
                let mut memory = in_memory.take().unwrap_or_default();
                memory.push_str(&number_of(&word).unwrap_or(word.clone()));
                found.push(memory);
                word.clear();
            }
            '+' | '*' if in_memory.is_some() => {
                if let Some(memory) = &mut in_memory {
                    memory.push_str(&number_of(&word).unwrap_or(word.clone()));
                    memory.push(c);
                }
                word.clear();
            }
            ',' => {
                found.extend(number_of(word.trim()));
                word.clear();
            }
            ' ' => word.clear(),
            c => word.push(c),
        }
    }
    found
}

fn number_of(name: &str) -> Option<String> {
    const NAMES: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
    const BYTES: [&str; 8] = ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"];
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let mask = name.starts_with('k') && name.len() == 2;
    if ["xmm", "ymm", "zmm"].iter().any(|start| name.starts_with(start)) || mask || (name.starts_with('r') && !digits.is_empty()) {
        return Some(format!("r{digits}"));
    }
    let position = BYTES
        .iter()
        .position(|byte| *byte == name)
        .or_else(|| NAMES.iter().position(|short| name.len() <= 3 && name.ends_with(short)))?;
    Some(format!("r{position}"))
}

/// An instruction, and what a disassembler has to read: its length, mnemonic, operands, and texts that must be there.
struct Case {
    instruction: Instruction,
    mnemonic: String,
    operands: Vec<String>,
    texts: &'static str,
}

fn rm_text(rm: &Rm) -> String {
    match rm {
        Rm::Reg(reg) => format!("r{reg}"),
        Rm::Mem(Mem {
            base: MemBase::Reg(base),
            index,
            disp,
        }) => {
            let index = index.map_or(String::new(), |(index, scale)| format!("+r{index}*{}", 1 << scale));
            let disp = match *disp == 0 && *base != 5 && *base != 13 {
                true => String::new(),
                false => format!("+{disp:#x}"),
            };
            format!("r{base}{index}{disp}")
        }
        Rm::Mem(_) => String::new(),
    }
}

/// All ways to write an operation that are worth a look; `far` is with vector registers from 16 on.
fn cases(op: &'static Op, far: bool) -> Vec<Case> {
    use Size::*;
    let form = form(op);
    let gather = op.name.starts_with("vpgather") || op.name.starts_with("vpscatter");
    let evex = far || op.encoding == Encoding::Evex;
    let mask = if gather && op.encoding == Encoding::Evex { 3 } else { 0 };
    let sizes: &[Size] = match form.sizes {
        [X, Y] if evex => &[X, Y, Z],
        [Y] if far && !op.name.starts_with('k') => &[Y, Z],
        sizes => sizes,
    };
    let up = if far { 16 } else { 0 };
    let third = if op.name.starts_with('k') { 5 } else { 11 + up };
    let regs: &[u8] = match (form.other_reg && (op.encoding == Encoding::Evex || op.name.starts_with('k')), far) {
        (true, _) => &[1, 4, 7],
        (_, true) if !form.other_reg => &[16, 21, 9, 30],
        _ => &[0, 5, 9, 14],
    };
    let digits: Vec<(u8, Option<&str>)> = match form.digits {
        [] => regs.iter().map(|&reg| (reg, None)).collect(),
        digits => digits.iter().map(|&(digit, name)| (digit, Some(name))).collect(),
    };
    let rm_regs: &[u8] = match (op.name.starts_with('k') || op.name.starts_with("vpmovm2"), far && !form.other_rm) {
        (true, _) => &[0, 4, 7],
        (_, true) => &[16, 4, 31],
        _ => &[0, 4, 7, 8, 15],
    };
    let far_index = if far && gather { 16 } else { 0 };
    let mems = [
        (0, None, 0),
        (4, None, 8),
        (5, None, 0),
        (12, Some(9 + far_index), 0x1000),
        (13, Some(1 + far_index), 0x10),
        (3, Some(14 + far_index), 0),
    ];
    let mems = mems.map(|(base, index, disp)| {
        Rm::Mem(Mem {
            base: MemBase::Reg(base),
            index: index.map(|index| (index, 2)),
            disp,
        })
    });
    let mut cases = Vec::new();
    for &size in sizes {
        for &(reg, name) in &digits {
            let rms = rm_regs.iter().map(|&reg| Rm::Reg(reg));
            for rm in rms.filter(|_| form.reg).chain(mems.into_iter().filter(|_| form.mem)) {
                let in_memory = matches!(rm, Rm::Mem(_));
                if gather && !matches!(rm, Rm::Mem(Mem { index: Some(_), .. })) {
                    continue;
                }
                let instruction = Instruction {
                    op,
                    plus: 0,
                    size,
                    reg,
                    vvvv: if form.three { third } else { 0 },
                    rm,
                    imm: form.imm,
                    lock: false,
                    mask,
                    zeroing: false,
                    broadcast: false,
                };
                let rm = vec![rm_text(&rm)];
                let own = if name.is_none() { vec![format!("r{reg}")] } else { Vec::new() };
                let third = if form.three { vec![format!("r{third}")] } else { Vec::new() };
                let amount_in_third = matches!(op.name, "shlx" | "shrx" | "sarx");
                let mut operands = match (is_backwards(op), amount_in_third || gather) {
                    (true, _) => [rm, third, own].concat(),
                    (_, true) => [own, rm, third].concat(),
                    _ => [own, third, rm].concat(),
                };
                if op.name.contains("blendv") {
                    operands.push("r3".into());
                }
                if op.name == "shift" && op.code == 0xd3 {
                    operands.push("r1".into());
                }
                let mut add = |instruction: Instruction, texts| {
                    let mnemonic = name.unwrap_or(op.name);
                    cases.push(Case {
                        instruction,
                        mnemonic: match instruction.needs_evex() {
                            true => name_of_evex(mnemonic),
                            false => mnemonic.to_owned(),
                        },
                        operands: operands.clone(),
                        texts,
                    });
                };
                add(instruction, "");
                if evex && form.maskable && name != Some("vpsrldq") {
                    let masked = Instruction {
                        mask: 3,
                        zeroing: true,
                        ..instruction
                    };
                    add(masked, "{k3}{z}");
                    add(Instruction { zeroing: false, ..masked }, "{k3}");
                }
                if evex && in_memory && op.tuple.broadcast().is_some() {
                    let spread = Instruction {
                        broadcast: true,
                        ..instruction
                    };
                    add(spread, "BCST");
                }
            }
        }
    }
    cases
}

/// Some operations have other names there.
fn name_of_evex(name: &str) -> String {
    match name {
        "vpand" | "vpandn" | "vpor" | "vpxor" => format!("{name}d"),
        "vinserti128" => "vinserti32x4".into(),
        "vextracti128" => "vextracti32x4".into(),
        name => name.replace("vround", "vrndscale"),
    }
}

#[test]
fn a_disassembler_reads_what_the_encoder_writes() {
    let mut code = Code::default();
    let mut expected: Vec<(usize, Case)> = Vec::new();
    for op in ops::ALL.iter().copied().chain(FUSED.as_flattened().as_flattened()) {
        let far = (op.tuple != Tuple::No).then(|| cases(op, true));
        for case in cases(op, false).into_iter().chain(far.into_iter().flatten()) {
            let start = code.bytes.len();
            code.put(&case.instruction);
            expected.push((code.bytes.len() - start, case));
        }
    }
    let path = std::env::temp_dir().join(format!("brolga-encoder-{}.bin", std::process::id()));
    std::fs::write(&path, &code.bytes).expect("a temporary file");
    let output = Command::new("objdump")
        .args(["-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "-w"])
        .arg(&path)
        .output();
    let _ = std::fs::remove_file(&path);
    let Ok(output) = output else {
        eprintln!("objdump is not installed: nothing to compare with");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| line.matches('\t').count() >= 2).collect();
    for (line, (bytes, case)) in lines.iter().zip(&expected) {
        let fields: Vec<&str> = line.split('\t').collect();
        let read_bytes = fields[1].split_whitespace().count();
        let text = fields[2].trim_start_matches("{evex} ").trim_start_matches("{vex} ");
        let (read_mnemonic, rest) = text.split_once(' ').unwrap_or((text, ""));
        assert!(rest.contains(case.texts), "{line}: no {}", case.texts);
        assert_eq!(
            (read_bytes, plain_name(read_mnemonic), reading(&without_braces(rest))),
            (*bytes, case.mnemonic.clone(), case.operands.clone()),
            "{line}"
        );
    }
    assert_eq!(lines.len(), expected.len(), "objdump sees another number of instructions");
}

/// The disassembler has names of its own for comparisons with a predicate, moves of 64 bits, and a condition of 0.
fn plain_name(name: &str) -> String {
    match name {
        name if name.starts_with("vcmp") => format!("vcmp{}", &name[name.len() - 2..]),
        name if name.starts_with("vpcmplt") => name.replace("lt", ""),
        "vmovq" => "vmovd".into(),
        "cmovo" => "cmov".into(),
        name => name.trim_end_matches("abs").into(),
    }
}

/// A text without masks and the like.
fn without_braces(text: &str) -> String {
    let mut depth = 0;
    text.chars()
        .filter(|c| {
            depth += i32::from(*c == '{');
            let outside = depth == 0;
            depth -= i32::from(*c == '}');
            outside
        })
        .collect()
}

/// The machine code of a function for AVX2, as text.
fn code_of(text: &str) -> String {
    code_for(Target::AVX2, text)
}

pub fn code_for(target: Target, text: &str) -> String {
    let func = parse_function(text).expect("the test's text is IR");
    let program = Program {
        functions: vec![&func],
        positions: FxHashMap::default(),
    };
    let selected = select::select(target, &program, &|_| 0, 0).expect("all of it is known");
    let mut code = String::new();
    emit::emit(&selected.finish(), true, Some(&mut code)).expect("registers are enough");
    code
}

/// With a constant factor and a constant to be added, one is loaded and the other read from memory; a factor is copied only if that saves the load.
#[test]
fn products_with_constants_take_one_load() {
    let text = "function workgroup @k -> i32 {\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  \
                v6 = load.f32x8 global align 4 [v0]\n  v13 = fadd v6, v6\n  v7 = const.f32x8 0x40400000\n  v8 = const.f32x8 0x40a00000\n  \
                v9 = fma v13, v7, v8\n  v10 = fmul v9, v13\n  store v10, global align 4 [v1]\n  v12 = const.i32 0\n  return v12\n}";
    let needed = code_of(text);
    assert!(needed.contains("vfmadd231ps") && !needed.contains("vmovaps"), "{needed}");
    let last = code_of(&text.replace("fmul v9, v13", "fmul v9, v9"));
    assert!(last.contains("vfmadd213ps") && !last.contains("vmovaps"), "{last}");
}

/// The inverse of a root is made of an estimate where the block waits for the unit that divides, and not where those that multiply have more to do.
#[test]
fn inverses_of_roots_go_where_there_is_room() {
    let code = |products: usize| {
        let mut text = String::from(
            "function workgroup @k -> i32 {\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  \
             v6 = load.f32x8 global align 4 [v0]\n  v7 = const.f32x8 0x3f800000\n  v8 = sqrt v6\n  v9 = fdiv v7, v8 !afn\n",
        );
        for product in 0..products {
            text += &format!("  v{} = fmul v6, v{}\n", 10 + product, 9 + product);
        }
        code_of(&format!(
            "{text}  store v{}, global align 4 [v1]\n  v5000 = const.i32 0\n  return v5000\n}}",
            9 + products
        ))
    };
    let divides = code(1);
    assert!(divides.contains("vrcpps") && !divides.contains("vdivps"), "{divides}");
    let multiplies = code(20);
    assert!(!multiplies.contains("vrcpps") && multiplies.contains("vdivps"), "{multiplies}");
}

/// A value that another instruction has used before, but none needs any more, gives its register to the result.
#[test]
fn results_take_the_places_of_what_is_used_last() {
    let text = "function workgroup @k -> i32 {\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  \
                v6 = load.f32x8 global align 4 [v0]\n  v7 = const.f32x8 0x40400000\n  v8 = const.f32x8 0x40a00000\n  v13 = fadd v6, v6\n  \
                v9 = fmul v13, v13\n  v10 = fma v13, v7, v8\n  v11 = fadd v9, v10\n  store v11, global align 4 [v1]\n  v12 = const.i32 0\n  return v12\n}";
    let code = code_of(text);
    assert!(code.contains("vfmadd213ps") && !code.contains("vmovaps"), "{code}");
}

/// A select of 0 is the mask's bits, and one of another constant reads it from memory; with neither it takes two registers.
#[test]
fn selects_take_constants_from_memory() {
    let text = "function workgroup @k -> i32 {\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  \
                v6 = load.f32x8 global align 4 [v0]\n  v7 = const.f32x8 0x40400000\n  v8 = const.f32x8 0x0\n  v9 = fcmp.olt v6, v7\n  \
                v10 = select v9, v6, v8\n  store v10, global align 4 [v1]\n  v12 = const.i32 0\n  return v12\n}";
    let code = |select: &str| code_of(&text.replace("select v9, v6, v8", select));
    let count = |code: &str, op: &str| code.matches(op).count();
    let or_zero = code("select v9, v6, v8");
    assert!(count(&or_zero, "vandps") == 1 && !or_zero.contains("vblendvps"), "{or_zero}");
    let zero_or = code("select v9, v8, v6");
    assert!(count(&zero_or, "vandnps") == 1 && !zero_or.contains("vblendvps"), "{zero_or}");
    let constant_or = code("select v9, v7, v6");
    assert!(
        count(&constant_or, "vmovups") == 2 && constant_or.contains("vblendvps"),
        "{constant_or}"
    );
    let or_constant = code("select v9, v6, v7");
    assert!(
        count(&or_constant, "vmovups") == 3 && or_constant.contains("vblendvps"),
        "{or_constant}"
    );
}

/// Lanes that have an address each are changed there; not where lanes of another field may be the same, or each has an operand of its own.
#[test]
fn lanes_change_in_memory() {
    let text = "function workgroup @k -> i32 {\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  v6 = const.i32x8 1\n  \
                v7 = load.i32x8 global align 4 [v1]\n  v8 = load.i32x8 private align 4 [v0 + v7 * 4]\n  v9 = add v8, v6\n  \
                store v9, private align 4 [v0 + v7 * 4]\n  v10 = const.i32 0\n  return v10\n}";
    let is_in_place = |text: &str| !code_of(text).contains("vinsertps");
    assert!(is_in_place(text), "{}", code_of(text));
    assert!(!is_in_place(&text.replace("add v8, v6", "add v8, v7")));
    assert!(!is_in_place(
        &text.replace("  store", "  store v6, private align 4 [v0 + v7 * 4 + 64]\n  store")
    ));
}

/// A load, an operation and a store to one place are one instruction; not where another write is in between, the place is another, or others need
/// what was loaded.
#[test]
fn integers_change_in_memory() {
    let text = "function workgroup @k -> i32 {\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  v6 = const.i32 1\n  \
                v7 = load.i32 global align 4 [v0 + v1 * 64]\n  v8 = add v7, v6\n  store v8, global align 4 [v0 + v1 * 64]\n  v9 = const.i32 0\n  return v9\n}";
    let count = |code: &str, op: &str| code.matches(op).count();
    let is_one = |text: &str| count(&code_of(text), "mov ") == 0;
    assert!(is_one(text), "{}", code_of(text));
    assert_eq!(count(&code_of(text), "shift"), 1);
    for op in ["sub v7, v6", "and v6, v7", "or v7, v7", "xor v7, v6"] {
        assert_eq!(is_one(&text.replace("add v7, v6", op)), op != "or v7, v7", "{op}");
    }
    assert!(is_one(&text.replace("add v7, v6", "xor v6, v7")));
    assert!(!is_one(&text.replace("add v7, v6", "sub v6, v7")), "the other way round");
    assert!(!is_one(&text.replace("add v7, v6", "mul v7, v6")), "no such instruction");
    assert!(!is_one(&text.replace(
        "store v8, global align 4 [v0 + v1 * 64]",
        "store v8, global align 4 [v0 + v1 * 64 + 4]"
    )));
    assert!(
        !is_one(&text.replace("  store", "  store v6, global align 4 [v2]\n  store")),
        "it may be the same place"
    );
    // The other store is a move.
    let moves_with = |offset: &str| {
        let store = format!("  store v9, global align 4 [v0 + v1 * 64 {offset}]\n  store");
        let text = text
            .replace("  v9 = const.i32 0\n", "")
            .replace("  v6 =", "  v9 = const.i32 0\n  v6 =");
        count(&code_of(&text.replace("  store", &store)), "mov ")
    };
    assert!(
        moves_with("+ 4") < moves_with("+ 2"),
        "another field of the record, and a part of it"
    );
    assert!(
        !is_one(&text.replace("  v9 =", "  store v7, global align 4 [v2]\n  v9 =")),
        "it is needed"
    );
}

/// Stores of records go along memory, so that machines can take two of one line at once, and no record of a value's second register is made before.
#[test]
fn records_are_stored_in_their_order() {
    for lanes in [8, 16] {
        let fields: String = (0..4)
            .map(|field| format!("  v{} = load.f32x{lanes} global align 4 [v0 + {}]\n", 6 + field, 64 * field))
            .collect();
        let code = code_of(&format!(
            "function workgroup @k -> i32 {{\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n{fields}  \
             store_interleaved v6, v7, v8, v9, global align 4 [v1]\n  v12 = const.i32 0\n  return v12\n}}"
        ));
        let to = |line: &str| {
            let place = line.split_once("[rsi")?.1.split_once(']')?.0;
            Some(place.trim_start_matches('+').parse().unwrap_or(0))
        };
        let stored: Vec<u32> = code.lines().filter_map(to).collect();
        let in_order: Vec<u32> = (0..lanes).map(|record| 16 * record).collect();
        assert_eq!(stored, in_order, "{code}");
    }
}

/// Lanes of few bits that lie apart are sorted by bytes where a register of them comes from few others, and else inserted one by one.
#[test]
fn short_lanes_apart_are_sorted() {
    let code = |elem: &str, step: u32| {
        code_of(&format!(
            "function workgroup @k -> i32 {{\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  v6 = lane iota i32x16\n  \
             v7 = const.i32x16 {step}\n  v8 = mul v6, v7\n  v9 = load.{elem}x16 global align 1 [v0 + v8 * 1]\n  \
             store v9, global align 1 [v1]\n  v12 = const.i32 0\n  return v12\n}}"
        ))
    };
    for (elem, step, sorted) in [("i16", 6, 6), ("i16", 10, 0), ("i8", 5, 5), ("i8", 9, 0)] {
        let code = code(elem, step);
        assert_eq!(code.matches("vpshufb").count(), sorted, "{elem} {step}: {code}");
        assert_eq!(code.contains("vpinsr"), sorted == 0, "{elem} {step}: {code}");
    }
}

/// Those that stay in their half of a register are shuffled within all of it at once.
#[test]
fn short_lanes_within_halves_take_one_shuffle() {
    for (flip, shuffles) in [(4, 1), (8, 2)] {
        let code = code_of(&format!(
            "function workgroup @k -> i32 {{\nblock0(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i64):\n  v6 = lane iota i32x16\n  \
             v7 = const.i32x16 {flip}\n  v8 = xor v6, v7\n  v9 = load.i16x16 global align 2 [v0 + v8 * 2]\n  \
             store v9, global align 2 [v1]\n  v12 = const.i32 0\n  return v12\n}}"
        ));
        assert_eq!(code.matches("vpshufb").count(), shuffles, "{flip}: {code}");
    }
}
