//! The operations that the selector emits.

use super::encode::{Encoding, Map, Op, Prefix, Wide};

macro_rules! ops {
    ($($name:ident = $text:literal $encoding:ident $prefix:ident $map:ident $wide:ident $code:literal;)+) => {
        $(pub static $name: Op = Op {
            name: $text,
            encoding: Encoding::$encoding,
            prefix: Prefix::$prefix,
            map: Map::$map,
            wide: Wide::$wide,
            code: $code,
        };)+

        /// All of them.
        #[cfg(test)]
        pub static ALL: &[&Op] = &[$(&$name),+];
    };
}

ops! {
    // General registers. Names that end in RM have their result in ModRM.rm.
    ADD = "add" Legacy No One BySize 0x03;
    OR = "or" Legacy No One BySize 0x0b;
    AND = "and" Legacy No One BySize 0x23;
    SUB = "sub" Legacy No One BySize 0x2b;
    XOR = "xor" Legacy No One BySize 0x33;
    CMP = "cmp" Legacy No One BySize 0x3b;
    // With an immediate: add /0, or /1, and /4, sub /5, xor /6, cmp /7.
    ALU_I8 = "alu" Legacy No One BySize 0x83;
    ALU_I32 = "alu" Legacy No One BySize 0x81;
    ADD_RM = "add" Legacy No One BySize 0x01;
    OR_RM = "or" Legacy No One BySize 0x09;
    AND_RM = "and" Legacy No One BySize 0x21;
    SUB_RM = "sub" Legacy No One BySize 0x29;
    XOR_RM = "xor" Legacy No One BySize 0x31;
    TEST = "test" Legacy No One BySize 0x85;
    TEST_I32 = "test" Legacy No One BySize 0xf7;
    // not /2, neg /3, mul /4, imul /5, div /6, idiv /7.
    GROUP3 = "group3" Legacy No One BySize 0xf7;
    IMUL = "imul" Legacy No M0F BySize 0xaf;
    IMUL_I32 = "imul" Legacy No One BySize 0x69;
    // rol /0, ror /1, shl /4, shr /5, sar /7.
    SHIFT_I8 = "shift" Legacy No One BySize 0xc1;
    SHIFT_CL = "shift" Legacy No One BySize 0xd3;
    MOV = "mov" Legacy No One BySize 0x8b;
    MOV_RM = "mov" Legacy No One BySize 0x89;
    MOV_RM8 = "mov" Legacy No One Zero 0x88;
    MOV_I32 = "mov" Legacy No One BySize 0xc7;
    MOV_I8 = "mov" Legacy No One Zero 0xc6;
    MOVZX8 = "movzx" Legacy No M0F BySize 0xb6;
    MOVZX16 = "movzx" Legacy No M0F BySize 0xb7;
    MOVSX8 = "movsx" Legacy No M0F BySize 0xbe;
    MOVSX16 = "movsx" Legacy No M0F BySize 0xbf;
    MOVSXD = "movsxd" Legacy No One One 0x63;
    LEA = "lea" Legacy No One BySize 0x8d;
    // prefetcht0 /1.
    PREFETCH = "prefetch" Legacy No M0F BySize 0x18;
    LZCNT = "lzcnt" Legacy F3 M0F BySize 0xbd;
    TZCNT = "tzcnt" Legacy F3 M0F BySize 0xbc;
    POPCNT = "popcnt" Legacy F3 M0F BySize 0xb8;
    SETCC = "set" Legacy No M0F Zero 0x90;
    CMOV = "cmov" Legacy No M0F BySize 0x40;
    XCHG = "xchg" Legacy No One BySize 0x87;
    XCHG8 = "xchg" Legacy No One Zero 0x86;
    XADD = "xadd" Legacy No M0F BySize 0xc1;
    XADD8 = "xadd" Legacy No M0F Zero 0xc0;
    CMPXCHG = "cmpxchg" Legacy No M0F BySize 0xb1;
    CMPXCHG8 = "cmpxchg" Legacy No M0F Zero 0xb0;
    SHLX = "shlx" Vex P66 M38 BySize 0xf7;
    SHRX = "shrx" Vex F2 M38 BySize 0xf7;
    SARX = "sarx" Vex F3 M38 BySize 0xf7;
    // blsr /1
    BLS = "bls" Vex No M38 BySize 0xf3;

    // Moves.
    VMOVUPS = "vmovups" Vex No M0F Zero 0x10;
    VMOVUPS_RM = "vmovups" Vex No M0F Zero 0x11;
    VMOVNTPS_RM = "vmovntps" Vex No M0F Zero 0x2b;
    VMOVAPS = "vmovaps" Vex No M0F Zero 0x28;
    VMOVSS = "vmovss" Vex F3 M0F Zero 0x10;
    VMOVSS_RM = "vmovss" Vex F3 M0F Zero 0x11;
    VMOVSD = "vmovsd" Vex F2 M0F Zero 0x10;
    VMOVSD_RM = "vmovsd" Vex F2 M0F Zero 0x11;
    VMOVHPS = "vmovhps" Vex No M0F Zero 0x16;
    VMOVHPS_RM = "vmovhps" Vex No M0F Zero 0x17;
    VMOVD = "vmovd" Vex P66 M0F BySize 0x6e;
    VMOVD_RM = "vmovd" Vex P66 M0F BySize 0x7e;
    VPBROADCASTB = "vpbroadcastb" Vex P66 M38 Zero 0x78;
    VPBROADCASTW = "vpbroadcastw" Vex P66 M38 Zero 0x79;
    VPBROADCASTD = "vpbroadcastd" Vex P66 M38 Zero 0x58;
    VPBROADCASTQ = "vpbroadcastq" Vex P66 M38 Zero 0x59;

    // Parts of registers.
    VPINSRB = "vpinsrb" Vex P66 M3A Zero 0x20;
    VPINSRW = "vpinsrw" Vex P66 M0F Zero 0xc4;
    VPINSRD = "vpinsrd" Vex P66 M3A Zero 0x22;
    VPINSRQ = "vpinsrq" Vex P66 M3A One 0x22;
    VINSERTPS = "vinsertps" Vex P66 M3A Zero 0x21;
    VPEXTRB_RM = "vpextrb" Vex P66 M3A Zero 0x14;
    VPEXTRW_RM = "vpextrw" Vex P66 M3A Zero 0x15;
    VPEXTRD_RM = "vpextrd" Vex P66 M3A Zero 0x16;
    VPEXTRQ_RM = "vpextrq" Vex P66 M3A One 0x16;
    VINSERTI128 = "vinserti128" Vex P66 M3A Zero 0x38;
    VEXTRACTI128_RM = "vextracti128" Vex P66 M3A Zero 0x39;

    // Shuffles.
    VPERMQ = "vpermq" Vex P66 M3A One 0x00;
    VPERMD = "vpermd" Vex P66 M38 Zero 0x36;
    VPERMILPS = "vpermilps" Vex P66 M38 Zero 0x0c;
    VSHUFPS = "vshufps" Vex No M0F Zero 0xc6;
    VPSHUFD = "vpshufd" Vex P66 M0F Zero 0x70;
    VPSHUFB = "vpshufb" Vex P66 M38 Zero 0x00;
    VPUNPCKLBW = "vpunpcklbw" Vex P66 M0F Zero 0x60;
    VPUNPCKLWD = "vpunpcklwd" Vex P66 M0F Zero 0x61;
    VPUNPCKLDQ = "vpunpckldq" Vex P66 M0F Zero 0x62;
    VPUNPCKLQDQ = "vpunpcklqdq" Vex P66 M0F Zero 0x6c;
    VPUNPCKHBW = "vpunpckhbw" Vex P66 M0F Zero 0x68;
    VPUNPCKHWD = "vpunpckhwd" Vex P66 M0F Zero 0x69;
    VPUNPCKHDQ = "vpunpckhdq" Vex P66 M0F Zero 0x6a;
    VPUNPCKHQDQ = "vpunpckhqdq" Vex P66 M0F Zero 0x6d;
    VPACKSSWB = "vpacksswb" Vex P66 M0F Zero 0x63;
    VPACKUSWB = "vpackuswb" Vex P66 M0F Zero 0x67;
    VPACKSSDW = "vpackssdw" Vex P66 M0F Zero 0x6b;
    VPACKUSDW = "vpackusdw" Vex P66 M38 Zero 0x2b;
    VPALIGNR = "vpalignr" Vex P66 M3A Zero 0x0f;
    VPBLENDD = "vpblendd" Vex P66 M3A Zero 0x02;
    VPBLENDVB = "vpblendvb" Vex P66 M3A Zero 0x4c;
    VBLENDVPS = "vblendvps" Vex P66 M3A Zero 0x4a;
    VBLENDVPD = "vblendvpd" Vex P66 M3A Zero 0x4b;
    VPMOVSXBW = "vpmovsxbw" Vex P66 M38 Zero 0x20;
    VPMOVSXBD = "vpmovsxbd" Vex P66 M38 Zero 0x21;
    VPMOVSXBQ = "vpmovsxbq" Vex P66 M38 Zero 0x22;
    VPMOVSXWD = "vpmovsxwd" Vex P66 M38 Zero 0x23;
    VPMOVSXWQ = "vpmovsxwq" Vex P66 M38 Zero 0x24;
    VPMOVSXDQ = "vpmovsxdq" Vex P66 M38 Zero 0x25;
    VPMOVZXBW = "vpmovzxbw" Vex P66 M38 Zero 0x30;
    VPMOVZXBD = "vpmovzxbd" Vex P66 M38 Zero 0x31;
    VPMOVZXBQ = "vpmovzxbq" Vex P66 M38 Zero 0x32;
    VPMOVZXWD = "vpmovzxwd" Vex P66 M38 Zero 0x33;
    VPMOVZXWQ = "vpmovzxwq" Vex P66 M38 Zero 0x34;
    VPMOVZXDQ = "vpmovzxdq" Vex P66 M38 Zero 0x35;

    // Integers.
    VPADDB = "vpaddb" Vex P66 M0F Zero 0xfc;
    VPADDW = "vpaddw" Vex P66 M0F Zero 0xfd;
    VPADDD = "vpaddd" Vex P66 M0F Zero 0xfe;
    VPADDQ = "vpaddq" Vex P66 M0F Zero 0xd4;
    VPSUBB = "vpsubb" Vex P66 M0F Zero 0xf8;
    VPSUBW = "vpsubw" Vex P66 M0F Zero 0xf9;
    VPSUBD = "vpsubd" Vex P66 M0F Zero 0xfa;
    VPSUBQ = "vpsubq" Vex P66 M0F Zero 0xfb;
    VPMULLW = "vpmullw" Vex P66 M0F Zero 0xd5;
    VPMULLD = "vpmulld" Vex P66 M38 Zero 0x40;
    VPMULHW = "vpmulhw" Vex P66 M0F Zero 0xe5;
    VPMULHUW = "vpmulhuw" Vex P66 M0F Zero 0xe4;
    VPMULUDQ = "vpmuludq" Vex P66 M0F Zero 0xf4;
    VPMULDQ = "vpmuldq" Vex P66 M38 Zero 0x28;
    VPMINUB = "vpminub" Vex P66 M0F Zero 0xda;
    VPMINUW = "vpminuw" Vex P66 M38 Zero 0x3a;
    VPMINUD = "vpminud" Vex P66 M38 Zero 0x3b;
    VPMINSB = "vpminsb" Vex P66 M38 Zero 0x38;
    VPMINSW = "vpminsw" Vex P66 M0F Zero 0xea;
    VPMINSD = "vpminsd" Vex P66 M38 Zero 0x39;
    VPMAXUB = "vpmaxub" Vex P66 M0F Zero 0xde;
    VPMAXUW = "vpmaxuw" Vex P66 M38 Zero 0x3e;
    VPMAXUD = "vpmaxud" Vex P66 M38 Zero 0x3f;
    VPMAXSB = "vpmaxsb" Vex P66 M38 Zero 0x3c;
    VPMAXSW = "vpmaxsw" Vex P66 M0F Zero 0xee;
    VPMAXSD = "vpmaxsd" Vex P66 M38 Zero 0x3d;
    VPADDUSB = "vpaddusb" Vex P66 M0F Zero 0xdc;
    VPADDUSW = "vpaddusw" Vex P66 M0F Zero 0xdd;
    VPADDSB = "vpaddsb" Vex P66 M0F Zero 0xec;
    VPADDSW = "vpaddsw" Vex P66 M0F Zero 0xed;
    VPSUBUSB = "vpsubusb" Vex P66 M0F Zero 0xd8;
    VPSUBUSW = "vpsubusw" Vex P66 M0F Zero 0xd9;
    VPSUBSB = "vpsubsb" Vex P66 M0F Zero 0xe8;
    VPSUBSW = "vpsubsw" Vex P66 M0F Zero 0xe9;
    VPABSB = "vpabsb" Vex P66 M38 Zero 0x1c;
    VPABSW = "vpabsw" Vex P66 M38 Zero 0x1d;
    VPABSD = "vpabsd" Vex P66 M38 Zero 0x1e;
    VPAND = "vpand" Vex P66 M0F Zero 0xdb;
    VPANDN = "vpandn" Vex P66 M0F Zero 0xdf;
    VPOR = "vpor" Vex P66 M0F Zero 0xeb;
    VPXOR = "vpxor" Vex P66 M0F Zero 0xef;
    VANDPS = "vandps" Vex No M0F Zero 0x54;
    VANDNPS = "vandnps" Vex No M0F Zero 0x55;
    VORPS = "vorps" Vex No M0F Zero 0x56;
    VXORPS = "vxorps" Vex No M0F Zero 0x57;
    VPCMPEQB = "vpcmpeqb" Vex P66 M0F Zero 0x74;
    VPCMPEQW = "vpcmpeqw" Vex P66 M0F Zero 0x75;
    VPCMPEQD = "vpcmpeqd" Vex P66 M0F Zero 0x76;
    VPCMPEQQ = "vpcmpeqq" Vex P66 M38 Zero 0x29;
    VPCMPGTB = "vpcmpgtb" Vex P66 M0F Zero 0x64;
    VPCMPGTW = "vpcmpgtw" Vex P66 M0F Zero 0x65;
    VPCMPGTD = "vpcmpgtd" Vex P66 M0F Zero 0x66;
    VPCMPGTQ = "vpcmpgtq" Vex P66 M38 Zero 0x37;
    // By an amount in a register: the low 64 bits.
    VPSLLW = "vpsllw" Vex P66 M0F Zero 0xf1;
    VPSLLD = "vpslld" Vex P66 M0F Zero 0xf2;
    VPSLLQ = "vpsllq" Vex P66 M0F Zero 0xf3;
    VPSRLW = "vpsrlw" Vex P66 M0F Zero 0xd1;
    VPSRLD = "vpsrld" Vex P66 M0F Zero 0xd2;
    VPSRLQ = "vpsrlq" Vex P66 M0F Zero 0xd3;
    VPSRAW = "vpsraw" Vex P66 M0F Zero 0xe1;
    VPSRAD = "vpsrad" Vex P66 M0F Zero 0xe2;
    // By an immediate: srl /2, sra /4, sll /6; of whole registers by bytes right /3, left /7.
    VPSHIFTW_I8 = "vpshiftw" Vex P66 M0F Zero 0x71;
    VPSHIFTD_I8 = "vpshiftd" Vex P66 M0F Zero 0x72;
    VPSHIFTQ_I8 = "vpshiftq" Vex P66 M0F Zero 0x73;
    VPSLLVD = "vpsllvd" Vex P66 M38 Zero 0x47;
    VPSLLVQ = "vpsllvq" Vex P66 M38 One 0x47;
    VPSRLVD = "vpsrlvd" Vex P66 M38 Zero 0x45;
    VPSRLVQ = "vpsrlvq" Vex P66 M38 One 0x45;
    VPSRAVD = "vpsravd" Vex P66 M38 Zero 0x46;

    // Floats.
    VADDPS = "vaddps" Vex No M0F Zero 0x58;
    VADDPD = "vaddpd" Vex P66 M0F Zero 0x58;
    VADDSS = "vaddss" Vex F3 M0F Zero 0x58;
    VADDSD = "vaddsd" Vex F2 M0F Zero 0x58;
    VMULPS = "vmulps" Vex No M0F Zero 0x59;
    VMULPD = "vmulpd" Vex P66 M0F Zero 0x59;
    VMULSS = "vmulss" Vex F3 M0F Zero 0x59;
    VMULSD = "vmulsd" Vex F2 M0F Zero 0x59;
    VSUBPS = "vsubps" Vex No M0F Zero 0x5c;
    VSUBPD = "vsubpd" Vex P66 M0F Zero 0x5c;
    VSUBSS = "vsubss" Vex F3 M0F Zero 0x5c;
    VSUBSD = "vsubsd" Vex F2 M0F Zero 0x5c;
    VMINPS = "vminps" Vex No M0F Zero 0x5d;
    VMINPD = "vminpd" Vex P66 M0F Zero 0x5d;
    VMINSS = "vminss" Vex F3 M0F Zero 0x5d;
    VMINSD = "vminsd" Vex F2 M0F Zero 0x5d;
    VDIVPS = "vdivps" Vex No M0F Zero 0x5e;
    VDIVPD = "vdivpd" Vex P66 M0F Zero 0x5e;
    VDIVSS = "vdivss" Vex F3 M0F Zero 0x5e;
    VDIVSD = "vdivsd" Vex F2 M0F Zero 0x5e;
    VMAXPS = "vmaxps" Vex No M0F Zero 0x5f;
    VMAXPD = "vmaxpd" Vex P66 M0F Zero 0x5f;
    VMAXSS = "vmaxss" Vex F3 M0F Zero 0x5f;
    VMAXSD = "vmaxsd" Vex F2 M0F Zero 0x5f;
    VSQRTPS = "vsqrtps" Vex No M0F Zero 0x51;
    VSQRTPD = "vsqrtpd" Vex P66 M0F Zero 0x51;
    VSQRTSS = "vsqrtss" Vex F3 M0F Zero 0x51;
    VSQRTSD = "vsqrtsd" Vex F2 M0F Zero 0x51;
    VROUNDPS = "vroundps" Vex P66 M3A Zero 0x08;
    VROUNDPD = "vroundpd" Vex P66 M3A Zero 0x09;
    VROUNDSS = "vroundss" Vex P66 M3A Zero 0x0a;
    VROUNDSD = "vroundsd" Vex P66 M3A Zero 0x0b;
    VCMPPS = "vcmpps" Vex No M0F Zero 0xc2;
    VCMPPD = "vcmppd" Vex P66 M0F Zero 0xc2;
    VCMPSS = "vcmpss" Vex F3 M0F Zero 0xc2;
    VCMPSD = "vcmpsd" Vex F2 M0F Zero 0xc2;
    VUCOMISS = "vucomiss" Vex No M0F Zero 0x2e;
    VUCOMISD = "vucomisd" Vex P66 M0F Zero 0x2e;
    // reg = vvvv * rm + reg (231), reg = vvvv * reg + rm (213), reg = reg * rm + vvvv (132).
    VFMADD132PS = "vfmadd132ps" Vex P66 M38 Zero 0x98;
    VFMADD132PD = "vfmadd132pd" Vex P66 M38 One 0x98;
    VFMADD132SS = "vfmadd132ss" Vex P66 M38 Zero 0x99;
    VFMADD132SD = "vfmadd132sd" Vex P66 M38 One 0x99;
    VFMADD231PS = "vfmadd231ps" Vex P66 M38 Zero 0xb8;
    VFMADD231PD = "vfmadd231pd" Vex P66 M38 One 0xb8;
    VFMADD231SS = "vfmadd231ss" Vex P66 M38 Zero 0xb9;
    VFMADD231SD = "vfmadd231sd" Vex P66 M38 One 0xb9;
    VFMADD213PS = "vfmadd213ps" Vex P66 M38 Zero 0xa8;
    VFMADD213PD = "vfmadd213pd" Vex P66 M38 One 0xa8;
    VFMADD213SS = "vfmadd213ss" Vex P66 M38 Zero 0xa9;
    VFMADD213SD = "vfmadd213sd" Vex P66 M38 One 0xa9;

    // Conversions.
    VCVTDQ2PS = "vcvtdq2ps" Vex No M0F Zero 0x5b;
    VCVTTPS2DQ = "vcvttps2dq" Vex F3 M0F Zero 0x5b;
    VCVTPS2DQ = "vcvtps2dq" Vex P66 M0F Zero 0x5b;
    VCVTDQ2PD = "vcvtdq2pd" Vex F3 M0F Zero 0xe6;
    VCVTTPD2DQ = "vcvttpd2dq" Vex P66 M0F Zero 0xe6;
    VCVTPS2PD = "vcvtps2pd" Vex No M0F Zero 0x5a;
    VCVTPD2PS = "vcvtpd2ps" Vex P66 M0F Zero 0x5a;
    VCVTSS2SD = "vcvtss2sd" Vex F3 M0F Zero 0x5a;
    VCVTSD2SS = "vcvtsd2ss" Vex F2 M0F Zero 0x5a;
    VCVTSI2SS = "vcvtsi2ss" Vex F3 M0F BySize 0x2a;
    VCVTSI2SD = "vcvtsi2sd" Vex F2 M0F BySize 0x2a;
    VCVTTSS2SI = "vcvttss2si" Vex F3 M0F BySize 0x2c;
    VCVTTSD2SI = "vcvttsd2si" Vex F2 M0F BySize 0x2c;
    VCVTPH2PS = "vcvtph2ps" Vex P66 M38 Zero 0x13;
    VCVTPS2PH_RM = "vcvtps2ph" Vex P66 M3A Zero 0x1d;

    // Masked and scattered memory, votes.
    VMASKMOVPS = "vmaskmovps" Vex P66 M38 Zero 0x2c;
    VMASKMOVPD = "vmaskmovpd" Vex P66 M38 Zero 0x2d;
    VMASKMOVPS_RM = "vmaskmovps" Vex P66 M38 Zero 0x2e;
    VMASKMOVPD_RM = "vmaskmovpd" Vex P66 M38 Zero 0x2f;
    VPGATHERDD = "vpgatherdd" Vex P66 M38 Zero 0x90;
    VPGATHERDQ = "vpgatherdq" Vex P66 M38 One 0x90;
    VPGATHERQD = "vpgatherqd" Vex P66 M38 Zero 0x91;
    VPGATHERQQ = "vpgatherqq" Vex P66 M38 One 0x91;
    VPMOVMSKB = "vpmovmskb" Vex P66 M0F Zero 0xd7;
    VMOVMSKPS = "vmovmskps" Vex No M0F Zero 0x50;
    VMOVMSKPD = "vmovmskpd" Vex P66 M0F Zero 0x50;
}
