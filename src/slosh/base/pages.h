// Memory for fields and for a solver's own arrays, kept from one step to the next.
//
// Steps take and give back the same memory again and again and touch all of it, so page faults
// count: fresh memory would cost a quarter of a solve at 256^3 and an eighth of a step at 64^3.
// Arrays of megabytes get huge pages, each faulted in once, by a write, by one thread. Freed memory
// goes to a pool that, with what is in use, holds at most a quarter more than was once in use
// together.
#pragma once

#include <cstddef>
#include <utility>

namespace slosh {

/// What the bytes of new memory are.
enum class Fill { Zero, Nothing };

/// Memory for `bytes` > 0 bytes, at the start of a page; `fresh` if it is new from the system and
/// so zero.
void* take_pages(std::size_t bytes, bool& fresh);
void give_pages_back(void* memory);
/// Gives the pooled memory back to the system.
void release_pooled_pages();

class Pages {
public:
    Pages() = default;
    Pages(std::size_t bytes, Fill fill);
    ~Pages();
    Pages(Pages&& o) noexcept { swap(o); }
    Pages& operator=(Pages&& o) noexcept {
        swap(o);
        return *this;
    }
    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

private:
    void swap(Pages& o) {
        std::swap(data_, o.data_);
        std::swap(bytes_, o.bytes_);
    }
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// A fixed number of values of a trivial type, uninitialised.
template <class T>
class PageArray {
public:
    PageArray() = default;
    explicit PageArray(std::size_t n) : pages_(n * sizeof(T), Fill::Nothing) {}
    T& operator[](std::size_t i) { return static_cast<T*>(pages_.data())[i]; }
    const T& operator[](std::size_t i) const { return static_cast<const T*>(pages_.data())[i]; }
    std::size_t size() const { return pages_.bytes() / sizeof(T); }
    std::size_t bytes() const { return pages_.bytes(); }

private:
    Pages pages_;
};

}  // namespace slosh
