#include "slosh/linear/low_rank.h"

#include <algorithm>

namespace slosh {

template <int D>
std::vector<int> LowRank<D>::blocks() const {
    std::vector<int> list;
    for (const Entry& e : entries)
        if (list.empty() || list.back() != e.block) list.push_back(e.block);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

template struct LowRank<2>;
template struct LowRank<3>;

}  // namespace slosh
