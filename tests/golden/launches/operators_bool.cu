// y[i] = x[i];
extern "C" __global__ void __launch_bounds__(128) operators(
    const bool* __restrict__ x_vals, int x1_dim, bool* __restrict__ y_vals) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i = block * 128 + thread;
    y_vals[i] = x_vals[i] & x_vals[i + 1];
    y_vals[i] = x_vals[i] & x_vals[i + 1] & (x_vals[i] & (x_vals[i] & x_vals[i + 1]));
    y_vals[i] = x_vals[i] | x_vals[i + 1];
    y_vals[i] = x_vals[i] | x_vals[i + 1] | (x_vals[i] | (x_vals[i] | x_vals[i + 1]));
    y_vals[i] = x_vals[i] & x_vals[i + 1];
    y_vals[i] = x_vals[i] & x_vals[i + 1] & (x_vals[i] & (x_vals[i] & x_vals[i + 1]));
    y_vals[i] = x_vals[i] | x_vals[i + 1];
    y_vals[i] = x_vals[i] | x_vals[i + 1] | (x_vals[i] | (x_vals[i] | x_vals[i + 1]));
    y_vals[i] = x_vals[i] ^ x_vals[i + 1];
    y_vals[i] = x_vals[i] ^ x_vals[i + 1] ^ (x_vals[i] ^ (x_vals[i] ^ x_vals[i + 1]));
    y_vals[i] = x_vals[i] == x_vals[i + 1];
    y_vals[i] = (x_vals[i] == x_vals[i + 1]) == (x_vals[i] == (x_vals[i] == x_vals[i + 1]));
    y_vals[i] = x_vals[i] != x_vals[i + 1];
    y_vals[i] = (x_vals[i] != x_vals[i + 1]) != (x_vals[i] != (x_vals[i] != x_vals[i + 1]));
    y_vals[i] = x_vals[i] < x_vals[i + 1];
    y_vals[i] = (x_vals[i] < x_vals[i + 1]) < (x_vals[i] < (x_vals[i] < x_vals[i + 1]));
    y_vals[i] = x_vals[i] <= x_vals[i + 1];
    y_vals[i] = (x_vals[i] <= x_vals[i + 1]) <= (x_vals[i] <= (x_vals[i] <= x_vals[i + 1]));
    y_vals[i] = x_vals[i] > x_vals[i + 1];
    y_vals[i] = (x_vals[i] > x_vals[i + 1]) > (x_vals[i] > (x_vals[i] > x_vals[i + 1]));
    y_vals[i] = x_vals[i] >= x_vals[i + 1];
    y_vals[i] = (x_vals[i] >= x_vals[i + 1]) >= (x_vals[i] >= (x_vals[i] >= x_vals[i + 1]));
    y_vals[i] = !!x_vals[i];
    y_vals[i] = false;
    y_vals[i] = true;
    y_vals[i] = true;
    y_vals[i] = false;
    y_vals[i] = i + 1 != 0;
    y_vals[i] = (long long)i * x1_dim != 0;
    y_vals[i] = (i < x1_dim && !(i < 7)) || i != block ? x_vals[i] : x_vals[i + 1];
}
