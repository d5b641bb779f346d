// The page and its stream over HTTP and WebSocket.
//
// Everything that is sent has a *slot*, and of a slot only the newest message counts: a viewer that
// reads slowly skips what it was too late for, and what waits for a viewer is bounded by the number
// of slots. The server keeps the newest message of each slot for those who join later. Nobody who
// sends ever waits: messages are handed to the server's own thread.
//
// Who may connect: on a loopback address, pages whose own address is a loopback name (the Host of
// the request and the Origin of the page must agree, so no other site can reach the stream through
// somebody's browser); elsewhere in addition only links with the token. Only the page itself and
// what offer() was given are served; no path of a request ever meets the file system.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace slosh::view {

/// In the order in which a viewer gets what waits for it.
enum class Slot { Role, Scenes, Scene, State, Error, Left, Right, Stats, Note };
constexpr int kSlots = 9;

struct Message {
    std::string bytes;
    bool text = true;
};
using MessagePtr = std::shared_ptr<const Message>;
MessagePtr text_message(std::string text);
MessagePtr binary_message(std::string bytes);

struct ServerOptions {
    std::string address = "127.0.0.1";  ///< To listen on; numbers, not a name.
    int port = 0;                       ///< 0: any that is free.
    std::string token = {};             ///< Asked for unless empty.
    std::string_view page = {};         ///< HTML.
    int max_connections = 64;           ///< More are closed at once.
    int max_viewers = 32;               ///< More are refused (503).
    std::size_t max_message = 4096;     ///< From a viewer. Bytes.
};

/// Called on the server's thread; must return soon.
struct ServerEvents {
    std::function<void(int viewer)> joined, left;
    /// A text from a viewer; anything else from one ends its connection before it comes here.
    std::function<void(int viewer, std::string_view text)> said;
};

class Server {
public:
    /// Listens, and lets callers wait until start(). InputError if the address is not one,
    /// ResourceError if the port is taken.
    Server(const ServerOptions& options, ServerEvents events);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    void start();

    int port() const;
    /// What to open in a browser on this machine.
    std::string link() const;

    /// To all viewers, present and future. A null message empties the slot.
    void broadcast(Slot slot, MessagePtr message);
    /// To one viewer.
    void send(int viewer, Slot slot, MessagePtr message);
    /// Ends a viewer's connection.
    void drop(int viewer);
    /// Serves these bytes at `path`, "/video.mp4" say.
    void offer(const std::string& path, const std::string& type, MessagePtr content);

    /// What was counted so far.
    struct Counts {
        std::size_t viewers = 0, connections = 0, refused = 0;
        std::size_t messages = 0, bytes = 0;  ///< Sent, to all together.
        std::size_t waiting = 0;  ///< Bytes that wait for viewers, shared ones once each.
    };
    Counts counts() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Whether an address such as 127.0.0.1 or ::1 is this machine's own.
bool is_loopback(const std::string& address);

/// 128 random bits in hexadecimal, from the system.
std::string random_token();

}  // namespace slosh::view
