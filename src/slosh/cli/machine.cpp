#include "slosh/cli/machine.h"

#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

namespace slosh::cli {
namespace {

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const auto colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
}

}  // namespace

Json machine_info() {
    Json machine = Json::object();
    machine.set("processor", processor_name());
    machine.set("cores", static_cast<int>(std::thread::hardware_concurrency()));
    machine.set("memory_bytes", double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)));
#if defined(__clang__)
    machine.set("compiler", "clang " __clang_version__);
#else
    machine.set("compiler", "g++ " __VERSION__);
#endif
    machine.set("slosh", SLOSH_VERSION);
    return machine;
}

}  // namespace slosh::cli
