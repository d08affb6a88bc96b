// options: -cl-std=CL1.2
// Images, samplers and events (6.11, b and l).
struct S {
    image2d_t i; // error: 'image2d_t' type cannot be used to declare a structure or union field
    sampler_t s; // error: 'sampler_t' type cannot be used
    event_t e; // error: 'event_t' type cannot be used
};
typedef image2d_t picture;
image2d_t program_image; // error: type 'image2d_t' can only be used as a function parameter in OpenCL
constant sampler_t fixed = CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
const sampler_t plain = 0;
sampler_t bare = 0; // error: global sampler requires a const or constant address space qualifier
constant sampler_t unset; // error: variable in constant address space must be initialized
image2d_t returned(void); // error: declaring function return value of type 'image2d_t' is not allowed
void written(read_write image2d_t i); // error: access qualifier 'read_write' cannot be used
void qualified(read_only int i); // error: access qualifier can only be used for pipe and image type
void pointed(image2d_t *p); // error: pointer to type 'image2d_t' is invalid in OpenCL
void listed(image2d_t p[2]); // error: array of 'image2d_t' type is invalid in OpenCL
void taken(read_only image2d_t r, write_only image2d_t w, sampler_t s, event_t e, float4 v, int2 at, int n) {
    image2d_t local_image; // error: type 'image2d_t' can only be used as a function parameter in OpenCL
    sampler_t list[2]; // error: array of 'sampler_t' type is invalid in OpenCL
    sampler_t own = CLK_FILTER_NEAREST;
    event_t event = 0;
    event_t wrong = 1; // error: with an expression of incompatible type 'int'
    r = w; // error: invalid operands to binary expression
    s = own; // error: invalid operands to binary expression
    n = (int)r; // error: operand of type 'image2d_t' cannot be cast
    &r; // error: invalid argument type 'image2d_t' to unary expression
    r + 1; // error: invalid operands to binary expression
    if (r) ; // error: statement requires expression of scalar type
    e++; // error: cannot increment value of type 'event_t'
    v = read_imagef(w, s, at); // error: no matching function for call to 'read_imagef'
    write_imagef(r, at, v); // error: no matching function for call to 'write_imagef'
    v = read_imagef(r, s, at);
    write_imagef(w, at, v);
    taken(w, w, s, e, v, at, n); // error: incompatible access qualifiers
}
