// The table of validation cases. Each body is in a validate_<subject>.cpp.
#include "slosh/cli/validate.h"

namespace slosh::cli {

const std::vector<ValidateCase>& validate_cases() {
    static const std::vector<ValidateCase> cases = {};
    return cases;
}

}  // namespace slosh::cli
