// options: -cl-std=CL1.2
// Functions, their attributes and their parameters (6.9, 6.11).
int variadic(int n, ...); // error: invalid prototype, variadic arguments are not allowed in OpenCL
int unnamed(int, float);
int unnamed_defined(int) { return 1; } // warning: omitting the parameter name in a function definition is a C23 extension [-Wc23-extensions]
nothing(void) { return 1; } // warning: type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int [-Wimplicit-int]
void nested(void) { int inner(void) { return 1; } } // error: function definition is not allowed here
int array_result(void)[2]; // error: function cannot return type 'int[2]'
void void_parameter(void x); // error: argument may not have 'void' type
void void_second(int a, void); // error: argument may not have 'void' type
kernel int variable; // error: 'kernel' attribute only applies to functions // error: program scope variable must reside in constant address space
static int twice(int a);
int twice(int a) { return a; }
int space(global int *p);
int space(local int *p); // error: conflicting types for 'space'
struct incomplete;
struct incomplete result(void);
void by_value(struct incomplete s);
void defined(struct incomplete s) {} // error: variable has incomplete type 'struct incomplete'
__attribute__((no_such_attribute)) void unknown_attribute(void); // warning: unknown attribute 'no_such_attribute' ignored [-Wunknown-attributes]
__attribute__((aligned(3))) constant int odd = 1; // error: requested alignment is not a power of 2
typedef float float0 __attribute__((ext_vector_type(0))); // error: vector size must be between 1 and 16
kernel __attribute__((vec_type_hint(struct incomplete))) void hint(void) {} // error: invalid attribute argument - expecting a vector or vectorizable scalar type
kernel __attribute__((work_group_size_hint(1, 2, x))) void size_hint(global int *p) {} // error: use of undeclared identifier 'x'
inline int only_inline(int a) { return a; }
int a_typedef(int T) { return T; }
typedef int T;
int shadows(int T) { return T; }
int T_again(float T) { T x; return 1; } // error: expected ';' after expression
void empty_statement(void) { ; ; };
void many(int a, int a); // error: redefinition of parameter 'a'
extern int in_body(void) { return 1; }
typedef int stored = 3; // error: expected ';' after top level declarator
static static int twice_static(void);
int const const_result(void);
