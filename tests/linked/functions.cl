// What kernels.cl calls.

typedef struct {
    int first;
    long rest[3];
} numbers;

int chosen(numbers s, int i) { return s.first + (int)s.rest[i % 3]; }

int all_of(int4 v) { return all(v); }
