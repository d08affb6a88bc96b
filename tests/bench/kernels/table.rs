//! The benchmarks by family, with what their work needs at least of the machine.

use super::*;
use crate::limits::Resource::*;

/// Arrays of which a level of a cache holds no part.
const STREAM: usize = 64 << 20;

/// Families of kernels: name, unit, source, options, what a unit of work needs at least, and what runs it.
macro_rules! families {
    ($($family:literal { $($name:literal, $unit:literal, $source:literal, $options:literal, $needs:tt, $run:expr;)+ })+) => {
        /// All of them. What a unit of work needs is counted by hand in the best code that one could write: a fused multiply-add is one
        /// operation, and an exponential, a logarithm or a sine about twelve.
        pub const ALL: &[Benchmark] = &[$($(Benchmark {
            family: $family,
            name: $name,
            unit: $unit,
            source: include_str!($source),
            options: $options,
            needs: &$needs,
            run: $run,
        },)+)+];
    };
}

families! {
    "streams" {
        "copy", "GB/s", "copy.cl", "", [(Copy(STREAM), 1e9)], arrays::copy;
        "triad", "GB/s", "triad.cl", "", [(Copy(STREAM), 1e9)], arrays::triad;
        "triad over a grid", "GB/s", "triad_grid.cl", "", [(Copy(STREAM), 1e9)], arrays::triad_over_grid;
        "transpose", "GB/s", "transpose.cl", "", [(Copy(16 << 20), 1e9)], arrays::transpose;
        "float4 matrix-vector", "GB/s", "matvec4.cl", "", [(Copy(STREAM), 1e9)], matrices::matvec;
    }
    "reductions" {
        "reduction", "GB/s", "reduction.cl", "", [(Read(STREAM), 1e9)], arrays::reduction;
        "histogram, local atomics", "MB/s", "histogram.cl", "", [(Read(4 << 20), 1e6), (Gather(1 << 10), 1e6)], keys::histogram;
    }
    "arithmetic" {
        "fma peak", "GFLOP/s", "fma.cl", "", [(Float, 0.5e9)], arithmetic::fma;
        "mandelbrot", "Miter/s", "mandelbrot.cl", "", [(Float, 6e6)], arithmetic::mandelbrot;
        "transcendental mix", "Mitem/s", "transcendental.cl", "", [(Float, 100e6), (Copy(8 << 20), 8e6)], arithmetic::transcendental;
    }
    "physics" {
        "n-body", "Mpair/s", "nbody.cl", "", [(Float, 14e6)], arithmetic::nbody;
        "lattice Boltzmann", "Mcell/s", "lattice.cl", "", [(Copy(36 << 20), 72e6), (Float, 70e6)], physics::lattice;
        "Lennard-Jones, lists", "Mpair/s", "lennard_jones.cl", "", [(Gather(256 << 10), 1e6), (Float, 15e6)], physics::lennard_jones;
    }
    "finance" {
        "Black-Scholes", "Mopt/s", "black_scholes.cl", "", [(Float, 60e6), (Copy(20 << 20), 20e6)], arithmetic::black_scholes;
    }
    "dense algebra" {
        "sgemm naive", "GFLOP/s", "gemm.cl", "-DT=float", [(Float, 0.5e9)], matrices::gemm::<f32>;
        "sgemm naive, guarded", "GFLOP/s", "gemm.cl", "-DT=float -DGUARD", [(Float, 0.5e9)], matrices::guarded_gemm;
        "sgemm tiled", "GFLOP/s", "gemm_tiled.cl", "-DT=float", [(Float, 0.5e9)], matrices::gemm::<f32>;
        "dgemm tiled", "GFLOP/s", "gemm_tiled.cl", "-DT=double", [(Double, 0.5e9)], matrices::gemm::<f64>;
        "dgemv, a row an item", "GFLOP/s", "gemv.cl", "", [(Read(8 << 20), 4e9), (Double, 0.5e9)], matrices::gemv;
        "Jacobi, columns", "GFLOP/s", "jacobi.cl", "", [(Read(4 << 20), 2e9), (Float, 0.5e9)], matrices::jacobi;
    }
    "sparse algebra" {
        "SpMV", "MFLOP/s", "spmv.cl", "", [(Read(25 << 20), 4e6), (Gather(1 << 20), 0.5e6)], matrices::spmv;
    }
    "stencils" {
        "stencil", "Mpoint/s", "stencil.cl", "", [(Copy(32 << 20), 8e6)], arrays::stencil;
        "7 points, double", "Mpoint/s", "heat.cl", "", [(Copy(32 << 20), 16e6), (Double, 7e6)], stencils::heat;
        "Game of Life", "Mpoint/s", "life.cl", "", [(Copy(2 << 20), 2e6)], stencils::life;
        "convolution, local memory", "Mitem/s", "convolution.cl", "", [(Float, 17e6), (Copy(16 << 20), 8e6)], arrays::convolution;
        "convolution, clamped", "Mitem/s", "clamped.cl", "", [(Float, 25e6), (Copy(8 << 20), 8e6)], arrays::clamped;
    }
    "images" {
        "bytes to planes", "Mpixel/s", "planes.cl", "", [(Copy(60 << 20), 15e6)], pixels::planes;
        "Sobel, bytes", "Mpixel/s", "sobel.cl", "", [(Copy(8 << 20), 2e6)], pixels::sobel;
        "median 3x3, bytes", "Mpixel/s", "median.cl", "", [(Copy(8 << 20), 2e6)], pixels::median;
        "dilation 5x5 to borders", "Mpixel/s", "dilate.cl", "", [(Copy(8 << 20), 2e6)], pixels::dilate;
        "Julia set, double", "Miter/s", "julia.cl", "", [(Double, 6e6)], pixels::julia;
    }
    "FFT" {
        "FFT by steps, radix 2", "GFLOP/s", "fft_step.cl", "", [(Copy(8 << 20), 3.2e9), (Float, 0.5e9)], transforms::fft;
    }
    "scans" {
        "scan of work-groups", "Mkey/s", "scan.cl", "", [(Copy(32 << 20), 8e6)], transforms::scan;
    }
    "sorts" {
        "bitonic sort", "Mkey/s", "bitonic.cl", "", [(Copy(1 << 20), 1368e6)], keys::bitonic;
        "counts of digits", "Mkey/s", "digits.cl", "", [(Read(16 << 20), 4e6), (Gather(1 << 6), 1e6)], keys::digits;
    }
    "searches" {
        "binary search of a table", "Mkey/s", "lower_bound.cl", "", [(Gather(256 << 10), 16e6)], keys::lower_bound;
    }
    "hashing" {
        "SHA-256", "Mhash/s", "sha256.cl", "", [(Int, 1616e6)], arithmetic::sha256;
        "MurmurHash3", "Mhash/s", "murmur.cl", "", [(Multiply, 10e6), (Copy(20 << 20), 20e6)], hashing::murmur;
        "CRC-32 by a table", "MB/s", "crc32.cl", "", [(Gather(1 << 10), 1e6)], hashing::crc32;
    }
    "RNG" {
        "Monte Carlo by xorshift", "Mpoint/s", "monte_carlo.cl", "", [(Int, 18e6), (Multiply, 2e6)], hashing::monte_carlo;
        "Philox 4x32-10", "Mnumber/s", "philox.cl", "", [(Multiply, 5e6), (Copy(64 << 20), 8e6)], hashing::philox;
    }
    "graphs" {
        "breadth-first search", "Medge/s", "bfs.cl", "", [(Gather(1 << 20), 1e6)], graphs::bfs;
        "PageRank", "Medge/s", "page_rank.cl", "", [(Read(9 << 20), 4e6), (Gather(1 << 20), 1e6)], graphs::page_rank;
        "Floyd-Warshall", "Mpair/s", "floyd.cl", "", [(Copy(512 << 10), 8e6)], graphs::floyd;
        "lists that are followed", "Mlink/s", "chase.cl", "", [(Link(256 << 10), 1e6)], graphs::chase;
    }
    "strings" {
        "search for eight bytes", "MB/s", "substring.cl", "", [(Copy(16 << 20), 2e6)], strings::substring;
        "alignment, in place", "Mcell/s", "alignment.cl", "", [(Copy(4 << 20), 8e6)], strings::alignment;
    }
    "inference" {
        "RMS norm", "Mnumber/s", "rms_norm.cl", "", [(Copy(16 << 20), 8e6)], inference::rms_norm;
        "rotary embedding", "Mnumber/s", "rotary.cl", "", [(Copy(16 << 20), 8e6), (Float, 2e6)], inference::rotary;
        "attention over a cache", "Mnumber/s", "attention.cl", "", [(Read(16 << 20), 4e6), (Float, 1e6)], inference::attention;
        "matrix of int8 by vector", "GOP/s", "matvec_int8.cl", "", [(Read(4 << 20), 0.56e9), (Dot, 0.5e9)], inference::matvec_int8;
        "matrix of int4 by vector", "GOP/s", "matvec_int4.cl", "", [(Read(2 << 20), 0.31e9), (Float, 0.5e9)], inference::matvec_int4;
        "softmax", "Mnumber/s", "softmax.cl", "", [(Copy(16 << 20), 8e6), (Float, 15e6)], inference::softmax;
        "top 8", "Mnumber/s", "top_k.cl", "", [(Read(16 << 20), 4e6), (Float, 1e6)], inference::top_k;
        "GELU by tanh", "Mnumber/s", "gelu.cl", "", [(Copy(32 << 20), 8e6), (Float, 18e6)], inference::gelu;
    }
}
