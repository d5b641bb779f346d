// Zeroed memory straight from the system, for a solver's own arrays.
//
// Solves are short and touch all their memory, so page faults count: arrays of megabytes get huge
// pages, each faulted in once, by a write, by one thread. (Left to the first sweep, two threads
// fault the same huge page, and a page that is read first faults twice: a quarter of a solve at
// 128^3.)
#pragma once

#include <cstddef>
#include <memory>

namespace slosh {

class Pages {
public:
    Pages() = default;
    explicit Pages(std::size_t bytes);
    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

private:
    struct Unmap {
        std::size_t size;
        void operator()(void* p) const;
    };
    std::unique_ptr<void, Unmap> memory_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// A fixed number of values of a trivial type.
template <class T>
class PageArray {
public:
    PageArray() = default;
    explicit PageArray(std::size_t n) : pages_(n * sizeof(T)) {}
    T& operator[](std::size_t i) { return static_cast<T*>(pages_.data())[i]; }
    const T& operator[](std::size_t i) const { return static_cast<const T*>(pages_.data())[i]; }
    std::size_t bytes() const { return pages_.bytes(); }

private:
    Pages pages_;
};

}  // namespace slosh
