// options: -cl-std=CL1.2
// Directives.
#define TWICE(x) ((x) + (x)) // note: previous definition is here
#define TWICE(y) ((y) + (y)) // warning: 'TWICE' macro redefined
#undef // error: macro name missing
#if 1 + // error: expected value in expression
#endif
#error stop here // error: stop here
#warning look here // warning: look here
#if UNKNOWN
#endif
#pragma unknown // warning: unknown pragma ignored [-Wunknown-pragmas]
void a(void) { TWICE(1, 2); } // error: too many arguments provided to function-like macro invocation
int b(void) { return TWICE; } // error: use of undeclared identifier 'TWICE'
#else // error: #else without #if
#ifdef // error: macro name missing
#endif
#if 1 / 0 // error: division by zero in preprocessor expression
#endif
#define 3 // error: macro name must be an identifier
#define F(a, a) // error: duplicate macro parameter name 'a'
#define G(a #b // error: expected
#define H(a) #b // error: '#' is not followed by a macro parameter
#define I ## x // error: '##' cannot appear at start of macro expansion
#include "missing.h" // error: 'missing.h' file not found
