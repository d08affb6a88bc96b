// options: -cl-std=CL1.2
// Operators and what they take (6.3, 6.4).
struct S { int a; } s1; // error: program scope variable must reside in constant address space
void f(int n, float x, uint u, global int *p, global float *q, local int *l, int4 v, bool b) {
    struct S s, t;
    n = s; // error: assigning to 'int' from incompatible type 'struct S'
    s = t;
    s == t; // error: invalid operands to binary expression ('struct S' and 'struct S')
    s + 1; // error: invalid operands to binary expression ('struct S' and 'int')
    !s; // error: invalid argument type 'struct S' to unary expression
    -s; // error: invalid argument type 'struct S' to unary expression
    (int)s; // error: operand of type 'struct S' where arithmetic or pointer type is required
    (struct S)n; // error: used type 'struct S' where arithmetic or pointer type is required
    n = x % 2; // error: invalid operands to binary expression ('float' and 'float')
    n = x & 1; // error: invalid operands to binary expression ('float' and 'float')
    n = ~x; // error: invalid argument type 'float' to unary expression
    n = x << 1; // error: invalid operands to binary expression ('float' and 'int')
    n = n << 40;
    n = n << -1;
    n = p * 2; // error: invalid operands to binary expression ('__global int *' and 'int')
    p = p + 1.5f; // error: invalid operands to binary expression ('__global int *' and 'float')
    p = -p; // error: invalid argument type '__global int *' to unary expression
    p = ~p; // error: invalid argument type '__global int *' to unary expression
    n = !p;
    n = p && q;
    n = p == q; // warning: comparison of distinct pointer types ('__global int *' and '__global float *') [-Wcompare-distinct-pointer-types]
    n = p < q; // warning: comparison of distinct pointer types ('__global int *' and '__global float *') [-Wcompare-distinct-pointer-types]
    n = p - q; // error: '__global int *' and '__global float *' are not pointers to compatible types
    n = p == 0;
    n = p == 1; // warning: comparison between pointer and integer ('__global int *' and 'int') [-Wpointer-integer-compare]
    n = p > 0;
    p = n ? p : 0;
    p = n ? p : q; // warning: pointer type mismatch ('__global int *' and '__global float *') [-Wpointer-type-mismatch]
    n = n ? 1 : x;
    n = b ? s : t; // error: assigning to 'int' from incompatible type 'struct S'
    *n; // error: indirection requires pointer operand ('int' invalid)
    &n = p; // error: expression is not assignable
    n++ ++; // error: expression is not assignable
    (n)++;
    5++; // error: expression is not assignable
    p[x]; // error: array subscript is not an integer
    n[p];
    n[n]; // error: subscripted value is not an array, pointer, or vector
    p->a; // error: member reference base type 'int' is not a structure or union
    s->a; // error: member reference type 'struct S' is not a pointer; did you mean to use '.'?
    s.b; // error: no member named 'b' in 'struct S'
    n.a; // error: member reference base type 'int' is not a structure or union
    v.a;
    v.xyz.yz = v.xy;
    v.hi.lo = 1;
    (n = 1) = 2; // error: expression is not assignable
    (n, x) = 1; // error: expression is not assignable
    b++;
    b--;
    b += 1;
    x++;
    sizeof n;
    sizeof(int[n]); // error: variable length arrays are not supported in OpenCL
    n = sizeof(v.xyz);
    (void)n;
    n = (void)n; // error: assigning to 'int' from incompatible type 'void'
    (float)p; // error: operand of type '__global int *' cannot be cast to type 'float'
    (global int *)x; // error: operand of type 'float' cannot be cast to type '__global int *'
    (global int *)n;
    (int)p;
    (int4)p; // error: operand of type '__global int *' cannot be cast to type 'int4'
    (bool)v; // error: operand of type 'int4' cannot be cast to type 'bool'
    __builtin_no_such(n); // error: use of undeclared identifier '__builtin_no_such'
    n = 1.0;
    n = 0x; // error: invalid suffix 'x' on integer constant
    n = 08; // error: invalid digit '8' in octal constant
    n = 1ull;
    n = 'ab'; // warning: multi-character character constant [-Wmultichar]
    n = ''; // error: empty character constant
    n = "a" "b"; // warning: incompatible pointer to integer conversion assigning to 'int' from type '__constant char *' [-Wint-conversion]
    n = 1e400;
    n = x == x;
    n = (n == n) + (v == v); // error: assigning to 'int' from incompatible type 'int4'
    n += v; // error: assigning to 'int' from incompatible type 'int4'
    v += n;
    v += x; // error: scalar operand type has greater rank than the type of the vector element. ('int4' and 'float')
    v = v && v;
    v = n && v;
    v = -v + !v;
    v <<= 1;
    v = v << v;
    v = n << v; // error: requested shift is a vector of type 'int4' but the first operand is not a vector ('int')
    v = v.s0123 + v.S3210;
    v = v.0123; // error: expected ';' after expression
    if (n = 1) ;
    n == 1;
    as_float(n);
    as_double(n); // error: invalid reinterpretation: sizes of 'double' and 'int' must match
    as_float4(v.xyz);
    as_int3(v);
    char c = n;
    char2 c2 = c;
    c2 = c2 ? c : c;
    c2 = c2 ? c : n; // error: vector condition type 'char2' and result type 'int2' do not have the same number of elements or size
    ushort2 u2 = (short2)(n) ? c : (ushort)u;
}
