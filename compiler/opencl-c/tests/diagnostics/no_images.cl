// options: -cl-std=CL3.0 without cl_khr_3d_image_writes __opencl_c_3d_image_writes cl_khr_depth_images __opencl_c_read_write_images
// Features of images that a device may lack (6.15.15).
void f(read_only image2d_t r, write_only image3d_t w3, write_only image2d_t w, int2 at, int4 at3, float4 v) {
    write_imagef(w, at, v);
    write_imagef(w3, at3, v); // error: no matching function for call to 'write_imagef'
    v = read_imagef(r, at);
}
void g(read_write image2d_t i); // error: access qualifier 'read_write' cannot be used
void m(read_only image2d_msaa_t i); // error: unknown type name 'image2d_msaa_t'
