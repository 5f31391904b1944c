// An NVRTC that is none: a CUBIN is the source after what a CUBIN begins with. FAKE_NVRTC lists what goes wrong, as
// `version=13,fail=1`.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int result;

static long setting(const char *name, long otherwise) {
  const char *all = getenv("FAKE_NVRTC");
  const char *found = all ? strstr(all, name) : 0;
  return found && found[strlen(name)] == '=' ? atol(found + strlen(name) + 1) : otherwise;
}

struct program {
  char source[10000], log[10000];
};

const char *nvrtcGetErrorString(result code) { return code == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_OTHER"; }
result nvrtcVersion(int *major, int *minor) { *major = setting("version", 12); *minor = 9; return 0; }
result nvrtcGetNumSupportedArchs(int *n) { *n = 2; return 0; }
result nvrtcGetSupportedArchs(int *archs) { archs[0] = 80; archs[1] = 90; return 0; }
result nvrtcCreateProgram(struct program **program, const char *source, const char *name, int headers,
                          const char *const *texts, const char *const *names) {
  *program = calloc(1, sizeof(struct program));
  snprintf((*program)->source, sizeof (*program)->source, "%s", source);
  return 0;
}
result nvrtcDestroyProgram(struct program **program) { free(*program); return 0; }
result nvrtcCompileProgram(struct program *program, int n, const char *const *options) {
  const char *path = getenv("FAKE_NVRTC_TRACE");
  FILE *file = path ? fopen(path, "a") : 0;
  if (file) {
    for (int i = 0; i < n; i++) fprintf(file, "%s ", options[i]);
    fprintf(file, "\n");
    fclose(file);
  }
  if (!setting("silent", 0)) strcpy(program->log, "a log");
  return setting("fail", 0) ? 6 : 0;
}
result nvrtcGetCUBINSize(struct program *program, size_t *size) { *size = strlen(program->source) + 4; return 0; }
result nvrtcGetCUBIN(struct program *program, char *cubin) {
  memcpy(cubin, "\x7f" "ELF", 4);
  memcpy(cubin + 4, program->source, strlen(program->source));
  return 0;
}
result nvrtcGetProgramLogSize(struct program *program, size_t *size) { *size = strlen(program->log) + 1; return 0; }
result nvrtcGetProgramLog(struct program *program, char *log) { strcpy(log, program->log); return 0; }
