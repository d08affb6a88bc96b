// options: -cl-std=CL1.2
// Vectors: components, literals, conversions (6.3, 6.4).
typedef float float5 __attribute__((ext_vector_type(5)));
void f(float4 v, int4 w, uint4 u, float2 half_size, char4 c, int n, float x) {
    v.xx = v.xy; // error: vector is not assignable (contains duplicate components)
    v.s4 = 1; // error: vector component access exceeds type 'float4'
    v.q = 1; // error: illegal vector component name 'q'
    v.x0 = v.xy; // error: illegal vector component name
    v.xyzwx; // error: invalid length 5
    v.rgba = v.bgra;
    v.lo = v.even;
    &v.x; // error: address of vector element requested
    v = w; // error: from incompatible type 'int4'
    v = (float4)w; // error: invalid conversion between ext-vector type
    v = half_size; // error: from incompatible type 'float2'
    v = v * 2.0; // error: scalar operand type has greater rank
    v = v + w; // error: cannot convert between vector values
    w = w + u; // error: cannot convert between vector values
    c = c + n; // error: scalar operand type has greater rank
    v = (float4)(1, 2); // error: too few elements in vector initialization
    v = (float4)(v, 1); // error: too many elements in vector initialization
    v = (float4)(half_size, half_size);
    v = v % v; // error: invalid operands to binary expression
    v = v << 1; // error: invalid operands to binary expression
    v = ~v; // error: invalid argument type 'float4' to unary expression
    v = !w; // error: from incompatible type 'int4'
    if (v == v) ; // error: statement requires expression of scalar type
    v = v ? v : v; // error: floating point type is not allowed
    v = c ? v : v; // error: do not have the same number of elements or size
    v = w ? v : v;
    n = v; // error: from incompatible type 'float4'
    v++; // error: cannot increment value of type 'float4'
    n = 1 << w; // error: requested shift is a vector
    v = as_float4(half_size); // error: invalid reinterpretation
    w = convert_int4_sat(v);
    w = convert_int4(half_size); // error: no matching function for call to 'convert_int4'
    v = convert_float4_sat(w); // error: use of undeclared identifier 'convert_float4_sat'
    v[n] = v[3];
    v[4] = 1; // warning: vector element index is out of bounds [-Warray-bounds]
    vec_step(int3);
}
// Vectors that only the attribute makes have truth values, too.
typedef int int5 __attribute__((ext_vector_type(5)));
void g(float5 v, int5 w, int4 n) {
    w = !v;
    w = v && v || w;
    w = w ? 1 : 2;
    w = !n; // error: from incompatible type 'int4'
}
