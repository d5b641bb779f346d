// The slosh command.
#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
    CLI::App app{"slosh simulates liquids that let go of walls."};
    app.set_version_flag("--version", "slosh " SLOSH_VERSION);
    CLI11_PARSE(app, argc, argv);
    return 0;
}
