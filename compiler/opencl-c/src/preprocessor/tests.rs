use crate::options::PreprocessorOption;
use crate::{CompileOptions, Input, Product};

fn run_with(source: &str, options: &CompileOptions, headers: &[(&str, &str)]) -> Result<String, String> {
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()))
        .collect();
    let output = crate::preprocess(&Input {
        name: "a.cl",
        source: source.as_bytes(),
        headers: &headers,
        options,
    });
    match output.product {
        Some(Product::Text(text)) => Ok(text),
        _ => Err(output.log),
    }
}

/// The preprocessed text's words, without line markers, with one space between lines and words.
fn words(source: &str) -> String {
    let text = run_with(source, &CompileOptions::default(), &[]).unwrap_or_else(|log| panic!("{log}"));
    let lines = text.lines().filter(|line| !line.starts_with('#') || line.starts_with("#pragma"));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

fn error(source: &str) -> String {
    run_with(source, &CompileOptions::default(), &[]).expect_err(source)
}

#[test]
fn the_standards_examples() {
    // C99, 6.10.3.5, examples 3 to 7.
    let rescanning = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
        #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n\
        f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
        p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };\n";
    assert_eq!(
        words(rescanning),
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1); f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1); \
         int i[] = { 1, 23, 4, 5, }; char c[2][6] = { \"hello\", \"\" };"
    );
    let strings = "#define str(s) # s\n#define xstr(s) str(s)\n#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", x ## s, x ## t)\n\
        #define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n\
        debug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') == 0) str(: @\\n), s);\nxstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)\n";
    assert_eq!(
        words(strings),
        "printf(\"x\" \"1\" \"= %d, x\" \"2\" \"= %s\", x1, x2); fputs(\"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\", s); \
         \"vers2.h\" \"hello\"; \"hello\" \", world\""
    );
    let placemarkers = "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };\n\
        #define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n#define join(c, d) in_between(c hash_hash d)\njoin(x, y);";
    assert_eq!(words(placemarkers), "int j[] = { 123, 45, 67, 89, 10, 11, 12, }; \"x ## y\";");
}

#[test]
fn variable_arguments() {
    let macros = "#define e(f, ...) p(f, ## __VA_ARGS__)\n#define n(args...) [args]\n#define o(f, ...) p(f __VA_OPT__(,) __VA_ARGS__)\n\
        #define s(...) #__VA_ARGS__\n";
    assert_eq!(
        words(&format!("{macros} e(a) e(a, b) e(a, b, c) n(1, 2) o(a) o(a, b) s(1, 2)")),
        "p(a) p(a, b) p(a, b, c) [1, 2] p(a) p(a , b) \"1, 2\""
    );
}

#[test]
fn conditions_are_evaluated_in_64_bits() {
    let holds = |condition: &str| words(&format!("#if {condition}\nyes\n#else\nno\n#endif\n")) == "yes";
    for condition in [
        "1",
        "defined(__OPENCL_VERSION__) && !defined NOTHING",
        "(1 << 40) > 0 && 1 << 40 == 1099511627776",
        "-1 < 0 && -1 > 0u",
        "0x7fffffffffffffff + 1 < 0",
        "18446744073709551615u == -1",
        "1 ? 2 : 1 / 0",
        "0 && 1 / 0 || 1",
        "7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1",
        "'a' == 97 && '\\n' == 10 && '\\x41' == 65",
        "~0 == -1 && !0 && +3 == 3",
        "(2 || 1 / 0) && (1, 1) || 1 == 1 ? 1 : 0",
        "nothing == 0",
        "__OPENCL_C_VERSION__ == 120 && __OPENCL_C_VERSION__ >= CL_VERSION_1_2",
        "__has_attribute(reqd_work_group_size) && __has_attribute(__packed__) && !__has_attribute(nothing)",
        "__has_builtin(__builtin_expect) && __has_builtin(__atomic_load_n) && !__has_builtin(__atomic_load_x) && !__has_include(\"nothing.h\")",
    ] {
        if condition.contains(", 1") {
            assert!(error(&format!("#if {condition}\n#endif\n")).contains("error"));
        } else {
            assert!(holds(condition), "{condition}");
        }
    }
    assert!(!holds("0"));
    for (bad, message) in [
        ("#if\n#endif", "expected value in expression"),
        ("#if 1 / 0\n#endif", "division by zero"),
        ("#if (1\n#endif", "expected ')'"),
        ("#if 1 2\n#endif", "not a valid binary operator"),
        ("#if 1.0\n#endif", "floating point literal"),
        ("#if f(1)\n#endif", "function-like macro 'f' is not defined"),
        ("#if 1", "unterminated conditional directive"),
        ("#else", "#else without #if"),
        ("#endif", "#endif without #if"),
        ("#if 0\n#else\n#else\n#endif", "#else after #else"),
        ("#if 0\n#else\n#elif 1\n#endif", "#elif after #else"),
    ] {
        assert!(error(bad).contains(message), "{bad}: {}", error(bad));
    }
}

#[test]
fn groups_that_do_not_count_are_skipped() {
    let source = "#if 0\ndon't \"x\n#if 1\na\n#else\nb\n#endif\n/* #endif */\n#elif 1\nc\n#ifdef X\nd\n#else\ne\n#endif\n#elif nonsense (\nf\n#else\ng\n#endif\n";
    assert_eq!(words(source), "c e");
    assert_eq!(words("#ifndef A\n#define A\n#endif\n#ifdef A\nx\n#elifdef B\ny\n#endif"), "x");
}

#[test]
fn what_is_wrong_is_named() {
    for (bad, message) in [
        ("#define", "macro name missing"),
        ("#define 1", "macro name must be an identifier"),
        ("#define defined", "'defined' cannot be used as a macro name"),
        ("#define f(a", "missing ')' in macro parameter list"),
        ("#define f(a,a) a", "duplicate macro parameter name 'a'"),
        ("#define f(a) #b", "'#' is not followed by a macro parameter"),
        ("#define f(a) ## a", "'##' cannot appear at start"),
        ("#define f(a) a ##", "'##' cannot appear at end"),
        ("#define f(a) a\nf(1, 2)", "too many arguments"),
        ("#define f(a, b) a\nf(1)", "too few arguments"),
        ("#define f(a) a\nf(1", "unterminated function-like macro invocation"),
        (
            "#define j(a, b) a ## b\nj(+, *)",
            "pasting formed '+*', an invalid preprocessing token",
        ),
        ("#include \"nothing.h\"", "'nothing.h' file not found"),
        ("#include", "expected \"FILENAME\" or <FILENAME>"),
        ("#error no way\n", "error: no way"),
        ("#nonsense", "invalid preprocessing directive"),
        ("/* x", "unterminated /* comment"),
        ("#line x", "requires a positive integer"),
        ("#pragma GCC poison foo\nfoo", "poisoned"),
    ] {
        let log = error(bad);
        assert!(log.contains(message), "{bad}: {log}");
    }
}

#[test]
fn errors_in_macros_name_the_macro() {
    let log = error("#define j(a, b) a ## b\n#define k j(+, *)\n  k\n");
    let expected = "a.cl:3:3: error: pasting formed '+*', an invalid preprocessing token\n  k\n  ^\n\
                    a.cl:2:11: note: expanded from macro 'k'\n";
    assert!(log.starts_with(expected), "{log}");
    assert!(
        log.contains("a.cl:1:19: note: expanded from macro 'j'") && log.ends_with("1 error generated.\n"),
        "{log}"
    );
}

#[test]
fn files_are_included() {
    let headers = [
        ("a.h", "#pragma once\n#include \"sub/b.h\"\nA\n"),
        ("sub/b.h", "#include \"c.h\"\nB __FILE__ __LINE__\n"),
        ("sub/c.h", "C\n"),
    ];
    let options = CompileOptions {
        preprocessor: vec![PreprocessorOption::Include("a.h".into())],
        ..CompileOptions::default()
    };
    let source = "#include <a.h>\n#define H \"sub/c.h\"\n#include H\n#define G <sub/c.h>\n#include G\n__LINE__";
    let text = run_with(source, &options, &headers).unwrap();
    let words: Vec<_> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect();
    assert_eq!(words.join(" "), "C B \"sub/b.h\" 2 A C C 6");
    let log = run_with("#include \"a.h\"", &CompileOptions::default(), &[("a.h", "#include \"a.h\"")]).unwrap_err();
    assert!(
        log.contains("nested too deeply") && log.contains("In file included from a.cl:1:"),
        "{log}"
    );
}

#[test]
fn lines_may_be_renumbered() {
    assert_eq!(
        words("#line 100 \"b.cl\"\n__LINE__ __FILE__\n__LINE__\n# 7\n__LINE__"),
        "100 \"b.cl\" 101 7"
    );
    assert!(error("#line 100 \"b.cl\"\n#error x").contains("b.cl:100:2: error: x"));
}

#[test]
fn options_define_macros() {
    let options = CompileOptions {
        version: 300,
        features: vec!["cl_khr_fp64".into(), "__opencl_c_fp64".into()],
        fast_relaxed_math: true,
        preprocessor: ["A", "B=2", "F(x)=x+1", "C="]
            .map(|text| PreprocessorOption::Define(text.into()))
            .to_vec(),
        ..CompileOptions::default()
    };
    let text = run_with(
        "A B F(3) C __OPENCL_C_VERSION__ __opencl_c_fp64 cl_khr_fp64 __FAST_RELAXED_MATH__ FP_FAST_FMA",
        &options,
        &[],
    )
    .unwrap();
    assert_eq!(text.lines().last().unwrap().trim(), "1 2 3+1 300 1 1 1 1");
    let options = CompileOptions {
        features: vec!["__opencl_c_fp64".into()],
        preprocessor: vec![PreprocessorOption::Define("A".into()), PreprocessorOption::Undefine("A".into())],
        ..CompileOptions::default()
    };
    let text = run_with("A __opencl_c_fp64 __FAST_RELAXED_MATH__", &options, &[]).unwrap();
    assert_eq!(text.lines().last().unwrap().trim(), "A __opencl_c_fp64 __FAST_RELAXED_MATH__");
}

#[test]
fn predefined_macros_are_there_before_they_are_met() {
    assert_eq!(words("CLK_FILTER_LINEAR CLK_FILTER_LINEAR"), "0x20 0x20");
    assert_eq!(
        words("#ifdef M_PI\nyes\n#endif\n#undef M_PI\n#ifndef M_PI\nno\n#endif\nM_PI"),
        "yes no M_PI"
    );
    assert_eq!(words("#define M_E mine\nM_E"), "mine");
    assert_eq!(
        words("#pragma push_macro(\"M_LN2\")\n#undef M_LN2\nM_LN2\n#pragma pop_macro(\"M_LN2\")\nM_LN2"),
        "M_LN2 0x1.62e42fefa39efp-1"
    );
    assert_eq!(
        words("ATOMIC_VAR_INIT(1) CLK_sRGB HALF_MAX CL_COMPLETE"),
        "ATOMIC_VAR_INIT(1) CLK_sRGB HALF_MAX CL_COMPLETE"
    );
    let newer = CompileOptions {
        version: 300,
        features: ["cl_khr_fp16", "__opencl_c_device_enqueue"].map(String::from).to_vec(),
        preprocessor: vec![PreprocessorOption::Undefine("CLK_R".to_owned())],
        ..CompileOptions::default()
    };
    let text = run_with("ATOMIC_VAR_INIT(1) CLK_sRGB HALF_MAX CL_COMPLETE CLK_R", &newer, &[]).expect("it is right");
    assert!(text.contains("(1) 0x10BF ((0x1.ffcp15h)) 0x0 CLK_R"), "{text}");
}

#[test]
fn pragmas_go_on_to_the_parser() {
    assert_eq!(
        words("#define N 4\n#pragma unroll N\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n_Pragma(\"unroll\") x"),
        "#pragma unroll N #pragma OPENCL EXTENSION cl_khr_fp64 : enable #pragma unroll x"
    );
    assert_eq!(
        words("#define A 1\n#pragma push_macro(\"A\")\n#undef A\n#define A 2\nA\n#pragma pop_macro(\"A\")\nA"),
        "2 1"
    );
}

#[test]
fn what_grows_without_end_is_stopped() {
    let bomb: String = (0..60).map(|n| format!("#define A{n} A{} A{}\n", n + 1, n + 1)).collect();
    assert!(error(&format!("{bomb}A0")).contains("does not come to an end"));
    let paste: String = (0..60).map(|n| format!("#define P{n}(x) P{}(x ## x)\n", n + 1)).collect();
    assert!(error(&format!("{paste}P0(a)")).contains("does not come to an end"));
    let nested = format!("#define f(x) x\n{}1{}", "f(".repeat(5000), ")".repeat(5000));
    assert!(error(&nested).contains("nested too deeply"));
    let parentheses = format!("#if {}1{}\n#endif", "(".repeat(5000), ")".repeat(5000));
    assert!(error(&parentheses).contains("nested too deeply"));
}

#[test]
fn a_pragma_of_an_operator_has_a_line_of_its_own() {
    let source = "#define P _Pragma(\"unroll\") x\nint a; _Pragma(\"unroll 4\") for (;;) ;\n  P y;\n";
    let text = run_with(source, &CompileOptions::default(), &[]).expect(source);
    let pragmas: Vec<&str> = text.lines().filter(|line| line.contains("#pragma")).map(str::trim).collect();
    assert_eq!(pragmas, ["#pragma unroll 4", "#pragma unroll"], "{text}");
    // Read again, it is the same.
    assert_eq!(words(&text), words(source));
}
