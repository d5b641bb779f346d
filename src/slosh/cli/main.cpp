// The slosh command: reads the command line and hands over to one function per subcommand.
//
// The only file that includes CLI11, which takes ten seconds to compile. Every error, from a
// mistyped flag to a full disk, leaves here as one line on stderr and an exit code: 0 done, 2 bad
// usage or input, 3 a solve failed, 4 out of memory or disk, 130 interrupted.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "slosh/base/error.h"
#include "slosh/base/keep_memory.h"
#include "slosh/cli/bench.h"
#include "slosh/cli/commands.h"
#include "slosh/cli/nearest.h"
#include "slosh/lcp/solve.h"

namespace slosh::cli {
namespace {

using Command = std::function<int()>;

// A check that keeps the help short: CLI11 would print every range beside its flag.
CLI::Validator range(int low, int high) {
    CLI::Range check(low, high);
    check.description("");
    return check;
}

void add_scene_flags(CLI::App& command, std::optional<int>& frames, std::optional<int>& resolution,
                     std::vector<std::string>& set) {
    command.add_option("--frames", frames, "Last frame (frame 1 is the initial state)")
        ->type_name("N")
        ->check(range(1, 1000000));
    command.add_option("--resolution", resolution, "Cells along the longest side of the box")
        ->type_name("N")
        ->check(range(1, 16384));
    // allow_extra_args(false): one value a flag, so that `--set a=1 SCENE` keeps its SCENE.
    command.add_option("--set", set, "Override any key of the scene; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_threads(CLI::App& command, int& threads) {
    command.add_option("--threads", threads, "Threads to use (default: one per core)")
        ->type_name("N")
        ->check(range(1, 1024));
}

Command add_run(CLI::App& app) {
    auto o = std::make_shared<RunOptions>();
    CLI::App& c = *app.add_subcommand("run", "Simulate a scene and film it");
    c.add_option("SCENE", o->scene, "Scene file, or name of a built-in scene (default: sphere)")
        ->type_name("");
    c.add_option("-o,--output", o->output, "Directory for all files (default: out/<scene>)")
        ->type_name("DIR");
    add_scene_flags(c, o->frames, o->resolution, o->set);
    add_threads(c, o->threads);
    c.add_flag("--resume", o->resume, "Go on with what is in DIR (also to a later last frame)");
    c.add_flag("--no-video", o->no_video, "Do not write preview.mp4 at the end");
    c.add_flag("-q,--quiet", o->quiet, "Print errors only");
    c.footer("Ctrl-C finishes the frame in hand; --resume goes on from there.");
    return [o] { return run(*o); };
}

Command add_render(CLI::App& app) {
    auto o = std::make_shared<RenderOptions>();
    CLI::App& c = *app.add_subcommand("render", "Make a video or pictures of a finished run");
    c.add_option("DIR", o->directory, "Directory that `slosh run` wrote")
        ->type_name("")
        ->required();
    c.add_option("-o,--output", o->output, "FILE.mp4 or FILE.png (default: DIR/preview.mp4)")
        ->type_name("FILE");
    c.add_option("--frame", o->frame, "Only this frame, as a picture (default: all, as a video)")
        ->type_name("N")
        ->check(range(1, 1000000));
    c.add_option("--width", o->width, "Pixels")->type_name("N")->check(range(16, 16384));
    c.add_option("--height", o->height, "Pixels")->type_name("N")->check(range(16, 16384));
    c.add_flag("--particles", o->particles, "Draw the particles");
    c.add_flag("--draft", o->draft, "Small and quick, like the preview that `slosh run` makes");
    add_threads(c, o->threads);
    c.add_flag("-q,--quiet", o->quiet, "Print errors only");
    return [o] { return render(*o); };
}

Command add_view(CLI::App& app) {
    auto o = std::make_shared<ViewOptions>();
    CLI::App& c = *app.add_subcommand("view", "Watch and touch a simulation in the browser");
    c.add_option("SCENE|DIR", o->what,
                 "Scene file, name of a built-in scene (default: sphere), or directory of a run")
        ->type_name("");
    c.add_option("--port", o->port, "Port to listen on (default: 8686; 0: any)")
        ->type_name("P")
        ->check(range(0, 65535));
    c.add_option("--address", o->address,
                 "Address to listen on (default: this machine only); 0.0.0.0: every network")
        ->type_name("A");
    c.add_option("--resolution", o->resolution,
                 "Cells along the longest side (default: at most 40 in 3D, to keep up)")
        ->type_name("N")
        ->check(range(1, 16384));
    c.add_option("--set", o->set, "Override any key of the scene; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_threads(c, o->threads);
    c.add_flag("--paused", o->paused, "Wait for somebody to press play");
    c.add_flag("--no-browser", o->no_browser, "Only print the link");
    c.footer("Over ssh: ssh -L 8686:localhost:8686 HOST, then open the link on your side.");
    return [o] { return view(*o); };
}

Command add_check(CLI::App& app) {
    auto o = std::make_shared<CheckOptions>();
    CLI::App& c = *app.add_subcommand(
        "check", "Check a scene; say what it will cost in time, memory and disk");
    c.add_option("SCENE", o->scene, "Scene file, or name of a built-in scene")
        ->type_name("")
        ->required();
    add_scene_flags(c, o->frames, o->resolution, o->set);
    return [o] { return check(*o); };
}

Command add_scenes(CLI::App& app) {
    auto name = std::make_shared<std::string>();
    CLI::App& c = *app.add_subcommand("scenes", "List the built-in scenes, or print one of them");
    c.add_option("NAME", *name, "Print this scene's file")->type_name("");
    return [name] { return scenes(*name); };
}

Command add_info(CLI::App& app) {
    auto path = std::make_shared<std::string>();
    CLI::App& c = *app.add_subcommand("info", "Say what is in a run's directory or file");
    c.add_option("PATH", *path, "Directory or file")->type_name("")->required();
    return [path] { return info(*path); };
}

Command add_bench(CLI::App& app) {
    auto o = std::make_shared<BenchOptions>();
    CLI::App& c = *app.add_subcommand("bench", "Measure speed; reproduce a table");
    c.add_option("SUITE", o->suite, "Which table (below)")->type_name("")->required();
    c.add_option("--scene", o->scenes, "Scenes")->delimiter(',')->type_name("A,B");
    c.add_option("--sizes", o->sizes, "Cells along the longest side")
        ->delimiter(',')
        ->type_name("N,M")
        ->check(range(4, 16384));
    c.add_option("--solvers", o->solvers, "Solvers")->delimiter(',')->type_name("A,B");
    c.add_option("--threads", o->threads, "Numbers of threads")
        ->delimiter(',')
        ->type_name("N,M")
        ->check(range(1, 1024));
    c.add_option("--set", o->set,
                 "pressure, step, lcp: override a key of the scenes; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    c.add_option("--frames", o->frames, "Frames to simulate")
        ->type_name("N")
        ->check(range(1, 1000000));
    c.add_option("--repeats", o->repeats,
                 "step, tall, pressure: runs of each case, in turns (default: 1, 3, 1); "
                 "lcp: solves of each system (default: 5, over a run 3, in turns)")
        ->type_name("N")
        ->check(range(1, 1000));
    c.add_option("--bodies", o->bodies, "pressure: a tank with so many rigid balls")
        ->delimiter(',')
        ->type_name("N,M")
        ->check(range(0, 27));
    c.add_option("--json", o->json, "Write machine and rows to this file")->type_name("FILE");
    c.add_option("--table", o->tables,
                 "Rows of the papers' tables: lcp 6.1 to 6.12, and 1; pressure 3")
        ->delimiter(',')
        ->type_name("X,Y");
    c.add_option("--plot", o->plot, "lcp: draw the papers' figures 6.8 to 6.11 into DIR")
        ->type_name("DIR");
    std::string suites = "Suites:\n";
    for (const BenchSuite& suite : bench_suites()) {
        suites +=
            "  " + std::string(suite.name) + std::string(13 - std::string(suite.name).size(), ' ');
        suites += std::string(suite.description) + (suite.run ? "" : " (comes later)") + "\n";
    }
    c.footer(suites);
    return [o] { return bench(*o); };
}

Command add_validate(CLI::App& app) {
    auto o = std::make_shared<ValidateOptions>();
    CLI::App& c = *app.add_subcommand("validate", "Check the physics against references");
    c.add_option("CASE", o->cases, "Case numbers such as 1 or 2a (default: all short ones)")
        ->type_name("");
    c.add_option("--json", o->json, "Write the rows to this file")->type_name("FILE");
    c.add_option("--plot", o->plot,
                 "Draw the dam breaks (2a, 2c, 2e) beside what was measured into DIR")
        ->type_name("DIR");
    c.add_flag("--list", o->list, "Name the cases and stop");
    c.add_flag("--all", o->all, "The long cases, too");
    add_threads(c, o->threads);
    return [o] { return validate(*o); };
}

Command add_lcp(CLI::App& app) {
    auto o = std::make_shared<LcpCommandOptions>();
    CLI::App& c = *app.add_subcommand("lcp", "Solve a complementarity problem of your own");
    c.add_option("DIR", o->directory, "Directory with A.mtx, b.mtx, set.txt; gets p.mtx")
        ->type_name("")
        ->required();
    c.add_option("--solver", o->solver, "Method (below; default: " + o->solver + ")")
        ->type_name("NAME");
    c.add_option("--tol", o->tol, "Natural residual to reach (default: 1e-6 times max|b|)")
        ->type_name("T");
    c.add_option("--json", o->json, "Write the report to this file")->type_name("FILE");
    std::string solvers = "Solves 0 <= p perp A p + b >= 0 in rows of S, A p + b = 0 in others.\n";
    solvers += "Solvers:\n";
    for (const LcpSolver& solver : lcp_solvers()) {
        const std::string word = solver.word;
        solvers += "  " + word + std::string(13 - word.size(), ' ') + solver.description +
                   (solver.needs_cells ? " (needs cells.txt)" : "") + "\n";
    }
    c.footer(solvers);
    return [o] { return lcp(*o); };
}

int complain(const std::string& line) {
    std::string one = line.substr(0, line.find('\n'));
    std::fprintf(stderr, "slosh: %s\n", one.c_str());
    return 2;
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands(nullptr))
        names.push_back(command->get_name());
    return names;
}

// What CLI11 could not place: the first such argument, with the nearest known word.
std::string describe_extra(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    const CLI::App& command = parsed.empty() ? app : *parsed.front();
    const std::string name = parsed.empty() ? "slosh" : "slosh " + command.get_name();
    const auto rest = app.remaining(true);
    const std::string extra = rest.empty() ? "" : rest.front();
    if (extra.rfind("-", 0) == 0) {
        std::vector<std::string> flags;
        for (const CLI::Option* option : command.get_options())
            for (const std::string& flag : option->get_lnames()) flags.push_back("--" + flag);
        const std::string given = extra.substr(0, extra.find('='));
        if (std::find(flags.begin(), flags.end(), given) != flags.end())
            return given + " comes after the command: " + name + " " + extra + " ...";
        return "unknown flag " + given + did_you_mean(given, flags) + "; " + name +
               " --help lists them";
    }
    if (parsed.empty())
        return "unknown command '" + extra + "'" + did_you_mean(extra, command_names(app)) +
               "; slosh --help lists them";
    return "unexpected argument '" + extra + "'; see " + name + " --help";
}

int main(int argc, char** argv) {
    CLI::App app{"slosh simulates liquids that let go of walls.", "slosh"};
    app.set_version_flag("--version", "slosh " SLOSH_VERSION, "Print the version and stop");
    app.set_help_flag("-h,--help", "Print this help and stop");
    app.get_formatter()->column_width(34);
    app.require_subcommand(0, 1);
    const std::vector<std::pair<const char*, Command>> commands = {
        {"run", add_run(app)},     {"render", add_render(app)},     {"view", add_view(app)},
        {"check", add_check(app)}, {"scenes", add_scenes(app)},     {"info", add_info(app)},
        {"bench", add_bench(app)}, {"validate", add_validate(app)}, {"lcp", add_lcp(app)},
    };

    // Set last: subcommands would inherit it.
    app.footer(
        "Start with:  slosh run            water in a sphere; ends with a video\n"
        "             slosh scenes         what else there is\n"
        "             slosh COMMAND --help\n"
        "Exit codes: 0 done, 2 bad usage or input, 3 a solve failed, 4 out of memory or disk,\n"
        "130 interrupted (what is on disk is whole, and `slosh run --resume` goes on).");

    slosh::keep_freed_memory();
    try {
        app.parse(argc, argv);
        for (const auto& [name, command] : commands)
            if (app.got_subcommand(name)) return command();
        std::fputs(app.help().c_str(), stderr);
        return 2;
    } catch (const CLI::Success& e) {  // --help, --version
        return app.exit(e);
    } catch (const CLI::ExtrasError&) {
        return complain(describe_extra(app));
    } catch (const CLI::ParseError& e) {
        const auto parsed = app.get_subcommands();
        const std::string name = parsed.empty() ? "" : " " + parsed.front()->get_name();
        return complain(std::string(e.what()) + "; see slosh" + name + " --help");
    } catch (const Error& e) {
        complain(e.what());
        return e.exit_code;
    } catch (const std::bad_alloc&) {
        complain("out of memory; a lower --resolution needs less (slosh check tells how much)");
        return 4;
    } catch (const std::filesystem::filesystem_error& e) {
        complain(e.what());
        return e.code() == std::errc::no_space_on_device ? 4 : 2;
    } catch (const std::exception& e) {
        complain(std::string("unexpected failure: ") + e.what());
        return 3;
    }
}

}  // namespace
}  // namespace slosh::cli

int main(int argc, char** argv) {
    return slosh::cli::main(argc, argv);
}
