//! The encoder, against a disassembler's reading.

use super::encode::{Code, Encoding, Imm, Instruction, Map, Mem, MemBase, Op, Rm, Size};
use super::ops;
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
}

fn form(op: &Op) -> Form {
    use Size::*;
    let vector: &[Size] = &[X, Y];
    let mut form = Form {
        sizes: if op.encoding == Encoding::Vex { vector } else { &[D, Q] },
        digits: &[],
        three: op.encoding == Encoding::Vex,
        imm: Imm::No,
        reg: true,
        mem: true,
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
        "prefetch" => (form.sizes, form.digits, form.reg) = (&[D], &[(1, "prefetcht0")], false),
        "lea" => form.reg = false,
        "movsxd" => form.sizes = &[Q],
        "set" => (form.sizes, form.digits, form.mem) = (&[B], &[(0, "seto")], false),
        "shlx" | "shrx" | "sarx" => (form.sizes, form.reg) = (&[D, Q], true),
        "bls" => (form.sizes, form.digits) = (&[D, Q], &[(1, "blsr")]),
        "vpshiftw" => form.digits = &[(2, "vpsrlw"), (4, "vpsraw"), (6, "vpsllw")],
        "vpshiftd" => form.digits = &[(2, "vpsrld"), (4, "vpsrad"), (6, "vpslld")],
        "vpshiftq" => form.digits = &[(2, "vpsrlq"), (3, "vpsrldq"), (6, "vpsllq")],
        _ => {}
    }
    if op.name.starts_with("vpshift") {
        (form.imm, form.mem) = (Imm::I8(5), false);
    }
    let scalar = op.name.ends_with("ss") || op.name.ends_with("sd") || prefixed(&["vpinsr", "vpextr", "vcvtsi2", "vcvtts"]);
    if scalar && !prefixed(&["vpabs"]) {
        form.sizes = &[X];
    }
    if prefixed(&["vcvtsi2", "vcvttss2si", "vcvttsd2si"]) || named(&["vmovd"]) {
        form.sizes = &[D, Q];
    }
    if named(&["vinsertps", "vpermilps"]) {
        form.sizes = &[X];
    }
    if named(&["vinserti128", "vextracti128", "vpermq", "vpermd", "vcvttpd2dq", "vcvtpd2ps"]) {
        form.sizes = &[Y];
    }
    let two = prefixed(&[
        "vmov",
        "vpmov",
        "vpbroadcast",
        "vpextr",
        "vextract",
        "vpabs",
        "vucomi",
        "vcvttp",
        "vcvtdq",
        "vcvtp",
        "vcvtts",
        "vpshufd",
    ]) || named(&["vpermq", "vsqrtps", "vsqrtpd", "vroundps", "vroundpd"]);
    if two && op.encoding == Encoding::Vex {
        form.three = false;
    }
    if matches!(op.map, Map::M3A) || named(&["vshufps", "vpshufd", "vpinsrw", "vcmpps", "vcmppd", "vcmpss", "vcmpsd"]) {
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
    form
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
    if name.starts_with("xmm") || name.starts_with("ymm") || (name.starts_with('r') && !digits.is_empty()) {
        return Some(format!("r{digits}"));
    }
    let position = BYTES
        .iter()
        .position(|byte| *byte == name)
        .or_else(|| NAMES.iter().position(|short| name.len() <= 3 && name.ends_with(short)))?;
    Some(format!("r{position}"))
}

#[test]
fn a_disassembler_reads_what_the_encoder_writes() {
    let mut code = Code::default();
    let mut expected: Vec<(usize, String, Vec<String>)> = Vec::new();
    for op in ops::ALL {
        let form = form(op);
        for &size in form.sizes {
            let digits: Vec<(u8, Option<&str>)> = match form.digits {
                [] => [0, 5, 9, 14].map(|reg| (reg, None)).to_vec(),
                digits => digits.iter().map(|&(digit, name)| (digit, Some(name))).collect(),
            };
            for (reg, name) in digits {
                let mems = [
                    (0, None, 0),
                    (4, None, 8),
                    (5, None, 0),
                    (12, Some(9), 0x1000),
                    (13, Some(1), 0x10),
                    (3, Some(14), 0),
                ];
                let mems = mems.map(|(base, index, disp)| {
                    Rm::Mem(Mem {
                        base: MemBase::Reg(base),
                        index: index.map(|index| (index, 2)),
                        disp,
                    })
                });
                let gather = op.name.starts_with("vpgather");
                let rms = [0u8, 4, 7, 8, 15].map(Rm::Reg);
                for rm in rms.iter().filter(|_| form.reg).chain(mems.iter().filter(|_| form.mem)) {
                    if gather && !matches!(rm, Rm::Mem(Mem { index: Some(_), .. })) {
                        continue;
                    }
                    let instruction = Instruction {
                        op,
                        plus: 0,
                        size,
                        reg,
                        vvvv: if form.three { 11 } else { 0 },
                        rm: *rm,
                        imm: form.imm,
                        lock: false,
                    };
                    let start = code.bytes.len();
                    code.put(&instruction);
                    let mut operands = Vec::new();
                    let rm = match rm {
                        Rm::Reg(reg) => format!("r{reg}"),
                        Rm::Mem(Mem {
                            base: MemBase::Reg(base),
                            index,
                            disp,
                        }) => {
                            let index = index.map_or(String::new(), |(index, scale)| format!("+r{index}*{}", 1 << scale));
                            let disp = if *disp == 0 && (*base != 5 && *base != 13) {
                                String::new()
                            } else {
                                format!("+{disp:#x}")
                            };
                            format!("r{base}{index}{disp}")
                        }
                        Rm::Mem(_) => String::new(),
                    };
                    let own = if name.is_none() { vec![format!("r{reg}")] } else { Vec::new() };
                    let third = if form.three { vec!["r11".to_owned()] } else { Vec::new() };
                    let last_is_reg = matches!(op.code, 0x01 | 0x09 | 0x11 | 0x21 | 0x29 | 0x31 | 0x85..=0x89)
                        && op.encoding == Encoding::Legacy
                        && op.map == Map::One;
                    let backwards = last_is_reg
                        || matches!(
                            op.name,
                            "xadd" | "cmpxchg" | "vpextrb" | "vpextrw" | "vpextrd" | "vpextrq" | "vextracti128" | "vcvtps2ph"
                        )
                        || (op.name == "vmovd" && op.code == 0x7e)
                        || (matches!(op.name, "vmovups" | "vmovss" | "vmovsd") && op.code == 0x11)
                        || op.name == "vmovntps"
                        || (op.name.starts_with("vmaskmov") && op.code >= 0x2e)
                        || (op.name == "vmovhps" && op.code == 0x17);
                    let amount_in_third = matches!(op.name, "shlx" | "shrx" | "sarx");
                    match (backwards, amount_in_third || gather) {
                        (true, _) => operands.extend([vec![rm], third, own].concat()),
                        (_, true) => operands.extend([own, vec![rm], third].concat()),
                        _ => operands.extend([own, third, vec![rm]].concat()),
                    }
                    if op.name.contains("blendv") {
                        operands.push("r3".into());
                    }
                    if op.name == "shift" && op.code == 0xd3 {
                        operands.push("r1".into());
                    }
                    let mnemonic = name.unwrap_or(op.name);
                    expected.push((code.bytes.len() - start, mnemonic.to_owned(), operands));
                }
            }
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
    assert_eq!(lines.len(), expected.len(), "objdump sees another number of instructions");
    for (line, (bytes, mnemonic, operands)) in lines.iter().zip(&expected) {
        let fields: Vec<&str> = line.split('\t').collect();
        let read_bytes = fields[1].split_whitespace().count();
        let (read_mnemonic, rest) = fields[2].split_once(' ').unwrap_or((fields[2], ""));
        // It has names of its own for comparisons with a predicate, moves of 64 bits, and a condition of 0.
        let cut = |name: &str| match name {
            name if name.starts_with("vcmp") => format!("vcmp{}", &name[name.len() - 2..]),
            "vmovq" => "vmovd".into(),
            "cmovo" => "cmov".into(),
            name => name.trim_end_matches("abs").into(),
        };
        assert_eq!(
            (read_bytes, cut(read_mnemonic), reading(rest)),
            (*bytes, mnemonic.clone(), operands.clone()),
            "{line}"
        );
    }
}
