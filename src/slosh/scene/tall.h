// Scenes with "tall" into simulations.
#pragma once

#include "slosh/scene/scene.h"
#include "slosh/tall/setup.h"

namespace slosh {

/// The tall-cell simulation that a scene with the key "tall" describes. Reads mesh files.
tall::Setup make_tall_setup(const Scene& scene);

}  // namespace slosh
