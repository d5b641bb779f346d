// A video written frame by frame: raw pixels go down a socket to an ffmpeg child process, which
// encodes them as H.264 in an MP4 that any player and browser shows.
//
// The file is written under a temporary name and renamed by finish(), so a video at `path` is
// always whole. The encoder runs with a fixed number of threads and without metadata: the same
// frames give the same bytes on any machine with the same ffmpeg.
#pragma once

#include <filesystem>

#include "slosh/render/image.h"

namespace slosh {

/// Whether ffmpeg can be started.
bool have_ffmpeg();

class VideoWriter {
public:
    /// Starts ffmpeg. All frames must be width x height pixels; an odd size is padded by one
    /// pixel, since H.264 wants even ones. Throws ResourceError if ffmpeg cannot be started.
    VideoWriter(std::filesystem::path path, int width, int height, double fps);
    /// A video that was not finished is thrown away.
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    /// Appends a frame. Throws ResourceError with ffmpeg's own words if it has died.
    void add(const Image& frame);
    /// Closes the file and gives it its name. Throws ResourceError.
    void finish();
    int frames() const { return frames_; }

private:
    [[noreturn]] void fail(const std::string& what);
    int wait_for_child();

    std::filesystem::path path_, part_;
    int width_, height_, frames_ = 0;
    int socket_ = -1;    // our end; ffmpeg's standard input is the other
    int messages_ = -1;  // file that receives ffmpeg's error output
    int child_ = -1;
};

}  // namespace slosh
