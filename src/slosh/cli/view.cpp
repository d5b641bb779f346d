// `slosh view`: the live page of a scene that is computed, or of a run's directory.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/cli/commands.h"
#include "slosh/cli/interrupt.h"
#include "slosh/view/page.h"
#include "slosh/view/player.h"
#include "slosh/view/server.h"

namespace slosh::cli {
namespace {

/// In a browser, if there is a display to show one and somebody to see it.
void open_browser(const std::string& link) {
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
    if (!isatty(STDOUT_FILENO)) return;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
    std::string program = "xdg-open", argument = link;
    char* arguments[] = {program.data(), argument.data(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, "xdg-open", &files, nullptr, arguments, environ) == 0)
        std::thread([child] { waitpid(child, nullptr, 0); }).detach();
    posix_spawn_file_actions_destroy(&files);
}

}  // namespace

int view(const ViewOptions& options) {
    view::PlayerOptions play;
    const bool directory = std::filesystem::is_directory(options.what);
    (directory ? play.directory : play.scene) = options.what;
    if (directory && (options.resolution || !options.set.empty()))
        throw InputError(options.what +
                         " is a run's directory, whose frames are what they are; "
                         "--resolution and --set are for scenes");
    play.overrides = options.set;
    if (options.resolution)
        play.overrides.push_back("resolution=" + std::to_string(*options.resolution));
    play.paused = options.paused;
    set_threads(options.threads);
    view::Player player(std::move(play));

    view::ServerOptions serve;
    serve.address = options.address;
    serve.port = options.port;
    serve.page = view::page();
    if (!view::is_loopback(options.address)) serve.token = view::random_token();
    view::Server server(
        serve, {.joined = [&](int viewer) { player.joined(viewer); },
                .left = [&](int viewer) { player.left(viewer); },
                .said = [&](int viewer, std::string_view text) { player.said(viewer, text); }});
    player.attach(server);
    server.start();
    catch_interrupts("\nclosing the page\n");
    std::printf("open %s  (Ctrl-C ends it)\n", server.link().c_str());
    std::fflush(stdout);
    if (!options.no_browser) open_browser(server.link());
    player.run(interrupted,
               [](const std::string& line) { std::fprintf(stderr, "slosh: %s\n", line.c_str()); });
    return 0;
}

}  // namespace slosh::cli
