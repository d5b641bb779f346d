#include "slosh/render/video.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "slosh/base/error.h"

extern char** environ;

namespace slosh {

namespace {
/// Starts ffmpeg with the given standard input and error output, found on PATH. The child gets its
/// own process group, so that Ctrl-C reaches us alone and we decide what becomes of the video.
int start(const std::vector<std::string>& words, int input, int errors, pid_t* child) {
    std::vector<char*> argv;
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, errors, 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error = posix_spawnp(child, argv[0], &files, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The last line of a file, which is where ffmpeg says what ended it.
std::string last_line(int file) {
    std::string text(4096, '\0');
    const off_t size = lseek(file, 0, SEEK_END);
    const off_t from = size > off_t(text.size()) ? size - off_t(text.size()) : 0;
    const ssize_t n = pread(file, text.data(), text.size(), from);
    text.resize(n > 0 ? std::size_t(n) : 0);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    const auto line = text.find_last_of("\r\n");
    return line == std::string::npos ? text : text.substr(line + 1);
}

constexpr const char* kInstall = "; install the Debian package ffmpeg, or write PNG pictures";
}  // namespace

bool have_ffmpeg() {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    pid_t child = -1;
    const int error = start({"ffmpeg", "-version"}, null, null, &child);
    close(null);
    return error == 0 && wait_for(child) == 0;
}

VideoWriter::VideoWriter(std::filesystem::path path, int width, int height, double fps)
    : path_(std::move(path)), width_(width), height_(height) {
    SLOSH_EXPECT(width > 0 && height > 0 && fps > 0);
    part_ = path_;
    part_.replace_filename(path_.stem().string() + ".part.mp4");
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    // clang-format off
    std::vector<std::string> words = {
        "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", std::to_string(fps), "-i", "pipe:0",
        "-an", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-preset", "medium",
        "-crf", "18", "-pix_fmt", "yuv420p", "-threads", "4", "-map_metadata", "-1",
        "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart", part_.string()};
    // clang-format on
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw ResourceError(std::string("cannot open a socket to ffmpeg: ") + std::strerror(errno));
    socket_ = ends[0];
    // A nameless file rather than a pipe: nobody has to empty it while frames go the other way.
    messages_ =
        open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (messages_ < 0) messages_ = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int error = start(words, ends[1], messages_, &child_);
    close(ends[1]);
    if (error != 0) {
        child_ = -1;
        fail(std::string("cannot start ffmpeg: ") + std::strerror(error) + kInstall);
    }
}

VideoWriter::~VideoWriter() {
    if (socket_ >= 0) close(socket_);
    if (child_ > 0) {
        kill(child_, SIGKILL);
        wait_for(child_);
        std::error_code ignored;
        std::filesystem::remove(part_, ignored);
    }
    if (messages_ >= 0) close(messages_);
}

int VideoWriter::wait_for_child() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    const int status = child_ > 0 ? wait_for(child_) : 127;
    child_ = -1;
    return status;
}

void VideoWriter::fail(const std::string& what) {
    wait_for_child();
    std::string why = messages_ >= 0 ? last_line(messages_) : "";
    if (messages_ >= 0) close(messages_);
    messages_ = -1;
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
    throw ResourceError("cannot write the video " + path_.string() + ": " + what +
                        (why.empty() ? "" : ": " + why));
}

void VideoWriter::add(const Image& frame) {
    SLOSH_EXPECT(frame.width == width_ && frame.height == height_ && socket_ >= 0);
    const std::uint8_t* data = frame.rgb.data();
    std::size_t left = frame.rgb.size();
    while (left > 0) {
        // MSG_NOSIGNAL: an encoder that died is an error to report, not a SIGPIPE to die of.
        const ssize_t n = send(socket_, data, left, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("ffmpeg ended early");
        data += n;
        left -= std::size_t(n);
    }
    ++frames_;
}

void VideoWriter::finish() {
    SLOSH_EXPECT(socket_ >= 0);
    const int status = wait_for_child();
    if (status != 0) fail("ffmpeg ended with code " + std::to_string(status));
    std::error_code failed;
    std::filesystem::rename(part_, path_, failed);
    if (failed) fail("cannot rename " + part_.string() + ": " + failed.message());
}

}  // namespace slosh
