// An NVRTC for that driver: what it calls a CUBIN is a library with the kernels, compiled by the machine's C++ compiler
// with `gpu.h`, whose path is GPU_H.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

struct Program {
    std::string source, cubin, log;
};

// Calls a kernel with the arguments that an array of pointers is to.
static const char* const call = R"(
#include <utility>
template <auto kernel> struct Entry;
template <typename... A, void (*kernel)(A...)> struct Entry<kernel> {
    template <size_t... n> static void pass(void** a, std::index_sequence<n...>) { kernel(*(A*)a[n]...); }
    static void run(void** a) { pass(a, std::index_sequence_for<A...>{}); }
};
)";

static std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The source as C++: kernels are ordinary functions, and each has one that runs it on a grid.
static std::string translated(std::string source) {
    const std::string global = "extern \"C\" __global__ void ";
    std::string runs;
    for (size_t at = 0; (at = source.find(global, at)) != std::string::npos;) {
        source.replace(at, global.size(), "static void ");
        const size_t bounds = source.find(')', at), open = source.find('(', bounds);
        const std::string name = source.substr(bounds + 2, open - bounds - 2);
        runs += "extern \"C\" int run_" + name + "(const unsigned* grid, unsigned threads, void** a) {\n" +
                "    return gpu::launch(Entry<kernels::" + name + ">::run, grid, threads, a);\n}\n";
    }
    return std::string("#include \"" GPU_H "\"\n") + call + "namespace kernels {\n" + source + "\n}\n" + runs;
}

extern "C" {

const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_COMPILATION"; }
int nvrtcVersion(int* major, int* minor) { return *major = 12, *minor = 8, 0; }
int nvrtcGetNumSupportedArchs(int* n) { return *n = 1, 0; }
int nvrtcGetSupportedArchs(int* archs) { return archs[0] = 90, 0; }
int nvrtcCreateProgram(Program** program, const char* source, const char*, int, const char* const*, const char* const*) {
    *program = new Program{source, "", ""};
    return 0;
}
int nvrtcDestroyProgram(Program** program) { return delete *program, 0; }
int nvrtcCompileProgram(Program* program, int, const char* const*) {
    const char* folder = getenv("FAKE_FOLDER");
    static std::atomic<int> count;
    const std::string at =
        std::string(folder ? folder : "/tmp") + "/kernel-" + std::to_string(getpid()) + "-" + std::to_string(count++);
    std::ofstream(at + ".cpp") << translated(program->source);
    const std::string compile = "c++ -std=c++17 -O0 -ffp-contract=off -Wno-unknown-pragmas -shared -fPIC -o " + at +
                                ".so " + at + ".cpp 2> " + at + ".log";
    // `system` would have its caller ignore Ctrl-C meanwhile.
    FILE* const compiler = popen(compile.c_str(), "r");
    const int failed = !compiler || pclose(compiler);
    program->log = contents(at + ".log");
    program->cubin = contents(at + ".so");
    for (const char* end : {".cpp", ".so", ".log"}) unlink((at + end).c_str());
    return failed ? 6 : 0;
}
int nvrtcGetCUBINSize(Program* program, size_t* size) { return *size = program->cubin.size(), 0; }
int nvrtcGetCUBIN(Program* program, char* cubin) {
    return memcpy(cubin, program->cubin.data(), program->cubin.size()), 0;
}
int nvrtcGetProgramLogSize(Program* program, size_t* size) { return *size = program->log.size() + 1, 0; }
int nvrtcGetProgramLog(Program* program, char* log) {
    return memcpy(log, program->log.c_str(), program->log.size() + 1), 0;
}
}
