#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "paths.h"
#include "slosh/base/error.h"
#include "slosh/scene/load.h"

using namespace slosh;
namespace fs = std::filesystem;

TEST_CASE("Every bad scene is refused in one line that says where and what") {
    // Each file begins with "// expect: PHRASE".
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(slosh_test::repository() / "tests/bad_scenes"))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    CHECK(files.size() >= 45);
    for (const fs::path& file : files) {
        CAPTURE(file.filename().string());
        std::string first;
        std::getline(std::ifstream(file) >> std::ws, first);
        const std::string mark = "// expect: ";
        REQUIRE(first.find(mark) == 0);
        const std::string phrase = first.substr(mark.size());
        std::string message = "(accepted)";
        try {
            load_scene(file.string());
        } catch (const InputError& e) {
            message = e.what();
            CHECK(e.exit_code == 2);
        }
        CAPTURE(message);
        CHECK(message.find(phrase) != std::string::npos);
        CHECK(message.find('\n') == std::string::npos);
        CHECK(message.find(file.filename().string() + ":") != std::string::npos);
        CHECK(std::regex_search(message, std::regex(":[0-9]+:[0-9]+: ")));
    }
}
