// options: -cl-std=CL1.2
// Statements, labels and constants.
int no_result(int n) {} // warning: non-void function does not return a value [-Wreturn-type]
int sometimes(int n) { if (n) return 1; } // warning: non-void function does not return a value in all control paths [-Wreturn-type]
int value(void) { return; } // warning: non-void function 'value' should return a value
void f(int n, float x, int4 v, const int k) {
    goto nowhere; // error: use of undeclared label 'nowhere'
    twice: ;
    twice: ; // error: redefinition of label 'twice'
    break; // error: 'break' statement not in loop or switch statement
    continue; // error: 'continue' statement not in loop statement
    case 1: ; // error: 'case' statement not in switch statement
    default: ; // error: 'default' statement not in switch statement
    switch (n) {
    case 1:
    case 1: ; // error: duplicate case value '1'
    case 2 ... 5:
    case 4: ; // error: duplicate case value
    case 1.5f: ; // error: not an integer constant expression
    default:
    default: ; // error: multiple default labels in one switch
    }
    switch (x) {} // error: statement requires expression of integer type
    while (v) ; // error: statement requires expression of scalar type
    k = 1; // error: cannot assign to variable 'k' with const-qualified type
    1 = n; // error: expression is not assignable
    n = 1 / 0; // warning: division by zero
    n = n +; // error: expected expression
    n = (1; // error: expected ')'
    int n2 = 1, n2 = 2; // error: redefinition of 'n2'
    _Static_assert(sizeof(int) == 8, "an int has four bytes"); // error: static assertion failed: an int has four bytes
    {
        int n = 2;
    }
    n = 1 // error: expected ';' after expression
}
