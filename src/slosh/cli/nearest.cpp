#include "slosh/cli/nearest.h"

#include <algorithm>
#include <cstddef>

namespace slosh::cli {
namespace {

// Levenshtein's distance, with a swap of two neighbours counted as one slip.
std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(const std::string& given, const std::vector<std::string>& known) {
    const std::string* best = nullptr;
    // Up to half of the letters may be wrong; beyond that a guess confuses more than it helps.
    std::size_t closest = std::max<std::size_t>(2, (given.size() + 1) / 2);
    for (const std::string& word : known) {
        const std::size_t distance = edit_distance(given.substr(0, 64), word);
        if (distance < closest || (distance == closest && !best)) {
            closest = distance;
            best = &word;
        }
    }
    return best ? " (did you mean '" + *best + "'?)" : "";
}

}  // namespace slosh::cli
