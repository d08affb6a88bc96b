//! The operations that the selector emits.

use super::encode::{Encoding, Map, Op, Prefix, Tuple, Wide};

macro_rules! ops {
    (@tuple) => { Tuple::No };
    (@tuple $tuple:ident) => { Tuple::$tuple };
    ($($name:ident = $text:literal $encoding:ident $prefix:ident $map:ident $wide:ident $code:literal $($tuple:ident)?;)+) => {
        $(pub static $name: Op = Op {
            name: $text,
            encoding: Encoding::$encoding,
            prefix: Prefix::$prefix,
            map: Map::$map,
            wide: Wide::$wide,
            code: $code,
            tuple: ops!(@tuple $($tuple)?),
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
    // prefetchw /1: to be written.
    PREFETCHW = "prefetchw" Legacy No M0F BySize 0x0d;
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
    // cmpxchg16b /1
    CMPXCHG16B = "cmpxchg16b" Legacy No M0F One 0xc7;
    SHLX = "shlx" Vex P66 M38 BySize 0xf7;
    SHRX = "shrx" Vex F2 M38 BySize 0xf7;
    SARX = "sarx" Vex F3 M38 BySize 0xf7;
    ANDN = "andn" Vex No M38 BySize 0xf2;
    PDEP = "pdep" Vex F2 M38 BySize 0xf5;
    // blsr /1
    BLS = "bls" Vex No M38 BySize 0xf3;

    // Moves.
    VMOVUPS = "vmovups" Vex No M0F Zero 0x10 FullMem;
    VMOVUPS_RM = "vmovups" Vex No M0F Zero 0x11 FullMem;
    VMOVNTPS_RM = "vmovntps" Vex No M0F Zero 0x2b FullMem;
    VMOVAPS = "vmovaps" Vex No M0F Zero 0x28 FullMem;
    VMOVSS = "vmovss" Vex F3 M0F Zero 0x10 Scalar4;
    VMOVSS_RM = "vmovss" Vex F3 M0F Zero 0x11 Scalar4;
    VMOVSD = "vmovsd" Vex F2 M0F Zero 0x10 Scalar8;
    VMOVSD_RM = "vmovsd" Vex F2 M0F Zero 0x11 Scalar8;
    VMOVHPS = "vmovhps" Vex No M0F Zero 0x16 Pair4;
    VMOVHPS_RM = "vmovhps" Vex No M0F Zero 0x17 Pair4;
    VMOVD = "vmovd" Vex P66 M0F BySize 0x6e BySize;
    VMOVD_RM = "vmovd" Vex P66 M0F BySize 0x7e BySize;
    VPBROADCASTB = "vpbroadcastb" Vex P66 M38 Zero 0x78 Scalar1;
    VPBROADCASTW = "vpbroadcastw" Vex P66 M38 Zero 0x79 Scalar2;
    VPBROADCASTD = "vpbroadcastd" Vex P66 M38 Zero 0x58 Scalar4;
    VPBROADCASTQ = "vpbroadcastq" Vex P66 M38 Zero 0x59 Scalar8;

    // Parts of registers.
    VPINSRB = "vpinsrb" Vex P66 M3A Zero 0x20 Scalar1;
    VPINSRW = "vpinsrw" Vex P66 M0F Zero 0xc4 Scalar2;
    VPINSRD = "vpinsrd" Vex P66 M3A Zero 0x22 Scalar4;
    VPINSRQ = "vpinsrq" Vex P66 M3A One 0x22 Scalar8;
    VINSERTPS = "vinsertps" Vex P66 M3A Zero 0x21 Scalar4;
    VPEXTRB_RM = "vpextrb" Vex P66 M3A Zero 0x14 Scalar1;
    VPEXTRW_RM = "vpextrw" Vex P66 M3A Zero 0x15 Scalar2;
    VPEXTRD_RM = "vpextrd" Vex P66 M3A Zero 0x16 Scalar4;
    VPEXTRQ_RM = "vpextrq" Vex P66 M3A One 0x16 Scalar8;
    VINSERTI128 = "vinserti128" Vex P66 M3A Zero 0x38 Quad4;
    VEXTRACTI128_RM = "vextracti128" Vex P66 M3A Zero 0x39 Quad4;

    // Shuffles.
    VPERMQ = "vpermq" Vex P66 M3A One 0x00 Full8;
    VPERMD = "vpermd" Vex P66 M38 Zero 0x36 Full4;
    VPERMILPS = "vpermilps" Vex P66 M38 Zero 0x0c Full4;
    VSHUFPS = "vshufps" Vex No M0F Zero 0xc6 Full4;
    VPSHUFD = "vpshufd" Vex P66 M0F Zero 0x70 Full4;
    VPSHUFB = "vpshufb" Vex P66 M38 Zero 0x00 FullMem;
    VPUNPCKLBW = "vpunpcklbw" Vex P66 M0F Zero 0x60 FullMem;
    VPUNPCKLWD = "vpunpcklwd" Vex P66 M0F Zero 0x61 FullMem;
    VPUNPCKLDQ = "vpunpckldq" Vex P66 M0F Zero 0x62 Full4;
    VPUNPCKLQDQ = "vpunpcklqdq" Vex P66 M0F Zero 0x6c Full8;
    VPUNPCKHBW = "vpunpckhbw" Vex P66 M0F Zero 0x68 FullMem;
    VPUNPCKHWD = "vpunpckhwd" Vex P66 M0F Zero 0x69 FullMem;
    VPUNPCKHDQ = "vpunpckhdq" Vex P66 M0F Zero 0x6a Full4;
    VPUNPCKHQDQ = "vpunpckhqdq" Vex P66 M0F Zero 0x6d Full8;
    VPACKSSWB = "vpacksswb" Vex P66 M0F Zero 0x63 FullMem;
    VPACKUSWB = "vpackuswb" Vex P66 M0F Zero 0x67 FullMem;
    VPACKSSDW = "vpackssdw" Vex P66 M0F Zero 0x6b Full4;
    VPACKUSDW = "vpackusdw" Vex P66 M38 Zero 0x2b Full4;
    VPALIGNR = "vpalignr" Vex P66 M3A Zero 0x0f FullMem;
    VPBLENDD = "vpblendd" Vex P66 M3A Zero 0x02;
    VPBLENDW = "vpblendw" Vex P66 M3A Zero 0x0e;
    VPBLENDVB = "vpblendvb" Vex P66 M3A Zero 0x4c;
    VBLENDVPS = "vblendvps" Vex P66 M3A Zero 0x4a;
    VBLENDVPD = "vblendvpd" Vex P66 M3A Zero 0x4b;
    VPMOVSXBW = "vpmovsxbw" Vex P66 M38 Zero 0x20 HalfMem;
    VPMOVSXBD = "vpmovsxbd" Vex P66 M38 Zero 0x21 QuarterMem;
    VPMOVSXBQ = "vpmovsxbq" Vex P66 M38 Zero 0x22 EighthMem;
    VPMOVSXWD = "vpmovsxwd" Vex P66 M38 Zero 0x23 HalfMem;
    VPMOVSXWQ = "vpmovsxwq" Vex P66 M38 Zero 0x24 QuarterMem;
    VPMOVSXDQ = "vpmovsxdq" Vex P66 M38 Zero 0x25 HalfMem;
    VPMOVZXBW = "vpmovzxbw" Vex P66 M38 Zero 0x30 HalfMem;
    VPMOVZXBD = "vpmovzxbd" Vex P66 M38 Zero 0x31 QuarterMem;
    VPMOVZXBQ = "vpmovzxbq" Vex P66 M38 Zero 0x32 EighthMem;
    VPMOVZXWD = "vpmovzxwd" Vex P66 M38 Zero 0x33 HalfMem;
    VPMOVZXWQ = "vpmovzxwq" Vex P66 M38 Zero 0x34 QuarterMem;
    VPMOVZXDQ = "vpmovzxdq" Vex P66 M38 Zero 0x35 HalfMem;

    // Integers.
    VPADDB = "vpaddb" Vex P66 M0F Zero 0xfc FullMem;
    VPADDW = "vpaddw" Vex P66 M0F Zero 0xfd FullMem;
    VPADDD = "vpaddd" Vex P66 M0F Zero 0xfe Full4;
    VPADDQ = "vpaddq" Vex P66 M0F Zero 0xd4 Full8;
    VPSUBB = "vpsubb" Vex P66 M0F Zero 0xf8 FullMem;
    VPSUBW = "vpsubw" Vex P66 M0F Zero 0xf9 FullMem;
    VPSUBD = "vpsubd" Vex P66 M0F Zero 0xfa Full4;
    VPSUBQ = "vpsubq" Vex P66 M0F Zero 0xfb Full8;
    VPMULLW = "vpmullw" Vex P66 M0F Zero 0xd5 FullMem;
    VPMULLD = "vpmulld" Vex P66 M38 Zero 0x40 Full4;
    VPMULHW = "vpmulhw" Vex P66 M0F Zero 0xe5 FullMem;
    VPMULHUW = "vpmulhuw" Vex P66 M0F Zero 0xe4 FullMem;
    VPMADDWD = "vpmaddwd" Vex P66 M0F Zero 0xf5 FullMem;
    VPMADDUBSW = "vpmaddubsw" Vex P66 M38 Zero 0x04 FullMem;
    VPSADBW = "vpsadbw" Vex P66 M0F Zero 0xf6 FullMem;
    VPMULUDQ = "vpmuludq" Vex P66 M0F Zero 0xf4 Full8;
    VPMULDQ = "vpmuldq" Vex P66 M38 Zero 0x28 Full8;
    VPMINUB = "vpminub" Vex P66 M0F Zero 0xda FullMem;
    VPMINUW = "vpminuw" Vex P66 M38 Zero 0x3a FullMem;
    VPMINUD = "vpminud" Vex P66 M38 Zero 0x3b Full4;
    VPMINSB = "vpminsb" Vex P66 M38 Zero 0x38 FullMem;
    VPMINSW = "vpminsw" Vex P66 M0F Zero 0xea FullMem;
    VPMINSD = "vpminsd" Vex P66 M38 Zero 0x39 Full4;
    VPMAXUB = "vpmaxub" Vex P66 M0F Zero 0xde FullMem;
    VPMAXUW = "vpmaxuw" Vex P66 M38 Zero 0x3e FullMem;
    VPMAXUD = "vpmaxud" Vex P66 M38 Zero 0x3f Full4;
    VPMAXSB = "vpmaxsb" Vex P66 M38 Zero 0x3c FullMem;
    VPMAXSW = "vpmaxsw" Vex P66 M0F Zero 0xee FullMem;
    VPMAXSD = "vpmaxsd" Vex P66 M38 Zero 0x3d Full4;
    VPADDUSB = "vpaddusb" Vex P66 M0F Zero 0xdc FullMem;
    VPADDUSW = "vpaddusw" Vex P66 M0F Zero 0xdd FullMem;
    VPADDSB = "vpaddsb" Vex P66 M0F Zero 0xec FullMem;
    VPADDSW = "vpaddsw" Vex P66 M0F Zero 0xed FullMem;
    VPSUBUSB = "vpsubusb" Vex P66 M0F Zero 0xd8 FullMem;
    VPSUBUSW = "vpsubusw" Vex P66 M0F Zero 0xd9 FullMem;
    VPSUBSB = "vpsubsb" Vex P66 M0F Zero 0xe8 FullMem;
    VPSUBSW = "vpsubsw" Vex P66 M0F Zero 0xe9 FullMem;
    VPABSB = "vpabsb" Vex P66 M38 Zero 0x1c FullMem;
    VPABSW = "vpabsw" Vex P66 M38 Zero 0x1d FullMem;
    VPABSD = "vpabsd" Vex P66 M38 Zero 0x1e Full4;
    VPAND = "vpand" Vex P66 M0F Zero 0xdb Full4;
    VPANDN = "vpandn" Vex P66 M0F Zero 0xdf Full4;
    VPOR = "vpor" Vex P66 M0F Zero 0xeb Full4;
    VPXOR = "vpxor" Vex P66 M0F Zero 0xef Full4;
    VANDPS = "vandps" Vex No M0F Zero 0x54 Full4;
    VANDNPS = "vandnps" Vex No M0F Zero 0x55 Full4;
    VORPS = "vorps" Vex No M0F Zero 0x56 Full4;
    VXORPS = "vxorps" Vex No M0F Zero 0x57 Full4;
    VPCMPEQB = "vpcmpeqb" Vex P66 M0F Zero 0x74;
    VPCMPEQW = "vpcmpeqw" Vex P66 M0F Zero 0x75;
    VPCMPEQD = "vpcmpeqd" Vex P66 M0F Zero 0x76;
    VPCMPEQQ = "vpcmpeqq" Vex P66 M38 Zero 0x29;
    VPCMPGTB = "vpcmpgtb" Vex P66 M0F Zero 0x64;
    VPCMPGTW = "vpcmpgtw" Vex P66 M0F Zero 0x65;
    VPCMPGTD = "vpcmpgtd" Vex P66 M0F Zero 0x66;
    VPCMPGTQ = "vpcmpgtq" Vex P66 M38 Zero 0x37;
    // By an amount in a register: the low 64 bits.
    VPSLLW = "vpsllw" Vex P66 M0F Zero 0xf1 Quad4;
    VPSLLD = "vpslld" Vex P66 M0F Zero 0xf2 Quad4;
    VPSLLQ = "vpsllq" Vex P66 M0F Zero 0xf3 Quad8;
    VPSRLW = "vpsrlw" Vex P66 M0F Zero 0xd1 Quad4;
    VPSRLD = "vpsrld" Vex P66 M0F Zero 0xd2 Quad4;
    VPSRLQ = "vpsrlq" Vex P66 M0F Zero 0xd3 Quad8;
    VPSRAW = "vpsraw" Vex P66 M0F Zero 0xe1 Quad4;
    VPSRAD = "vpsrad" Vex P66 M0F Zero 0xe2 Quad4;
    // By an immediate: srl /2, sra /4, sll /6; of whole registers by bytes right /3, left /7.
    VPSHIFTW_I8 = "vpshiftw" Vex P66 M0F Zero 0x71 FullMem;
    VPSHIFTD_I8 = "vpshiftd" Vex P66 M0F Zero 0x72 Full4;
    VPSHIFTQ_I8 = "vpshiftq" Vex P66 M0F Zero 0x73 Full8;
    VPSLLVD = "vpsllvd" Vex P66 M38 Zero 0x47 Full4;
    VPSLLVQ = "vpsllvq" Vex P66 M38 One 0x47 Full8;
    VPSRLVD = "vpsrlvd" Vex P66 M38 Zero 0x45 Full4;
    VPSRLVQ = "vpsrlvq" Vex P66 M38 One 0x45 Full8;
    VPSRAVD = "vpsravd" Vex P66 M38 Zero 0x46 Full4;

    // Floats.
    VADDPS = "vaddps" Vex No M0F Zero 0x58 Full4;
    VADDPD = "vaddpd" Vex P66 M0F Zero 0x58 Full8;
    VADDSS = "vaddss" Vex F3 M0F Zero 0x58 Scalar4;
    VADDSD = "vaddsd" Vex F2 M0F Zero 0x58 Scalar8;
    VMULPS = "vmulps" Vex No M0F Zero 0x59 Full4;
    VMULPD = "vmulpd" Vex P66 M0F Zero 0x59 Full8;
    VMULSS = "vmulss" Vex F3 M0F Zero 0x59 Scalar4;
    VMULSD = "vmulsd" Vex F2 M0F Zero 0x59 Scalar8;
    VSUBPS = "vsubps" Vex No M0F Zero 0x5c Full4;
    VSUBPD = "vsubpd" Vex P66 M0F Zero 0x5c Full8;
    VSUBSS = "vsubss" Vex F3 M0F Zero 0x5c Scalar4;
    VSUBSD = "vsubsd" Vex F2 M0F Zero 0x5c Scalar8;
    VMINPS = "vminps" Vex No M0F Zero 0x5d Full4;
    VMINPD = "vminpd" Vex P66 M0F Zero 0x5d Full8;
    VMINSS = "vminss" Vex F3 M0F Zero 0x5d Scalar4;
    VMINSD = "vminsd" Vex F2 M0F Zero 0x5d Scalar8;
    VDIVPS = "vdivps" Vex No M0F Zero 0x5e Full4;
    VDIVPD = "vdivpd" Vex P66 M0F Zero 0x5e Full8;
    VDIVSS = "vdivss" Vex F3 M0F Zero 0x5e Scalar4;
    VDIVSD = "vdivsd" Vex F2 M0F Zero 0x5e Scalar8;
    VMAXPS = "vmaxps" Vex No M0F Zero 0x5f Full4;
    VMAXPD = "vmaxpd" Vex P66 M0F Zero 0x5f Full8;
    VMAXSS = "vmaxss" Vex F3 M0F Zero 0x5f Scalar4;
    VMAXSD = "vmaxsd" Vex F2 M0F Zero 0x5f Scalar8;
    VSQRTPS = "vsqrtps" Vex No M0F Zero 0x51 Full4;
    VSQRTPD = "vsqrtpd" Vex P66 M0F Zero 0x51 Full8;
    VSQRTSS = "vsqrtss" Vex F3 M0F Zero 0x51 Scalar4;
    VSQRTSD = "vsqrtsd" Vex F2 M0F Zero 0x51 Scalar8;
    VRSQRTPS = "vrsqrtps" Vex No M0F Zero 0x52;
    VRCPPS = "vrcpps" Vex No M0F Zero 0x53;
    VROUNDPS = "vroundps" Vex P66 M3A Zero 0x08 Full4;
    VROUNDPD = "vroundpd" Vex P66 M3A Zero 0x09 Full8;
    VROUNDSS = "vroundss" Vex P66 M3A Zero 0x0a Scalar4;
    VROUNDSD = "vroundsd" Vex P66 M3A Zero 0x0b Scalar8;
    VCMPPS = "vcmpps" Vex No M0F Zero 0xc2;
    VCMPPD = "vcmppd" Vex P66 M0F Zero 0xc2;
    VCMPSS = "vcmpss" Vex F3 M0F Zero 0xc2;
    VCMPSD = "vcmpsd" Vex F2 M0F Zero 0xc2;
    VUCOMISS = "vucomiss" Vex No M0F Zero 0x2e Scalar4;
    VUCOMISD = "vucomisd" Vex P66 M0F Zero 0x2e Scalar8;
    // reg = vvvv * rm + reg (231), reg = vvvv * reg + rm (213), reg = reg * rm + vvvv (132).

    // Conversions.
    VCVTDQ2PS = "vcvtdq2ps" Vex No M0F Zero 0x5b Full4;
    VCVTTPS2DQ = "vcvttps2dq" Vex F3 M0F Zero 0x5b Full4;
    VCVTPS2DQ = "vcvtps2dq" Vex P66 M0F Zero 0x5b Full4;
    VCVTDQ2PD = "vcvtdq2pd" Vex F3 M0F Zero 0xe6 Half4;
    VCVTTPD2DQ = "vcvttpd2dq" Vex P66 M0F Zero 0xe6 Full8;
    VCVTPS2PD = "vcvtps2pd" Vex No M0F Zero 0x5a Half4;
    VCVTPD2PS = "vcvtpd2ps" Vex P66 M0F Zero 0x5a Full8;
    VCVTSS2SD = "vcvtss2sd" Vex F3 M0F Zero 0x5a Scalar4;
    VCVTSD2SS = "vcvtsd2ss" Vex F2 M0F Zero 0x5a Scalar8;
    VCVTSI2SS = "vcvtsi2ss" Vex F3 M0F BySize 0x2a BySize;
    VCVTSI2SD = "vcvtsi2sd" Vex F2 M0F BySize 0x2a BySize;
    VCVTTSS2SI = "vcvttss2si" Vex F3 M0F BySize 0x2c Scalar4;
    VCVTTSD2SI = "vcvttsd2si" Vex F2 M0F BySize 0x2c Scalar8;
    VCVTPH2PS = "vcvtph2ps" Vex P66 M38 Zero 0x13 HalfMem;
    VCVTPS2PH_RM = "vcvtps2ph" Vex P66 M3A Zero 0x1d HalfMem;

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

    // Masks (opmask registers). W of those on 64 bits is 1; L is 1 (size Y) where there are three operands.
    KMOVQ = "kmovq" Vex No M0F One 0x90;
    KMOVQ_RM = "kmovq" Vex No M0F One 0x91;
    KMOV_FROM_32 = "kmovd" Vex F2 M0F Zero 0x92;
    KMOV_FROM_64 = "kmovq" Vex F2 M0F One 0x92;
    KMOVB_TO_32 = "kmovb" Vex P66 M0F Zero 0x93;
    KMOVW_TO_32 = "kmovw" Vex No M0F Zero 0x93;
    KMOVD_TO_32 = "kmovd" Vex F2 M0F Zero 0x93;
    KANDQ = "kandq" Vex No M0F One 0x41;
    KANDNQ = "kandnq" Vex No M0F One 0x42;
    KNOTQ = "knotq" Vex No M0F One 0x44;
    KORQ = "korq" Vex No M0F One 0x45;
    KXNORQ = "kxnorq" Vex No M0F One 0x46;
    KXORQ = "kxorq" Vex No M0F One 0x47;
    KUNPCKBW = "kunpckbw" Vex P66 M0F Zero 0x4b;
    KUNPCKWD = "kunpckwd" Vex No M0F Zero 0x4b;
    KORTESTB = "kortestb" Vex P66 M0F Zero 0x98;
    KORTESTW = "kortestw" Vex No M0F Zero 0x98;
    KORTESTD = "kortestd" Vex P66 M0F One 0x98;
    KSHIFTRQ = "kshiftrq" Vex P66 M3A One 0x31;
    KSHIFTLQ = "kshiftlq" Vex P66 M3A One 0x33;

    // Comparisons whose result is a mask.
    VCMPPS_K = "vcmpps" Evex No M0F Zero 0xc2 Full4;
    VCMPPD_K = "vcmppd" Evex P66 M0F One 0xc2 Full8;
    VCMPSS_K = "vcmpss" Evex F3 M0F Zero 0xc2 Scalar4;
    VCMPSD_K = "vcmpsd" Evex F2 M0F One 0xc2 Scalar8;
    VPCMPB = "vpcmpb" Evex P66 M3A Zero 0x3f FullMem;
    VPCMPW = "vpcmpw" Evex P66 M3A One 0x3f FullMem8;
    VPCMPD = "vpcmpd" Evex P66 M3A Zero 0x1f Full4;
    VPCMPQ = "vpcmpq" Evex P66 M3A One 0x1f Full8;
    VPCMPUB = "vpcmpub" Evex P66 M3A Zero 0x3e FullMem;
    VPCMPUW = "vpcmpuw" Evex P66 M3A One 0x3e FullMem8;
    VPCMPUD = "vpcmpud" Evex P66 M3A Zero 0x1e Full4;
    VPCMPUQ = "vpcmpuq" Evex P66 M3A One 0x1e Full8;
    VPTESTMB = "vptestmb" Evex P66 M38 Zero 0x26 FullMem;
    VPTESTMW = "vptestmw" Evex P66 M38 One 0x26 FullMem8;
    VPTESTMD = "vptestmd" Evex P66 M38 Zero 0x27 Full4;
    VPTESTMQ = "vptestmq" Evex P66 M38 One 0x27 Full8;
    VPTESTNMB = "vptestnmb" Evex F3 M38 Zero 0x26 FullMem;
    VPTESTNMW = "vptestnmw" Evex F3 M38 One 0x26 FullMem8;
    VPTESTNMD = "vptestnmd" Evex F3 M38 Zero 0x27 Full4;
    VPTESTNMQ = "vptestnmq" Evex F3 M38 One 0x27 Full8;
    VPMOVM2B = "vpmovm2b" Evex F3 M38 Zero 0x28 FullMem;
    VPMOVM2W = "vpmovm2w" Evex F3 M38 One 0x28 FullMem8;
    VPMOVM2D = "vpmovm2d" Evex F3 M38 Zero 0x38 FullMem;
    VPMOVM2Q = "vpmovm2q" Evex F3 M38 One 0x38 FullMem8;
    VPMOVB2M = "vpmovb2m" Evex F3 M38 Zero 0x29 FullMem;
    VPMOVW2M = "vpmovw2m" Evex F3 M38 One 0x29 FullMem8;
    VPMOVD2M = "vpmovd2m" Evex F3 M38 Zero 0x39 FullMem;
    VPMOVQ2M = "vpmovq2m" Evex F3 M38 One 0x39 FullMem8;

    // What only EVEX has.
    VPBLENDMB = "vpblendmb" Evex P66 M38 Zero 0x66 FullMem;
    VPBLENDMW = "vpblendmw" Evex P66 M38 One 0x66 FullMem8;
    VPBLENDMD = "vpblendmd" Evex P66 M38 Zero 0x64 Full4;
    VPBLENDMQ = "vpblendmq" Evex P66 M38 One 0x64 Full8;
    VPANDQ = "vpandq" Evex P66 M0F One 0xdb Full8;
    VPORQ = "vporq" Evex P66 M0F One 0xeb Full8;
    VPXORQ = "vpxorq" Evex P66 M0F One 0xef Full8;
    VPTERNLOGD = "vpternlogd" Evex P66 M3A Zero 0x25 Full4;
    VPTERNLOGQ = "vpternlogq" Evex P66 M3A One 0x25 Full8;
    VMOVUPD = "vmovupd" Evex P66 M0F One 0x10 FullMem8;
    VMOVUPD_RM = "vmovupd" Evex P66 M0F One 0x11 FullMem8;
    VMOVDQU8 = "vmovdqu8" Evex F2 M0F Zero 0x6f FullMem;
    VMOVDQU8_RM = "vmovdqu8" Evex F2 M0F Zero 0x7f FullMem;
    VMOVDQU16 = "vmovdqu16" Evex F2 M0F One 0x6f FullMem8;
    VMOVDQU16_RM = "vmovdqu16" Evex F2 M0F One 0x7f FullMem8;
    VPBROADCASTB_INT = "vpbroadcastb" Evex P66 M38 Zero 0x7a FullMem;
    VPBROADCASTW_INT = "vpbroadcastw" Evex P66 M38 Zero 0x7b FullMem;
    VPBROADCASTD_INT = "vpbroadcastd" Evex P66 M38 Zero 0x7c FullMem;
    VPBROADCASTQ_INT = "vpbroadcastq" Evex P66 M38 One 0x7c FullMem8;
    VINSERTI64X4 = "vinserti64x4" Evex P66 M3A One 0x3a Octo4;
    VEXTRACTI64X4_RM = "vextracti64x4" Evex P66 M3A One 0x3b Octo4;
    VPERMW = "vpermw" Evex P66 M38 One 0x8d FullMem8;
    VPERMQ_BY_LANE = "vpermq" Evex P66 M38 One 0x36 Full8;
    VPERMI2W = "vpermi2w" Evex P66 M38 One 0x75 FullMem8;
    VPERMI2D = "vpermi2d" Evex P66 M38 Zero 0x76 Full4;
    VPERMI2Q = "vpermi2q" Evex P66 M38 One 0x76 Full8;
    VPERMT2W = "vpermt2w" Evex P66 M38 One 0x7d FullMem8;
    VPERMT2D = "vpermt2d" Evex P66 M38 Zero 0x7e Full4;
    VPMOVWB_RM = "vpmovwb" Evex F3 M38 Zero 0x30 HalfMem;
    VPMOVSWB_RM = "vpmovswb" Evex F3 M38 Zero 0x20 HalfMem;
    VPMOVSDW_RM = "vpmovsdw" Evex F3 M38 Zero 0x23 HalfMem;
    VPMOVSDB_RM = "vpmovsdb" Evex F3 M38 Zero 0x21 QuarterMem;
    VPMOVUSWB_RM = "vpmovuswb" Evex F3 M38 Zero 0x10 HalfMem;
    VPMOVUSDW_RM = "vpmovusdw" Evex F3 M38 Zero 0x13 HalfMem;
    VPMOVUSDB_RM = "vpmovusdb" Evex F3 M38 Zero 0x11 QuarterMem;
    VPMOVDW_RM = "vpmovdw" Evex F3 M38 Zero 0x33 HalfMem;
    VPMOVQD_RM = "vpmovqd" Evex F3 M38 Zero 0x35 HalfMem;
    VPMOVDB_RM = "vpmovdb" Evex F3 M38 Zero 0x31 QuarterMem;
    VPMOVQW_RM = "vpmovqw" Evex F3 M38 Zero 0x34 QuarterMem;
    VPMOVQB_RM = "vpmovqb" Evex F3 M38 Zero 0x32 EighthMem;
    VPCOMPRESSD_RM = "vpcompressd" Evex P66 M38 Zero 0x8b Scalar4;
    VPCOMPRESSQ_RM = "vpcompressq" Evex P66 M38 One 0x8b Scalar8;
    VPEXPANDD = "vpexpandd" Evex P66 M38 Zero 0x89 Scalar4;
    VPEXPANDQ = "vpexpandq" Evex P66 M38 One 0x89 Scalar8;
    VPMULLQ = "vpmullq" Evex P66 M38 One 0x40 Full8;
    VPMINSQ = "vpminsq" Evex P66 M38 One 0x39 Full8;
    VPMINUQ = "vpminuq" Evex P66 M38 One 0x3b Full8;
    VPMAXSQ = "vpmaxsq" Evex P66 M38 One 0x3d Full8;
    VPMAXUQ = "vpmaxuq" Evex P66 M38 One 0x3f Full8;
    VPABSQ = "vpabsq" Evex P66 M38 One 0x1f Full8;
    VPSRAQ = "vpsraq" Evex P66 M0F One 0xe2 Quad8;
    // sra /4; for lanes of 32 bits and 64 bits ror /0, rol /1.
    VPSRAQ_I8 = "vpsraq" Evex P66 M0F One 0x72 Full8;
    VPROTD_I8 = "vprotd" Evex P66 M0F Zero 0x72 Full4;
    VPROTQ_I8 = "vprotq" Evex P66 M0F One 0x72 Full8;
    VPSLLVW = "vpsllvw" Evex P66 M38 One 0x12 FullMem8;
    VPSRLVW = "vpsrlvw" Evex P66 M38 One 0x10 FullMem8;
    VPSRAVW = "vpsravw" Evex P66 M38 One 0x11 FullMem8;
    VPSRAVQ = "vpsravq" Evex P66 M38 One 0x46 Full8;
    VPROLVD = "vprolvd" Evex P66 M38 Zero 0x15 Full4;
    VPROLVQ = "vprolvq" Evex P66 M38 One 0x15 Full8;
    VPRORVD = "vprorvd" Evex P66 M38 Zero 0x14 Full4;
    VPRORVQ = "vprorvq" Evex P66 M38 One 0x14 Full8;
    VPLZCNTD = "vplzcntd" Evex P66 M38 Zero 0x44 Full4;
    VPLZCNTQ = "vplzcntq" Evex P66 M38 One 0x44 Full8;
    VCVTQQ2PD = "vcvtqq2pd" Evex F3 M0F One 0xe6 Full8;
    VCVTUQQ2PD = "vcvtuqq2pd" Evex F3 M0F One 0x7a Full8;
    VCVTQQ2PS = "vcvtqq2ps" Evex No M0F One 0x5b Full8;
    VCVTUQQ2PS = "vcvtuqq2ps" Evex F2 M0F One 0x7a Full8;
    VCVTUDQ2PS = "vcvtudq2ps" Evex F2 M0F Zero 0x7a Full4;
    VCVTUDQ2PD = "vcvtudq2pd" Evex F3 M0F Zero 0x7a Half4;
    VCVTTPS2UDQ = "vcvttps2udq" Evex No M0F Zero 0x78 Full4;
    VCVTTPD2UDQ = "vcvttpd2udq" Evex No M0F One 0x78 Full8;
    VCVTTPD2QQ = "vcvttpd2qq" Evex P66 M0F One 0x7a Full8;
    VCVTTPD2UQQ = "vcvttpd2uqq" Evex P66 M0F One 0x78 Full8;
    VCVTTPS2QQ = "vcvttps2qq" Evex P66 M0F Zero 0x7a Half4;
    VCVTTPS2UQQ = "vcvttps2uqq" Evex P66 M0F Zero 0x78 Half4;
    VGATHERDD = "vpgatherdd" Evex P66 M38 Zero 0x90 Scalar4;
    VGATHERDQ = "vpgatherdq" Evex P66 M38 One 0x90 Scalar8;
    VGATHERQD = "vpgatherqd" Evex P66 M38 Zero 0x91 Scalar4;
    VGATHERQQ = "vpgatherqq" Evex P66 M38 One 0x91 Scalar8;
    VSCATTERDD = "vpscatterdd" Evex P66 M38 Zero 0xa0 Scalar4;
    VSCATTERDQ = "vpscatterdq" Evex P66 M38 One 0xa0 Scalar8;
    VSCATTERQD = "vpscatterqd" Evex P66 M38 Zero 0xa1 Scalar4;
    VSCATTERQQ = "vpscatterqq" Evex P66 M38 One 0xa1 Scalar8;

    // What is beside AVX2 or AVX-512: see the target's features.
    VGF2P8AFFINEQB = "vgf2p8affineqb" Vex P66 M3A One 0xce Full8;
    VPOPCNTB = "vpopcntb" Evex P66 M38 Zero 0x54 FullMem;
    VPOPCNTW = "vpopcntw" Evex P66 M38 One 0x54 FullMem8;
    VPOPCNTD = "vpopcntd" Evex P66 M38 Zero 0x55 Full4;
    VPOPCNTQ = "vpopcntq" Evex P66 M38 One 0x55 Full8;
    VPDPBUSD = "vpdpbusd" Evex P66 M38 Zero 0x50 Full4;
    VPDPBUSD_VEX = "vpdpbusd" Vex P66 M38 Zero 0x50;
    VPSHLDW = "vpshldw" Evex P66 M3A One 0x70 FullMem8;
    VPSHLDVW = "vpshldvw" Evex P66 M38 One 0x70 FullMem8;
    VPSHRDVW = "vpshrdvw" Evex P66 M38 One 0x72 FullMem8;
    VADDPH = "vaddph" Evex No Fifth Zero 0x58 Full2;
    VMULPH = "vmulph" Evex No Fifth Zero 0x59 Full2;
    VSUBPH = "vsubph" Evex No Fifth Zero 0x5c Full2;
    VMINPH = "vminph" Evex No Fifth Zero 0x5d Full2;
    VDIVPH = "vdivph" Evex No Fifth Zero 0x5e Full2;
    VMAXPH = "vmaxph" Evex No Fifth Zero 0x5f Full2;
    VSQRTPH = "vsqrtph" Evex No Fifth Zero 0x51 Full2;
    VSCALEFPS = "vscalefps" Evex P66 M38 Zero 0x2c Full4;
    VSCALEFPD = "vscalefpd" Evex P66 M38 One 0x2c Full8;
    VSCALEFSS = "vscalefss" Evex P66 M38 Zero 0x2d Scalar4;
    VSCALEFSD = "vscalefsd" Evex P66 M38 One 0x2d Scalar8;
    VRSQRT14PS = "vrsqrt14ps" Evex P66 M38 Zero 0x4e Full4;
    VRSQRT14PD = "vrsqrt14pd" Evex P66 M38 One 0x4e Full8;
    VRCP14PS = "vrcp14ps" Evex P66 M38 Zero 0x4c Full4;
    VRCP14PD = "vrcp14pd" Evex P66 M38 One 0x4c Full8;
    VGETEXPPS = "vgetexpps" Evex P66 M38 Zero 0x42 Full4;
    VGETEXPPD = "vgetexppd" Evex P66 M38 One 0x42 Full8;
    VGETMANTPS = "vgetmantps" Evex P66 M3A Zero 0x26 Full4;
    VGETMANTPD = "vgetmantpd" Evex P66 M3A One 0x26 Full8;
    VMOVSHDUP = "vmovshdup" Vex F3 M0F Zero 0x16 FullMem;
    VREDUCEPS = "vreduceps" Evex P66 M3A Zero 0x56 Full4;
    VREDUCEPD = "vreducepd" Evex P66 M3A One 0x56 Full8;
    VREDUCESS = "vreducess" Evex P66 M3A Zero 0x57 Scalar4;
    VREDUCESD = "vreducesd" Evex P66 M3A One 0x57 Scalar8;
    VFIXUPIMMPS = "vfixupimmps" Evex P66 M3A Zero 0x54 Full4;
    VFIXUPIMMPD = "vfixupimmpd" Evex P66 M3A One 0x54 Full8;
    VRNDSCALEPH = "vrndscaleph" Evex No M3A Zero 0x08 Full2;
    VCMPPH_K = "vcmpph" Evex No M3A Zero 0xc2 Full2;
    VPERMB = "vpermb" Evex P66 M38 Zero 0x8d FullMem;
    VPERMI2B = "vpermi2b" Evex P66 M38 Zero 0x75 FullMem;
    VPERMT2B = "vpermt2b" Evex P66 M38 Zero 0x7d FullMem;
}
