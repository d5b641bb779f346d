#include "slosh/render/video.h"

#include <doctest/doctest.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "render/shapes.h"
#include "slosh/base/error.h"

using namespace slosh;

namespace {
Image frame_number(int i, int w, int h) {
    Image image(w, h, {std::uint8_t(40 * i), 90, 160});
    draw_label(image, std::to_string(i));
    return image;
}
void write_frames(const std::filesystem::path& path, int frames, int w, int h) {
    VideoWriter video(path, w, h, 30);
    for (int i = 0; i < frames; ++i) video.add(frame_number(i, w, h));
    CHECK_FALSE(std::filesystem::exists(path));
    video.finish();
}
std::string output_of(const std::string& command) {
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    char buffer[256];
    while (pipe && std::fgets(buffer, sizeof buffer, pipe)) text += buffer;
    if (pipe) pclose(pipe);
    return text;
}
std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
bool no_ffmpeg() {
    if (have_ffmpeg()) return false;
    MESSAGE("skipped: ffmpeg is not installed");
    return true;
}
}  // namespace

TEST_CASE("A video holds as many frames as were added, at an even size") {
    if (no_ffmpeg()) return;
    ScratchFile file("frames.mp4");
    write_frames(file.path, 5, 65, 48);
    const std::string read = output_of(
        "ffprobe -v error -count_frames -show_entries "
        "stream=codec_name,width,height,pix_fmt,nb_read_frames -of csv=p=0 " +
        file.path.string());
    CHECK(read == "h264,66,48,yuv420p,5\n");
}

TEST_CASE("The same frames give the same video bytes") {
    if (no_ffmpeg()) return;
    ScratchFile a("same_a.mp4"), b("same_b.mp4");
    write_frames(a.path, 4, 64, 64);
    write_frames(b.path, 4, 64, 64);
    CHECK(bytes_of(a.path).size() > 500);
    CHECK(bytes_of(a.path) == bytes_of(b.path));
}

TEST_CASE("A video that is not finished leaves no file") {
    if (no_ffmpeg()) return;
    ScratchFile file("unfinished.mp4");
    std::filesystem::path part = file.path;
    part.replace_filename(file.path.stem().string() + ".part.mp4");
    {
        VideoWriter video(file.path, 64, 64, 30);
        video.add(frame_number(0, 64, 64));
    }
    CHECK_FALSE(std::filesystem::exists(file.path));
    CHECK_FALSE(std::filesystem::exists(part));
}

TEST_CASE("An encoder that dies is an error that names the file, not a signal") {
    if (no_ffmpeg()) return;
    const std::filesystem::path path = "/nonexistent_folder/video.mp4";
    try {
        VideoWriter video(path, 512, 512, 30);
        for (int i = 0; i < 5; ++i) video.add(frame_number(i, 512, 512));
        video.finish();
        FAIL("no error");
    } catch (const ResourceError& e) {
        const std::string what = e.what();
        CHECK(what.find(path.string()) != std::string::npos);
        CHECK(what.find("No such file") != std::string::npos);
        CHECK(what.find('\n') == std::string::npos);
    }
}

TEST_CASE("A machine without ffmpeg is told what to install") {
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nonexistent_folder", 1);
    CHECK_FALSE(have_ffmpeg());
    try {
        VideoWriter video("video.mp4", 64, 64, 30);
        FAIL("no error");
    } catch (const ResourceError& e) {
        CHECK(std::string(e.what()).find("install the Debian package ffmpeg") != std::string::npos);
    }
    setenv("PATH", path.c_str(), 1);
}
