// options: -cl-std=CL3.0 without __opencl_c_images cl_khr_3d_image_writes __opencl_c_3d_image_writes cl_khr_depth_images __opencl_c_read_write_images
// A device without images has no samplers, either (6.15.15).
void f(read_only image2d_t image); // error: use of image types requires __opencl_c_images support
void g(sampler_t sampler); // error: use of type 'sampler_t' requires __opencl_c_images support
