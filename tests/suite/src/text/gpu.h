// Enough of CUDA for generated kernels to run on a CPU: each thread of a block is a fiber, and where threads wait for
// each other fibers do. Atomics hand over to another fiber now and then, so that what is retried is retried.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

namespace gpu {

struct Number { unsigned x, y, z; };

enum State { Ready, AtWarp, AtBlock, Done };

struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    State state;
    unsigned mask;       // lanes that it waits for
    uint64_t given;      // what it gives to the others
    uint64_t taken[32];  // what all gave when the last one came
};

static std::vector<Fiber> fibers;
static ucontext_t scheduler;
static unsigned now;
static Number block;
static void (*entry)(void**);
static void** arguments;
static uint64_t seed;
static bool misaligned;  // has an access been at an address that a GPU faults at?

static unsigned random(unsigned below) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(seed >> 33) % below;
}

static void pause(State state) {
    fibers[now].state = state;
    swapcontext(&fibers[now].context, &scheduler);
}

static void run() {
    entry(arguments);
    pause(Done);
}

// The lanes of a mask meet, and each takes what all of them gave.
static uint64_t* meet(unsigned mask, uint64_t given) {
    fibers[now].mask = mask;
    fibers[now].given = given;
    pause(AtWarp);
    return fibers[now].taken;
}

// Lets those go on that need not wait any longer.
static bool release() {
    bool released = false, all_at_block = true;
    for (auto& f : fibers) all_at_block &= f.state == AtBlock || f.state == Done;
    for (unsigned n = 0; n < fibers.size(); ++n) {
        if (fibers[n].state == AtBlock && all_at_block) {
            fibers[n].state = Ready;
            released = true;
        }
        if (fibers[n].state != AtWarp) continue;
        const unsigned first = n / 32 * 32, mask = fibers[n].mask;
        bool met = true;
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (mask >> lane & 1) met &= fibers[first + lane].state == AtWarp && fibers[first + lane].mask == mask;
        }
        if (!met || !(mask >> (n - first) & 1)) continue;
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1)) continue;
            auto& f = fibers[first + lane];
            for (unsigned other = 0; other < 32; ++other) f.taken[other] = fibers[first + other].given;
        }
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (mask >> lane & 1) fibers[first + lane].state = Ready;
        }
        released = true;
    }
    return released;
}

// Runs a block; false if its threads wait for each other for ever.
static bool run_block() {
    for (auto& f : fibers) {
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack.data();
        f.context.uc_stack.ss_size = f.stack.size();
        f.context.uc_link = nullptr;
        makecontext(&f.context, run, 0);
        f.state = Ready;
    }
    while (true) {
        bool ran = false, done = true;
        const unsigned shift = random(fibers.size());
        for (unsigned n = 0; n < fibers.size(); ++n) {
            now = (n + shift) % fibers.size();
            if (fibers[now].state == Ready) {
                swapcontext(&scheduler, &fibers[now].context);
                ran = true;
            }
            done &= fibers[now].state == Done;
        }
        if (done) return true;
        if (!release() && !ran) return false;
    }
}

static int launch(void (*kernel)(void**), const unsigned* grid, unsigned threads, void** passed) {
    entry = kernel;
    arguments = passed;
    seed = 1;
    misaligned = false;
    fibers.resize(threads);
    for (auto& f : fibers) f.stack.resize(1 << 16);
    for (block.z = 0; block.z < grid[2]; ++block.z) {
        for (block.y = 0; block.y < grid[1]; ++block.y) {
            for (block.x = 0; block.x < grid[0]; ++block.x) {
                if (!run_block()) return 1;
            }
        }
    }
    return misaligned ? 2 : 0;
}

template <typename T> uint64_t pack(T value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T> T unpack(uint64_t bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The value of another lane, or one's own if that is none of the group's or not named.
template <typename T> T shuffle(unsigned mask, T value, int from, int width) {
    const int lane = now % 32, first = lane / width * width;
    const uint64_t* given = meet(mask, pack(value));
    const bool inside = from >= first && from < first + width;
    return inside ? unpack<T>(given[from]) : value;
}

// Somebody else may come first.
static void interrupt() {
    if (random(4) == 0) pause(Ready);
}

}  // namespace gpu

#define threadIdx (gpu::Number{gpu::now, 0, 0})
#define blockIdx gpu::block

template <typename T> T __shfl_sync(unsigned mask, T value, int from, int width) {
    return gpu::shuffle(mask, value, (int)(gpu::now % 32) / width * width + from % width, width);
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned by, int width) {
    return gpu::shuffle(mask, value, (int)(gpu::now % 32) - (int)by, width);
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned by, int width) {
    return gpu::shuffle(mask, value, (int)(gpu::now % 32) + (int)by, width);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int by, int width) {
    return gpu::shuffle(mask, value, (int)(gpu::now % 32) ^ by, width);
}
static inline unsigned __ballot_sync(unsigned mask, bool vote) {
    const uint64_t* given = gpu::meet(mask, vote);
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; ++lane) votes |= (mask >> lane & 1) && given[lane] ? 1u << lane : 0;
    return votes;
}
static inline void __syncwarp(unsigned mask = 0xffffffffu) { gpu::meet(mask, 0); }
static inline void __syncthreads() { gpu::pause(gpu::AtBlock); }
static inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
static inline int __ffs(unsigned bits) { return __builtin_ffs((int)bits); }

static inline int __float_as_int(float value) { return gpu::unpack<int>(gpu::pack(value)); }
static inline float __int_as_float(int bits) { return gpu::unpack<float>(gpu::pack(bits)); }
static inline long long __double_as_longlong(double value) { return gpu::unpack<long long>(gpu::pack(value)); }
static inline double __longlong_as_double(long long bits) { return gpu::unpack<double>(gpu::pack(bits)); }

static inline int min(int a, int b) { return b < a ? b : a; }
static inline int max(int a, int b) { return a < b ? b : a; }
static inline long long min(long long a, long long b) { return b < a ? b : a; }
static inline unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
static inline long long max(long long a, long long b) { return a < b ? b : a; }

// Vectors: what is accessed as one is at a multiple of its size. To C++ they are aligned as their elements are, so that
// it does not take the address for granted.
template <typename V> V* vectorAt(V* at) {
    gpu::misaligned |= (uintptr_t)at % sizeof(V) != 0;
    return at;
}
template <typename T> struct __attribute__((may_alias)) Vector2 {
    T x, y;
    Vector2() = default;
    Vector2(const Vector2& from) : x(vectorAt(&from)->x), y(from.y) {}
    Vector2& operator=(const Vector2& from) {
        vectorAt(this)->x = from.x;
        y = from.y;
        return *this;
    }
};
template <typename T> struct __attribute__((may_alias)) Vector4 {
    T x, y, z, w;
    Vector4() = default;
    Vector4(const Vector4& from) : x(vectorAt(&from)->x), y(from.y), z(from.z), w(from.w) {}
    Vector4& operator=(const Vector4& from) {
        vectorAt(this)->x = from.x;
        y = from.y;
        z = from.z;
        w = from.w;
        return *this;
    }
};
typedef Vector2<float> float2;
typedef Vector4<float> float4;
typedef Vector2<double> double2;
typedef Vector2<int> int2;
typedef Vector4<int> int4;
typedef Vector2<long long> longlong2;
typedef Vector2<unsigned char> uchar2;
typedef Vector4<unsigned char> uchar4;

template <typename T> T atomicCAS(T* at, T expected, T value) {
    gpu::interrupt();
    const T seen = *at;
    if (seen == expected) *at = value;
    return seen;
}
template <typename T> T atomicAdd(T* at, T value) {
    gpu::interrupt();
    const T seen = *at;
    // Integers wrap there.
    if constexpr (std::is_integral_v<T>) __builtin_add_overflow(seen, value, at);
    else *at += value;
    return seen;
}
template <typename T> T atomicMin(T* at, T value) {
    gpu::interrupt();
    const T seen = *at;
    *at = min(seen, value);
    return seen;
}
template <typename T> T atomicMax(T* at, T value) {
    gpu::interrupt();
    const T seen = *at;
    *at = max(seen, value);
    return seen;
}
template <typename T> T atomicAnd(T* at, T value) {
    gpu::interrupt();
    const T seen = *at;
    *at &= value;
    return seen;
}
template <typename T> T atomicOr(T* at, T value) {
    gpu::interrupt();
    const T seen = *at;
    *at |= value;
    return seen;
}
