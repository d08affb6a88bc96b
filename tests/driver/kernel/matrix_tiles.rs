//! A product of large matrices, tile by tile: each sub-group has a cooperative matrix to itself.

use brolga_tests::cl_sys::CL_INVALID_WORK_GROUP_SIZE;
use brolga_tests::{Context, Program, Range};

/// Groups and sub-groups each multiply their own tile of a product of larger matrices.
#[test]
fn tiles() {
    const SIZE: usize = 64;
    let text = "; Version: 1.3
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability CooperativeMatrixKHR
OpExtension \"SPV_KHR_cooperative_matrix\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\" %groups %gangs
OpDecorate %groups BuiltIn WorkgroupId
OpDecorate %gangs BuiltIn SubgroupId
%void = OpTypeVoid
%i32 = OpTypeInt 32 0
%i64 = OpTypeInt 64 0
%i64x3 = OpTypeVector %i64 3
%bool = OpTypeBool
%f32 = OpTypeFloat 32
%gp = OpTypePointer CrossWorkgroup %f32
%ip_ids = OpTypePointer Input %i64x3
%ip_id = OpTypePointer Input %i32
%groups = OpVariable %ip_ids Input
%gangs = OpVariable %ip_id Input
%n0 = OpConstant %i32 0
%n1 = OpConstant %i32 1
%n2 = OpConstant %i32 2
%n3 = OpConstant %i32 3
%n16 = OpConstant %i32 16
%n64 = OpConstant %i32 64
%zero = OpConstant %f32 0
%A = OpTypeCooperativeMatrixKHR %f32 %n3 %n16 %n16 %n0
%B = OpTypeCooperativeMatrixKHR %f32 %n3 %n16 %n16 %n1
%C = OpTypeCooperativeMatrixKHR %f32 %n3 %n16 %n16 %n2
%none = OpConstantComposite %C %zero
%type = OpTypeFunction %void %gp %gp %gp
%k = OpFunction %void None %type
%a = OpFunctionParameter %gp
%b = OpFunctionParameter %gp
%r = OpFunctionParameter %gp
%entry = OpLabel
%group = OpLoad %i64x3 %groups
%y64 = OpCompositeExtract %i64 %group 0
%y = OpUConvert %i32 %y64
%x = OpLoad %i32 %gangs
%row = OpIMul %i32 %y %n16
%column = OpIMul %i32 %x %n16
%start = OpIMul %i32 %row %n64
OpBranch %head
%head = OpLabel
%k0 = OpPhi %i32 %n0 %entry %k1 %step
%sum = OpPhi %C %none %entry %next %step
%more = OpULessThan %bool %k0 %n64
OpLoopMerge %end %step None
OpBranchConditional %more %step %end
%step = OpLabel
%a_at = OpIAdd %i32 %start %k0
%b_row = OpIMul %i32 %k0 %n64
%b_at = OpIAdd %i32 %b_row %column
%pa = OpInBoundsPtrAccessChain %gp %a %a_at
%pb = OpInBoundsPtrAccessChain %gp %b %b_at
%ma = OpCooperativeMatrixLoadKHR %A %pa %n0 %n64
%mb = OpCooperativeMatrixLoadKHR %B %pb %n0 %n64
%next = OpCooperativeMatrixMulAddKHR %C %ma %mb %sum
%k1 = OpIAdd %i32 %k0 %n16
OpBranch %head
%end = OpLabel
%r_at = OpIAdd %i32 %start %column
%pr = OpInBoundsPtrAccessChain %gp %r %r_at
OpCooperativeMatrixStoreKHR %pr %sum %n0 %n64
OpReturn
OpFunctionEnd
";
    let il = compiler::spirv::assemble(text).expect("a module");
    let context = Context::new();
    let kernel = Program::from_il(&context, &il)
        .expect("a program")
        .build("")
        .expect("it builds")
        .kernel("k");
    let [a, b] = [7, 11].map(|step| (0..SIZE * SIZE).map(|at| (at * step % 23) as f32 - 11.0).collect::<Vec<f32>>());
    let expected: Vec<f32> = (0..SIZE * SIZE)
        .map(|at| (0..SIZE).map(|k| a[at / SIZE * SIZE + k] * b[k * SIZE + at % SIZE]).sum())
        .collect();
    let (a, b, r) = (context.buffer(&a), context.buffer(&b), context.zeros::<f32>(SIZE * SIZE));
    kernel.run(&context, &Range::new([4 * 64]).local([64]), &[&a, &b, &r]);
    assert_eq!(r.read(), expected);
    // Sub-groups are whole, or the launch is refused.
    for (global, local) in [(8, 8), (256, 24), (40, 32)] {
        let status = kernel.enqueue(&context, &Range::new([global]).local([local])).err();
        assert_eq!(status, Some(CL_INVALID_WORK_GROUP_SIZE), "{global} in groups of {local}");
    }
}
