// The subcommands: what each one can be told, and the function that does it.
//
// main.cpp fills these structs from the command line; everything below returns an exit code or
// throws slosh::Error, which main turns into one line on stderr and the error's own code.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace slosh::cli {

struct RunOptions {
    std::string scene = "sphere";   ///< Built-in name or file.
    std::string output;             ///< Cache directory. Empty: out/<scene>.
    std::optional<int> frames;      ///< Last frame; frame 1 is the initial state.
    std::optional<int> resolution;  ///< Cells along the longest side of the box.
    int threads = 0;                ///< 0: one per core.
    std::vector<std::string> set;   ///< key=value, laid over the scene.
    bool resume = false;            ///< Go on from the last checkpoint in `output`.
    bool no_video = false;          ///< Do not write preview.mp4 at the end.
    bool quiet = false;             ///< No progress, no closing words.
};
int run(const RunOptions& options);

struct RenderOptions {
    std::string directory;  ///< A cache.
    std::string output;     ///< .mp4 or .png. Empty: preview.mp4 in the cache.
    std::optional<int> frame;
    std::optional<int> width, height;  ///< Pixels.
    bool draft = false;      ///< Fewer rays and at most 640 pixels a side: the preview of `run`.
    bool particles = false;  ///< Draw particles instead of, or in 2D over, the surface.
    int threads = 0;
    bool quiet = false;
};
int render(const RenderOptions& options);

struct ViewOptions {
    std::string what = "sphere";        ///< A scene, or a run's directory.
    std::string address = "127.0.0.1";  ///< To listen on; beyond this machine the link has a token.
    int port = 8686;                    ///< 0: any that is free.
    std::optional<int> resolution;
    std::vector<std::string> set;
    int threads = 0;
    bool paused = false;      ///< Wait for somebody to press play.
    bool no_browser = false;  ///< Only print the link.
};
int view(const ViewOptions& options);

struct CheckOptions {
    std::string scene;
    std::optional<int> frames, resolution;
    std::vector<std::string> set;
};
int check(const CheckOptions& options);

int scenes(const std::string& name);  ///< Lists all if `name` is empty, else prints that one.
int info(const std::string& path);

struct BenchOptions {
    std::string suite;
    std::vector<std::string> scenes, solvers;  ///< Empty: the suite's own choice.
    std::vector<int> sizes, threads;           ///< Empty: the suite's own choice.
    std::vector<std::string> set;              ///< Overrides KEY=VALUE of the scenes.
    std::vector<int> bodies;                   ///< pressure: numbers of balls in a tank.
    std::optional<int> frames;
    std::optional<int> repeats;       ///< step, tall: runs of each case; lcp: solves.
    std::string json;                 ///< File for the rows. Empty: none.
    std::vector<std::string> tables;  ///< Of the papers, such as 6.4; suites with has_tables only.
    std::string plot;                 ///< Directory for figures; the same suites. Empty: none.
};
int bench(const BenchOptions& options);

struct LcpCommandOptions {
    std::string directory;  ///< Holds A.mtx, b.mtx, set.txt and perhaps cells.txt; gets p.mtx.
    std::string solver = "mprgp";
    std::optional<double> tol;  ///< Of the natural residual, in the units of b. None: 1e-6 max|b|.
    std::string json;           ///< File for the report. Empty: none.
};
int lcp(const LcpCommandOptions& options);

struct ValidateOptions {
    std::vector<std::string>
        cases;          ///< Names such as 1, 2a, 4c/density=0.1. Empty: all short ones.
    std::string json;   ///< File for the rows. Empty: none.
    std::string plot;   ///< Directory for charts of the cases that have one. Empty: none.
    bool list = false;  ///< Name the cases and stop.
    bool all = false;   ///< The long ones, too.
    int threads = 0;
};
int validate(const ValidateOptions& options);

}  // namespace slosh::cli
