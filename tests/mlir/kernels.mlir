// Kernels in MLIR's GPU dialect, which its own conversions bring to SPIR-V.
module attributes {gpu.container_module, spirv.target_env = TARGET} {
  gpu.module @kernels {
    gpu.func @scale(%a: memref<?xf32, #spirv.storage_class<CrossWorkgroup>>, %s: f32) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<>} {
      %i = gpu.global_id x
      %v = memref.load %a[%i] : memref<?xf32, #spirv.storage_class<CrossWorkgroup>>
      %w = arith.mulf %v, %s : f32
      memref.store %w, %a[%i] : memref<?xf32, #spirv.storage_class<CrossWorkgroup>>
      gpu.return
    }
    gpu.func @ids(%a: memref<64x6xi32, #spirv.storage_class<CrossWorkgroup>>) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<>} {
      %m = gpu.block_id x
      %d = gpu.block_dim x
      %t = gpu.thread_id x
      %g = gpu.grid_dim x
      %s = gpu.subgroup_size : index
      %n = gpu.num_subgroups : index
      %p = arith.muli %m, %d : index
      %i = arith.addi %p, %t : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %v0 = arith.index_cast %m : index to i32
      %v1 = arith.index_cast %d : index to i32
      %v2 = arith.index_cast %t : index to i32
      %v3 = arith.index_cast %g : index to i32
      %v4 = arith.index_cast %s : index to i32
      %v5 = arith.index_cast %n : index to i32
      memref.store %v0, %a[%i, %c0] : memref<64x6xi32, #spirv.storage_class<CrossWorkgroup>>
      memref.store %v1, %a[%i, %c1] : memref<64x6xi32, #spirv.storage_class<CrossWorkgroup>>
      memref.store %v2, %a[%i, %c2] : memref<64x6xi32, #spirv.storage_class<CrossWorkgroup>>
      memref.store %v3, %a[%i, %c3] : memref<64x6xi32, #spirv.storage_class<CrossWorkgroup>>
      memref.store %v4, %a[%i, %c4] : memref<64x6xi32, #spirv.storage_class<CrossWorkgroup>>
      memref.store %v5, %a[%i, %c5] : memref<64x6xi32, #spirv.storage_class<CrossWorkgroup>>
      gpu.return
    }
    gpu.func @math(%a: memref<64xf32, #spirv.storage_class<CrossWorkgroup>>) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<>} {
      %i = gpu.global_id x
      %v = memref.load %a[%i] : memref<64xf32, #spirv.storage_class<CrossWorkgroup>>
      %w = math.sqrt %v : f32
      %x = math.exp %w : f32
      memref.store %x, %a[%i] : memref<64xf32, #spirv.storage_class<CrossWorkgroup>>
      gpu.return
    }
    gpu.func @loop(%a: memref<64xf32, #spirv.storage_class<CrossWorkgroup>>, %n: index) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<>} {
      %i = gpu.global_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %z = arith.constant 0.0 : f32
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %z) -> f32 {
        %v = memref.load %a[%i] : memref<64xf32, #spirv.storage_class<CrossWorkgroup>>
        %w = arith.addf %acc, %v : f32
        scf.yield %w : f32
      }
      memref.store %r, %a[%i] : memref<64xf32, #spirv.storage_class<CrossWorkgroup>>
      gpu.return
    }
    gpu.func @reverse(%a: memref<64xi32, #spirv.storage_class<CrossWorkgroup>>) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<>} {
      %i = gpu.global_id x
      %t = gpu.thread_id x
      %c15 = arith.constant 15 : index
      %l = memref.alloc() : memref<16xi32, #spirv.storage_class<Workgroup>>
      %v = memref.load %a[%i] : memref<64xi32, #spirv.storage_class<CrossWorkgroup>>
      memref.store %v, %l[%t] : memref<16xi32, #spirv.storage_class<Workgroup>>
      gpu.barrier
      %u = arith.subi %c15, %t : index
      %w = memref.load %l[%u] : memref<16xi32, #spirv.storage_class<Workgroup>>
      memref.store %w, %a[%i] : memref<64xi32, #spirv.storage_class<CrossWorkgroup>>
      gpu.return
    }
    gpu.func @sum(%a: memref<64xi32, #spirv.storage_class<CrossWorkgroup>>) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<>} {
      %i = gpu.global_id x
      %v = memref.load %a[%i] : memref<64xi32, #spirv.storage_class<CrossWorkgroup>>
      %w = gpu.all_reduce add %v uniform {} : (i32) -> (i32)
      memref.store %w, %a[%i] : memref<64xi32, #spirv.storage_class<CrossWorkgroup>>
      gpu.return
    }
    gpu.func @branch(%a: memref<64xi32, #spirv.storage_class<CrossWorkgroup>>) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<>} {
      %i = gpu.global_id x
      %v = memref.load %a[%i] : memref<64xi32, #spirv.storage_class<CrossWorkgroup>>
      %c7 = arith.constant 7 : i32
      %c = arith.cmpi slt, %v, %c7 : i32
      scf.if %c {
        %w = arith.muli %v, %c7 : i32
        memref.store %w, %a[%i] : memref<64xi32, #spirv.storage_class<CrossWorkgroup>>
      }
      gpu.return
    }
  }
}
