// A place in a document while it is being read: the value, its JSON path, and how to complain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "slosh/scene/json.h"

namespace slosh {

/// What holds for a whole reading.
struct ReadState {
    int dim = 3;
    bool files = true;  ///< May look at the disk.
};

class Cursor {
public:
    Cursor(const Json& value, std::string path, const ReadState& state)
        : value_(&value), path_(std::move(path)), state_(&state) {}

    const Json& json() const { return *value_; }
    const std::string& path() const { return path_; }
    int dim() const { return state_->dim; }
    bool files() const { return state_->files; }

    bool has(std::string_view key) const { return value_->find(key) != nullptr; }
    Cursor member(const std::string& key) const;  ///< Must be there.
    Cursor element(std::size_t i) const;

    /// Throws InputError "file:line:column: path: what".
    [[noreturn]] void fail(const std::string& what) const;
    /// ... standing on the key of a member.
    [[noreturn]] void fail_at_key(const Json::Member& member, const std::string& what) const;
    /// Throws "expected `wanted`, got `what is there`".
    [[noreturn]] void expected(const std::string& wanted) const;

private:
    const Json* value_;
    std::string path_;
    const ReadState* state_;
};

/// A key as a step of a JSON path: `.key` if it is a plain word, else quoted in brackets.
std::string path_step(const std::string& key);
/// The candidate nearest to `word` by edit distance, as "; did you mean "x"?", or "" if none is
/// near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);
/// `"a", "b" or "c"`.
std::string one_of(const std::vector<std::string>& words);

}  // namespace slosh
