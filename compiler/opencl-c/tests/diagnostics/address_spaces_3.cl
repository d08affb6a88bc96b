// options: -cl-std=CL3.0
// The generic address space, and variables of the program (6.7, 6.7.5).
int g;
global int gg = 1;
static global int *gs = &g;
local int gl; // error: program scope variable must reside in global or constant address space
private int gp; // error: program scope variable must reside in global or constant address space
generic int gn; // error: program scope variable must reside in global or constant address space
void inner(int *p);
void f(global int *g, local int *l, constant int *c, generic int *n) {
    static int s = 3;
    static local int sl; // error: static local variable must reside in global or constant address space
    static constant int sc = 3;
    generic int x; // error: variable cannot be declared in generic address space
    n = g;
    n = l;
    n = c; // error: assigning
    g = n; // error: assigning
    g = (global int *)n;
    c = (constant int *)n; // error: changes address space of pointer
    inner(g);
    inner(l);
    inner(c); // error: passing
    int *global *pp = 0;
    int *local *pl = pp; // error: changes address space
}
