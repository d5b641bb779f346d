// The only file that includes Boost: Beast takes half a minute to compile.
#include "slosh/view/server.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "slosh/base/error.h"

namespace slosh::view {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using boost::system::error_code;

MessagePtr text_message(std::string text) {
    return std::make_shared<const Message>(Message{std::move(text), true});
}
MessagePtr binary_message(std::string bytes) {
    return std::make_shared<const Message>(Message{std::move(bytes), false});
}

bool is_loopback(const std::string& address) {
    error_code error;
    const auto parsed = asio::ip::make_address(address, error);
    return !error && parsed.is_loopback();
}

std::string random_token() {
    unsigned char bits[16];
    if (getrandom(bits, sizeof bits, 0) != sizeof bits)
        throw ResourceError("the system gives no random numbers, so there is no safe link");
    std::string token;
    for (const unsigned char b : bits) token += fmt::format("{:02x}", b);
    return token;
}

namespace {

/// A header or a request line longer than this is nobody's we know.
constexpr std::uint32_t kMaxHeader = 8192;
/// For a request to come in and an answer to go out, not counting the stream. s
constexpr std::chrono::seconds kPatience{10};
/// A viewer that answers no ping for this long is gone.
constexpr std::chrono::seconds kIdle{30};

/// Same time for any two texts of one length: nothing to learn from how long a refusal takes.
bool same_secret(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned char differ = 0;
    for (std::size_t i = 0; i < a.size(); ++i) differ |= static_cast<unsigned char>(a[i] ^ b[i]);
    return differ == 0;
}

/// "localhost:8080" is localhost, "[::1]:8080" is ::1.
std::string_view host_name(std::string_view host) {
    if (!host.empty() && host[0] == '[') {
        const auto end = host.find(']');
        return end == host.npos ? std::string_view{} : host.substr(1, end - 1);
    }
    return host.substr(0, host.find(':'));
}

/// The value of `key` in "path?a=1&b=2".
std::string_view query_value(std::string_view target, std::string_view key) {
    auto at = target.find('?');
    while (at != target.npos) {
        std::string_view rest = target.substr(at + 1);
        const auto end = rest.find('&');
        const std::string_view pair = rest.substr(0, end);
        if (pair.substr(0, key.size()) == key && pair.substr(key.size(), 1) == "=")
            return pair.substr(key.size() + 1);
        at = end == rest.npos ? target.npos : at + 1 + end;
    }
    return {};
}

std::string_view view_of(boost::beast::string_view s) {
    return {s.data(), s.size()};
}

struct Offer {
    std::string type;
    MessagePtr content;
};

}  // namespace

/// Everything below runs on the one thread of `io`, but for the counts.
class Server::Impl {
public:
    Impl(const ServerOptions& o, ServerEvents e) : options(o), events(std::move(e)), acceptor_(io) {
        error_code error;
        const auto address = asio::ip::make_address(o.address, error);
        if (error)
            throw InputError(fmt::format(
                "'{}' is no address to listen on; give numbers such as 0.0.0.0", o.address));
        local_ = address.is_loopback();
        const tcp::endpoint at(address, static_cast<unsigned short>(o.port));
        acceptor_.open(at.protocol());
        acceptor_.set_option(asio::socket_base::reuse_address(true));
        acceptor_.bind(at, error);
        if (!error) acceptor_.listen(128, error);
        if (error)
            throw ResourceError(
                fmt::format("cannot listen on {} port {}: {}; --port N takes another", o.address,
                            o.port, error.message()));
        port = acceptor_.local_endpoint().port();
    }

    void start() {
        accept();
        thread_ = std::thread([this] { io.run(); });
    }
    void stop();

    bool may_see(std::string_view host, std::string_view origin, std::string_view target) const;
    MessagePtr offered(std::string_view path, std::string& type) const;

    ServerOptions options;
    ServerEvents events;
    asio::io_context io{1};
    int port = 0;
    int connections = 0;
    std::atomic<std::size_t> refused{0}, messages{0}, bytes{0};

    class Stream;
    class Request;
    std::map<int, std::shared_ptr<Stream>> viewers;
    std::set<std::shared_ptr<Request>> requests;
    std::array<MessagePtr, kSlots> newest;
    std::map<std::string, Offer, std::less<>> offers;
    std::shared_ptr<Stream> find(int viewer) const {
        const auto found = viewers.find(viewer);
        return found == viewers.end() ? nullptr : found->second;
    }
    int next_viewer = 1;
    mutable std::mutex counting;
    Counts counted;
    void count();

private:
    void accept();
    tcp::acceptor acceptor_;
    bool local_ = true;
    std::thread thread_;
};

/// A viewer: at most one write is under way, the rest waits in its slots.
class Server::Impl::Stream : public std::enable_shared_from_this<Stream> {
public:
    Stream(Impl& server, beast::tcp_stream&& stream)
        : server_(&server), id_(server.next_viewer++), stream_(std::move(stream)) {}

    template <class Request>
    void start(Request request) {
        beast::get_lowest_layer(stream_).expires_never();
        beast::get_lowest_layer(stream_).socket().set_option(tcp::no_delay(true));
        websocket::stream_base::timeout timeout;
        timeout.handshake_timeout = kPatience;
        timeout.idle_timeout = kIdle;
        timeout.keep_alive_pings = true;
        stream_.set_option(timeout);
        stream_.read_message_max(server_->options.max_message);
        stream_.auto_fragment(false);
        stream_.async_accept(request, [self = shared_from_this()](error_code error) {
            if (error) return self->end();
            self->server_->viewers[self->id_] = self;
            for (int s = 0; s < kSlots; ++s) self->slots_[s] = self->server_->newest[s];
            self->server_->count();
            if (self->server_->events.joined) self->server_->events.joined(self->id_);
            self->read();
            self->write();
        });
    }
    void put(Slot slot, const MessagePtr& message) {
        slots_[int(slot)] = message;
        write();
    }
    void close() {
        if (closing_) return;
        closing_ = true;
        beast::get_lowest_layer(stream_).close();
    }
    std::size_t waiting() const {
        std::size_t sum = 0;
        for (const MessagePtr& m : slots_)
            if (m) sum += m->bytes.size();
        return sum;
    }

private:
    void read() {
        stream_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
            if (error || !self->stream_.got_text()) return self->end();
            const auto data = self->buffer_.cdata();
            if (self->server_->events.said)
                self->server_->events.said(self->id_,
                                           {static_cast<const char*>(data.data()), data.size()});
            self->buffer_.consume(self->buffer_.size());
            self->read();
        });
    }
    void write() {
        if (writing_ || closing_) return;
        for (MessagePtr& slot : slots_) {
            if (!slot) continue;
            writing_ = std::move(slot);
            slot = nullptr;
            stream_.text(writing_->text);
            stream_.async_write(asio::buffer(writing_->bytes),
                                [self = shared_from_this()](error_code error, std::size_t n) {
                                    self->writing_ = nullptr;
                                    if (error) return self->end();
                                    ++self->server_->messages;
                                    self->server_->bytes += n;
                                    self->write();
                                });
            return;
        }
    }
    void end() {
        close();
        if (ended_) return;
        ended_ = true;
        --server_->connections;
        const bool was = server_->viewers.erase(id_) > 0;
        server_->count();
        if (was && server_->events.left) server_->events.left(id_);
    }

    Impl* const server_;  // outlives this: it owns the thread that all of this runs on
    const int id_;
    websocket::stream<beast::tcp_stream> stream_;
    beast::flat_buffer buffer_;
    std::array<MessagePtr, kSlots> slots_;
    MessagePtr writing_;
    bool closing_ = false, ended_ = false;
};

/// A connection until it is known what it wants: one request, one answer.
class Server::Impl::Request : public std::enable_shared_from_this<Request> {
public:
    Request(Impl& server, tcp::socket&& socket) : server_(&server), stream_(std::move(socket)) {
        parser_.header_limit(kMaxHeader);
        parser_.body_limit(0);
    }
    void start() {
        stream_.expires_after(kPatience);
        http::async_read(stream_, buffer_, parser_,
                         [self = shared_from_this()](error_code error, std::size_t) {
                             error ? self->end() : self->answer();
                         });
    }
    void close() { stream_.close(); }

private:
    void answer() {
        const auto& request = parser_.get();
        const std::string_view target = view_of(request.target());
        const std::string_view path = target.substr(0, target.find('?'));
        if (!server_->may_see(view_of(request[http::field::host]),
                              view_of(request[http::field::origin]), target)) {
            ++server_->refused;
            return reply(http::status::forbidden, "text/plain",
                         text_message("Refused: use the link that slosh printed.\n"));
        }
        if (websocket::is_upgrade(request)) {
            if (path != "/stream" || int(server_->viewers.size()) >= server_->options.max_viewers) {
                ++server_->refused;
                return reply(http::status::service_unavailable, "text/plain",
                             text_message("Too many viewers.\n"));
            }
            // The connection is the stream's from now on, and is counted there.
            auto stream = std::make_shared<Stream>(*server_, std::move(stream_));
            moved_ = true;
            stream->start(parser_.release());
            return end();
        }
        if (request.method() != http::verb::get && request.method() != http::verb::head)
            return reply(http::status::method_not_allowed, "text/plain",
                         text_message("Only GET.\n"));
        if (path == "/")
            return reply(http::status::ok, "text/html; charset=utf-8",
                         text_message(std::string(server_->options.page)));
        std::string type;
        if (const MessagePtr content = server_->offered(path, type))
            return reply(http::status::ok, type, content);
        reply(http::status::not_found, "text/plain", text_message("Nothing here.\n"));
    }
    void reply(http::status status, const std::string& type, const MessagePtr& content) {
        content_ = content;
        const bool head = parser_.get().method() == http::verb::head;
        answer_.emplace(std::piecewise_construct,
                        std::make_tuple(head ? nullptr : content->bytes.data(),
                                        head ? 0 : content->bytes.size()),
                        std::make_tuple(status, 11u));
        answer_->set(http::field::content_type, type);
        answer_->set(http::field::cache_control, "no-store");
        answer_->set(http::field::connection, "close");
        answer_->set("X-Content-Type-Options", "nosniff");
        answer_->set("Referrer-Policy", "no-referrer");
        answer_->set("X-Frame-Options", "DENY");
        answer_->set("Content-Security-Policy",
                     "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                     "img-src data: blob:; connect-src 'self'; media-src 'self' blob:; "
                     "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
        answer_->content_length(content->bytes.size());
        stream_.expires_after(kPatience);
        http::async_write(stream_, *answer_, [self = shared_from_this()](error_code, std::size_t) {
            error_code ignored;
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
            self->end();
        });
    }
    void end() {
        server_->requests.erase(shared_from_this());
        if (!moved_) --server_->connections;
        server_->count();
    }

    Impl* const server_;  // outlives this: it owns the thread that all of this runs on
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_{kMaxHeader};
    http::request_parser<http::empty_body> parser_;
    std::optional<http::response<http::span_body<const char>>> answer_;
    MessagePtr content_;
    bool moved_ = false;
};

bool Server::Impl::may_see(std::string_view host, std::string_view origin,
                           std::string_view target) const {
    const std::string_view name = host_name(host);
    // A name that somebody points at 127.0.0.1 is no way around the rule of origins.
    if (local_ && name != "localhost" && !is_loopback(std::string(name))) return false;
    if (!origin.empty() && origin != "http://" + std::string(host) &&
        origin != "https://" + std::string(host))
        return false;
    return options.token.empty() || same_secret(query_value(target, "token"), options.token);
}

MessagePtr Server::Impl::offered(std::string_view path, std::string& type) const {
    const auto found = offers.find(path);
    if (found == offers.end()) return nullptr;
    type = found->second.type;
    return found->second.content;
}

void Server::Impl::accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (error) {  // out of file handles, say: let some go before the next
            auto timer = std::make_shared<asio::steady_timer>(io, std::chrono::milliseconds(100));
            timer->async_wait([this, timer](error_code) { accept(); });
            return;
        }
        if (connections < options.max_connections) {
            ++connections;
            const auto request = std::make_shared<Request>(*this, std::move(socket));
            requests.insert(request);
            request->start();
        } else {
            ++refused;
        }
        count();
        accept();
    });
}

void Server::Impl::count() {
    const std::lock_guard lock(counting);
    counted.viewers = viewers.size();
    counted.connections = std::size_t(connections);
    counted.waiting = 0;
    for (const auto& [id, stream] : viewers) counted.waiting += stream->waiting();
}

void Server::Impl::stop() {
    asio::post(io, [this] {
        error_code ignored;
        acceptor_.close(ignored);
        for (const auto& request : requests) request->close();
        for (const auto& [id, stream] : viewers) stream->close();
        io.stop();
    });
    if (thread_.joinable()) thread_.join();
    events = {};
    viewers.clear();
    requests.clear();
}

Server::Server(const ServerOptions& options, ServerEvents events)
    : impl_(std::make_unique<Impl>(options, std::move(events))) {}

void Server::start() {
    impl_->start();
}

Server::~Server() {
    impl_->stop();
}

int Server::port() const {
    return impl_->port;
}

std::string Server::link() const {
    const std::string& address = impl_->options.address;
    std::string host = is_loopback(address) ? "localhost" : address;
    if (host == "0.0.0.0" || host == "::") host = "localhost";
    if (address == "::1")
        host = "[::1]";
    else if (host.find(':') != host.npos)
        host = "[" + host + "]";
    std::string link = fmt::format("http://{}:{}/", host, impl_->port);
    if (!impl_->options.token.empty()) link += "?token=" + impl_->options.token;
    return link;
}

void Server::broadcast(Slot slot, MessagePtr message) {
    asio::post(impl_->io, [impl = impl_.get(), slot, message = std::move(message)] {
        impl->newest[int(slot)] = message;
        for (const auto& [id, stream] : std::map(impl->viewers)) stream->put(slot, message);
        impl->count();
    });
}

void Server::send(int viewer, Slot slot, MessagePtr message) {
    asio::post(impl_->io, [impl = impl_.get(), viewer, slot, message = std::move(message)] {
        if (const auto stream = impl->find(viewer)) stream->put(slot, message);
    });
}

void Server::drop(int viewer) {
    asio::post(impl_->io, [impl = impl_.get(), viewer] {
        if (const auto stream = impl->find(viewer)) stream->close();
    });
}

void Server::offer(const std::string& path, const std::string& type, MessagePtr content) {
    asio::post(impl_->io, [impl = impl_.get(), path, type, content = std::move(content)] {
        impl->offers[path] = {type, content};
    });
}

Server::Counts Server::counts() const {
    const std::lock_guard lock(impl_->counting);
    Counts c = impl_->counted;
    c.refused = impl_->refused;
    c.messages = impl_->messages;
    c.bytes = impl_->bytes;
    return c;
}

}  // namespace slosh::view
