// A CUDA driver that is none: memory is the host's, and work is done when it is asked for. FAKE_CUDA lists what goes
// wrong, as `version=11040,devices=0`. It has exactly the functions that the runtime looks for, so that a call of any
// other one fails the tests.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

typedef int result;
typedef unsigned long long address;

// The number after `name=`, or what stands for nothing.
static long setting(const char *name, long otherwise) {
  const char *all = getenv("FAKE_CUDA");
  const char *found = all ? strstr(all, name) : 0;
  return found && found[strlen(name)] == '=' ? atol(found + strlen(name) + 1) : otherwise;
}

// One line a call, for tests that count them.
static void trace(const char *call) {
  const char *path = getenv("FAKE_CUDA_TRACE");
  FILE *file = path ? fopen(path, "a") : 0;
  if (file) {
    fprintf(file, "%s\n", call);
    fclose(file);
  }
}

static char stream_memory[64];
static int streams;

result cuInit(unsigned flags) { return setting("init", 0); }
result cuDriverGetVersion(int *version) { *version = setting("version", 12080); return 0; }
result cuDeviceGetCount(int *count) { *count = setting("devices", 2); return 0; }
result cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
result cuDeviceGetName(char *name, int len, int device) { snprintf(name, len, "Fake %d", device); return 0; }
result cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
    case 36: *value = setting("memory-clock", 0); return 0;
    case 37: *value = setting("bus", 0); return 0;
    case 38: *value = setting("cache", 0); return 0;
    case 75: *value = setting("major", 9); return 0;
    case 76: *value = setting("minor", 0); return 0;
    case 115: *value = setting("pools", 1); return 0;
    default: return 1;
  }
}
result cuDeviceGetDefaultMemPool(void **pool, int device) { *pool = stream_memory; return 0; }
#ifndef WITHOUT_POOLS
result cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  return attribute == 4 && *(uint64_t *)value == UINT64_MAX ? 0 : 1;
}
// It has 96 bytes that nobody uses.
result cuMemPoolGetAttribute(void *pool, int attribute, void *value) {
  *(uint64_t *)value = attribute == 5 ? 4096 : 4000;
  return pool == stream_memory && (attribute == 5 || attribute == 7) ? 0 : 1;
}
#endif
result cuDevicePrimaryCtxRetain(void **context, int device) { *context = stream_memory + device; return 0; }
result cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
result cuCtxSetCurrent(void *context) { return setting("dead", 0); }
result cuCtxSynchronize(void) { trace("synchronize all"); return 0; }

result cuStreamCreate(void **stream, unsigned flags) { *stream = stream_memory + ++streams; return flags == 1 ? 0 : 1; }
result cuStreamDestroy_v2(void *stream) { trace("stream destroyed"); return 0; }
result cuStreamSynchronize(void *stream) { trace("synchronize"); return setting("fault", 0); }
result cuStreamWaitEvent(void *stream, void *event, unsigned flags) { trace("wait"); return 0; }

static int clock_ms;
result cuEventCreate(void **event, unsigned flags) { *event = malloc(sizeof(int)); return 0; }
result cuEventRecord(void *event, void *stream) { *(int *)event = clock_ms += 5; return 0; }
result cuEventQuery(void *event) { return setting("query", 0); }
result cuEventSynchronize(void *event) { return 0; }
result cuEventElapsedTime(float *ms, void *start, void *end) { *ms = *(int *)end - *(int *)start; return 0; }
result cuEventDestroy_v2(void *event) { free(event); return 0; }

static result allocate(address *to, size_t bytes, const char *call) {
  trace(call);
  if (bytes > (size_t)setting("memory", 1 << 20)) return 2;
  void *memory = malloc(bytes);
  // What is not written shows.
  memset(memory, 0xcd, bytes);
  *to = (address)(uintptr_t)memory;
  return 0;
}
result cuMemAllocAsync(address *to, size_t bytes, void *stream) { return allocate(to, bytes, "allocate in order"); }
result cuMemAlloc_v2(address *to, size_t bytes) { return allocate(to, bytes, "allocate"); }
result cuMemFreeAsync(address at, void *stream) { trace("free in order"); free((void *)(uintptr_t)at); return 0; }
result cuMemFree_v2(address at) { trace("free"); free((void *)(uintptr_t)at); return 0; }
result cuMemGetInfo_v2(size_t *free, size_t *total) { *free = 1000; *total = 1 << 20; return 0; }

result cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream) {
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}
result cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream) {
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return 0;
}
result cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void *stream) {
  memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
  return 0;
}
result cuMemsetD8Async(address to, unsigned char value, size_t n, void *stream) {
  memset((void *)(uintptr_t)to, value, n);
  return 0;
}
result cuMemsetD32Async(address to, unsigned value, size_t n, void *stream) {
  for (size_t i = 0; i < n; i++) ((uint32_t *)(uintptr_t)to)[i] = value;
  return 0;
}
result cuMemsetD2D32Async(address to, size_t pitch, unsigned value, size_t width, size_t height, void *stream) {
  for (size_t row = 0; row < height; row++)
    for (size_t i = 0; i < width; i++) ((uint32_t *)(uintptr_t)(to + row * pitch))[i] = value;
  return 0;
}

result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **arguments, void **extra);
#ifndef WITHOUT_EARLY_LAUNCHES
typedef struct {
  int id;
  char pad[4];
  union { char pad[64]; int allowed; } value;
} attribute;
typedef struct {
  unsigned gx, gy, gz, bx, by, bz, shared;
  void *stream;
  attribute *attributes;
  unsigned count;
} config;
// What may start before the launch before it has ended: here that has always ended.
result cuLaunchKernelEx(const config *c, void *function, void **arguments, void **extra) {
  if (c->count != 1 || c->attributes->id != 6 || c->attributes->value.allowed != 1) return 1;
  trace("early");
  if (setting("early", 0)) return setting("early", 0);
  return cuLaunchKernel(function, c->gx, c->gy, c->gz, c->bx, c->by, c->bz, c->shared, c->stream, arguments, extra);
}
#endif

// Who includes this may have kernels that run.
#ifndef OWN_KERNELS
result cuModuleLoadData(void **module, const void *image) {
  trace("load");
  *module = (void *)image;
  return setting("module", 0);
}
result cuModuleGetFunction(void **function, void *module, const char *name) {
  static const char *known[] = {"axpy", "types", "spmv", "bump", "bump_again", 0};
  for (int i = 0; known[i]; i++)
    if (!strcmp(known[i], name)) {
      *function = (void *)known[i];
      return 0;
    }
  return 500;
}
result cuModuleUnload(void *module) { trace("unload"); return 0; }

#define POINTER(type, at) (*(type **)arguments[at])
#define VALUE(type, at) (*(type *)arguments[at])

// y[i] += a * x[i] for each thread of the grid.
static void axpy(unsigned threads, void **arguments) {
  int n = VALUE(int, 0);
  double a = VALUE(double, 1), *x = POINTER(double, 2), *y = POINTER(double, 3);
  for (unsigned i = 0; i < threads && (int)i < n; i++) y[i] += a * x[i];
}
// One of each type, added up.
static void types(void **arguments) {
  *POINTER(double, 6) = VALUE(float, 0) + VALUE(double, 1) + VALUE(int32_t, 2) + VALUE(int64_t, 3) +
                        VALUE(uint8_t, 4) + VALUE(uint8_t, 5);
}
// y = alpha * A * x, a thread a row.
static void spmv(unsigned threads, void **arguments) {
  int *pos = POINTER(int, 0), *crd = POINTER(int, 1), rows = VALUE(int, 4);
  double *vals = POINTER(double, 2), *x = POINTER(double, 3), alpha = VALUE(double, 5), *y = POINTER(double, 6);
  for (int i = 0; i < rows && i < (int)threads; i++) {
    y[i] = 0;
    for (int p = pos[i]; p < pos[i + 1]; p++) y[i] += alpha * vals[p] * x[crd[p]];
  }
}
// B's values are A's, plus what they are already.
static void bump(unsigned threads, void **arguments) {
  double *a = POINTER(double, 0), *b = POINTER(double, 1);
  for (unsigned i = 0; i < threads; i++) b[i] += a[i];
}
result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **arguments, void **extra) {
  trace("launch");
  if (setting("launch", 0)) return setting("launch", 0);
  if (!strcmp(function, "axpy")) axpy(gx * gy * gz * bx * by * bz, arguments);
  if (!strcmp(function, "types")) types(arguments);
  if (!strcmp(function, "spmv")) spmv(gx * bx, arguments);
  if (!strcmp(function, "bump") || !strcmp(function, "bump_again")) bump(gx * gy, arguments);
  return 0;
}
#endif
