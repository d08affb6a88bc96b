// What is computed of finite numbers is finite.

// 8/8: f32 8
kernel void zero_by_zero(global float *data) {
    int i = get_global_id(0);
    data[i] = data[i] / (data[i] * 2);
}

// 8/8: f32 9
kernel void near_zero_by_zero(global float *data) {
    int i = get_global_id(0);
    data[i] = data[i] / (data[i] * 2 + 1);
}

// 8/8: f32 8
kernel void logarithm_of_zero(global float *data) {
    int i = get_global_id(0);
    float l = log(data[i]);
    data[i] = l * 2 + 1;
}

// 8/8: f32 8
kernel void near_logarithm_of_zero(global float *data) {
    int i = get_global_id(0);
    data[i] = log(data[i] + 1) * 2;
}

// 8/8: f32 8
kernel void root_of_a_component(global float *data) {
    int i = get_global_id(0);
    float4 v = sqrt((float4)(i, 3 - i, i, 1));
    data[i] = v.y;
}

// 8/8: f32 8
kernel void near_root_of_a_component(global float *data) {
    int i = get_global_id(0);
    float4 v = sqrt((float4)(i, 7 - i, i, 1));
    data[i] = v.y;
}

// 8/8: f64 8
kernel void too_large_for_a_float(global double *data) {
    int i = get_global_id(0);
    data[i] = (float)(data[i] * 1e38);
}

// 8/8: f64 8
kernel void near_too_large_for_a_float(global double *data) {
    int i = get_global_id(0);
    data[i] = data[i] * 1e300;
}

// 8/8: f32 8
kernel void near_a_nan_is_handed_on(global float *data) {
    int i = get_global_id(0);
    float x = nan(0u), y = INFINITY;
    data[i] = fmax(x + data[i], data[i]) * y;
}

// 8/8: f32 8
kernel void near_tests_are_no_arithmetic(global float *data) {
    int i = get_global_id(0);
    float x = i < 4 ? NAN : data[i];
    data[i] = isnan(x) ? 0 : x;
}

// 4/4: f32 4
kernel void power_grows(global float *data) {
    int i = get_global_id(0);
    data[i] = pow(10.0f, data[i] * 20);
}

// 4/4: f32 4
kernel void near_power_grows(global float *data) {
    int i = get_global_id(0);
    data[i] = pow(10.0f, data[i] * 12);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// 8/8: f32 8
kernel void near_halves(global float *data) {
    int i = get_global_id(0);
    half h = data[i];
    data[i] = h * h;
}
