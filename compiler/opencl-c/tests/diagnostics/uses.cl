// options: -cl-std=CL1.2
// Uses of functions and variables.
void empty_statement(void);
int unnamed(int, float);
void f(int n) {
    int n; // error: redefinition of 'n'
    void (*p)(void) = &empty_statement; // error: pointers to functions are not allowed // error: taking address of function is not allowed
    empty_statement; // error: taking address of function is not allowed
    empty_statement(n); // error: too many arguments to function call, expected 0, have 1
    unnamed(1); // error: too few arguments to function call, expected 2, have 1
    n = empty_statement(); // error: assigning to 'int' from incompatible type 'void'
    undeclared_function(n); // error: use of undeclared identifier 'undeclared_function'
    register int r; // error: OpenCL C version 1.2 does not support the 'register' storage class specifier
    int x = x;
    f = 0; // error: expression is not assignable
    sizeof(f); // error: invalid application of 'sizeof' to a function type
    return f(n); // error: recursion is not supported in OpenCL C: 'f' calls itself
}
