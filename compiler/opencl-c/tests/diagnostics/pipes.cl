// options: -cl-std=CL2.0
// Pipes (6.15.17) and images that are read and written.
pipe int program_pipe; // error: type 'pipe int' can only be used as a function parameter in OpenCL
void qualified(read_write pipe int p); // error: access qualifier 'read_write' can not be used for 'pipe'
void pointed(pipe int *p); // error: pointer to type 'pipe int' is invalid in OpenCL
void f(read_only pipe int r, write_only pipe int w, read_only pipe float4 v, int *i, float4 *d, reserve_id_t id, read_write image2d_t im, sampler_t s) {
    read_pipe(r, i);
    write_pipe(w, i);
    read_pipe(w, i); // error: no matching function for call to 'read_pipe'
    write_pipe(r, i); // error: no matching function for call to 'write_pipe'
    read_pipe(v, d);
    id = reserve_read_pipe(r, 2);
    read_pipe(r, id, 0, i);
    commit_read_pipe(r, id);
    r = r; // error: invalid operands to binary expression
    read_imagef(im, (int2)(0));
    read_imagef(im, s, (int2)(0)); // error: no matching function for call to 'read_imagef'
}
