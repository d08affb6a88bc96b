// Lattice Boltzmann on a torus in two dimensions with nine speeds: collide where one stands, after pulling from neighbours.
constant int X[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, Y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constant float W[9] = {4 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};
kernel void k(global const float *a, global float *r, int n)
{
    INDEX x = get_global_id(0), y = get_global_id(1);
    float f[9], density = 0, u = 0, v = 0;
    for (int i = 0; i < 9; i++) {
        INDEX from_x = (x + n - X[i]) & (n - 1), from_y = (y + n - Y[i]) & (n - 1);
        f[i] = a[(i * n + from_y) * n + from_x];
        density += f[i], u += X[i] * f[i], v += Y[i] * f[i];
    }
    u /= density, v /= density;
    for (int i = 0; i < 9; i++) {
        float along = 3 * (X[i] * u + Y[i] * v);
        float rest = W[i] * density * (1 + along + 0.5f * along * along - 1.5f * (u * u + v * v));
        r[(i * n + y) * n + x] = f[i] + 0.6f * (rest - f[i]);
    }
}
