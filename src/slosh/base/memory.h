// Memory of this process, and aligned storage for fields.
#pragma once

#include <cstddef>
#include <new>

namespace slosh {

std::size_t peak_bytes();     ///< Largest resident set so far.
std::size_t current_bytes();  ///< Resident set now.

/// 64-byte aligned memory; large pieces ask for huge pages, which saves most of the address
/// translation misses of scattered reads.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* memory);

/// Allocator with 64-byte alignment that leaves trivial values uninitialised.
template <class T>
struct AlignedAllocator {
    using value_type = T;
    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned(n * sizeof(T))); }
    void deallocate(T* p, std::size_t) { free_aligned(p); }
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
