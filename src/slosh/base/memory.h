// Memory of this process, and aligned storage for fields.
#pragma once

#include <cstddef>
#include <new>

namespace slosh {

std::size_t peak_bytes();     ///< Largest resident set so far.
std::size_t current_bytes();  ///< Resident set now.

/// Allocator with 64-byte alignment that leaves trivial values uninitialised.
template <class T>
struct AlignedAllocator {
    using value_type = T;
    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&) {}
    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(64)));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(64)); }
    template <class U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(static_cast<Args&&>(args)...);
    }
    friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

}  // namespace slosh
