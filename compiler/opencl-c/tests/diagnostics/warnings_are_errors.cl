// options: -cl-std=CL1.2 -Werror -Wno-format-extra-args
// Warnings as errors, but for one that is turned off.
kernel void k(int i, float x) {
    printf("%d\n", x); // error: format specifies type 'int' but the argument has type 'float' [-Wformat]
    printf("%d\n", i, i);
}
int f(void) {} // error: non-void function does not return a value [-Wreturn-type]
int g(global int *p) { return p; } // error: incompatible pointer to integer conversion
