// A driver whose GPU is this machine's processor: the fake one of `sparse-gpu`, and kernels that run. What is loaded is
// a library that `nvrtc.cpp` compiled.
#define OWN_KERNELS
#include "../../../sparse-gpu/tests/fakes/cuda.c"
#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

result cuModuleLoadData(void **module, const void *image) {
  const Elf64_Ehdr *header = image;
  size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
  const char *folder = getenv("FAKE_FOLDER");
  char path[4096];
  snprintf(path, sizeof path, "%s/module-XXXXXX", folder ? folder : "/tmp");
  int file = mkstemp(path);
  if (file < 0 || write(file, image, size) != (ssize_t)size || close(file)) return 999;
  *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  unlink(path);
  return *module ? 0 : 200;
}

result cuModuleGetFunction(void **function, void *module, const char *name) {
  char run[4096];
  snprintf(run, sizeof run, "run_%s", name);
  *function = dlsym(module, run);
  return *function ? 0 : 500;
}

result cuModuleUnload(void *module) { return dlclose(module) ? 999 : 0; }

result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **arguments, void **extra) {
  int (*run)(const unsigned *, unsigned, void **) = (int (*)(const unsigned *, unsigned, void **))function;
  unsigned grid[3] = {gx, gy, gz};
  if (gx == 0 || gy == 0 || gz == 0 || bx > 1024 || by != 1 || bz != 1 || shared || extra) return 1;
  // Threads that wait for each other for ever.
  return run(grid, bx, arguments) ? 719 : 0;
}
