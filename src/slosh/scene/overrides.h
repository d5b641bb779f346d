// Changes to a document before it is read.
#pragma once

#include <string>
#include <vector>

#include "slosh/scene/json.h"

namespace slosh {

/// Lays "path=value" over the document. A path is keys and indices: a.b[1].c (a leading "$." is
/// allowed). Objects on the way are made if they are not there; list items must exist. The value
/// is JSON, or plain text if it is no JSON. Throws InputError.
void apply_override(Json& document, const std::string& assignment);

}  // namespace slosh
