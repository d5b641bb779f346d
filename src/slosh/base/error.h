// The kinds of failure slosh knows, and the exit code of each.
//
// A caller's bug stops at once (SLOSH_EXPECT). Bad input, a failed solve and an exhausted machine
// are exceptions whose text is one line: what, where, what to do. A numerical outcome that the
// caller may want to act on (a solve that ran out of iterations) is a field of a report instead.
#pragma once

#include <stdexcept>
#include <string>

namespace slosh {

/// Base of all errors that end a command; `exit_code` is what the process returns.
class Error : public std::runtime_error {
public:
    Error(const std::string& line, int code) : std::runtime_error(line), exit_code(code) {}
    int exit_code;
};

/// Bad usage or bad input: exit code 2.
class InputError : public Error {
public:
    explicit InputError(const std::string& line) : Error(line, 2) {}
};

/// The simulation diverged or a solve failed: exit code 3.
class SolveError : public Error {
public:
    explicit SolveError(const std::string& line) : Error(line, 3) {}
};

/// Out of memory or disk: exit code 4.
class ResourceError : public Error {
public:
    explicit ResourceError(const std::string& line) : Error(line, 4) {}
};

/// Reports a broken contract and aborts.
[[noreturn]] void contract_broken(const char* condition, const char* file, int line);

}  // namespace slosh

#define SLOSH_EXPECT(condition) \
    ((condition) ? void(0) : ::slosh::contract_broken(#condition, __FILE__, __LINE__))
