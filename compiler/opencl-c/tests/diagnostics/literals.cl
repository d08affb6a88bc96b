// options: -cl-std=CL1.2 without cl_khr_fp64 __opencl_c_fp64
// Literals, and doubles where there are none (6.1, 6.2).
void f(int n, float x) {
    n = 0x; // error: invalid suffix 'x' on integer constant
    n = 08; // error: invalid digit '8' in octal constant
    n = 1ulu; // error: invalid suffix 'ulu' on integer constant
    n = 0b101;
    x = 1.0f + 0x1p-3f + .5f + 1.e3f;
    x = 1.0;
    x = 1e; // error: exponent has no digits
    x = 1.0x; // error: invalid suffix 'x' on floating constant
    n = 'a' + '\n' + '\x41' + '\101';
    n = ''; // error: empty character constant
    n = 'ab'; // warning: multi-character character constant [-Wmultichar]
    n = '\q'; // warning: unknown escape sequence '\q' [-Wunknown-escape-sequence]
    double d; // error: requires cl_khr_fp64
    n = sizeof(double2); // error: double2
    x = convert_double(n); // error: use of undeclared identifier 'convert_double'
    x = (double)n; // error: requires cl_khr_fp64
    constant char *s = "one" "two" "\t\"";
    s = "unended; // error: expected expression // error: expected // warning: missing terminating
}
