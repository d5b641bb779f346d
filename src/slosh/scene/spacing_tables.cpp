// Keys of what keeps particles evenly spread.
#include "slosh/scene/tables.h"

namespace slosh {

void add_spacing_keys(Table<StepOptions>& t) {
    t.key("position_correction", &StepOptions::position_correction,
          ChoiceType<PositionCorrection>{{{"grid", PositionCorrection::Grid},
                                          {"density", PositionCorrection::Density},
                                          {"both", PositionCorrection::Both},
                                          {"distance", PositionCorrection::Distance},
                                          {"off", PositionCorrection::Off}},
                                         {},
                                         ""},
          "",
          "How particles are kept evenly spread: moved on the grid in every step (grid), or by "
          "density constraints between them once a frame (density), or both. Distance constraints "
          "are there for comparison. Default: both for viscous liquid, grid for thin liquid, off "
          "for gas.")
        .default_text("by liquid");
    t.key("spacing_tolerance", &StepOptions::spacing_tolerance, NumberType{0.01, 10}, "",
          "Constraints are iterated until no place is denser than the liquid at rest by more.");
    t.key("spacing_scale", &StepOptions::spacing_scale, NumberType{1, 5}, "",
          "How much further constraints move particles that are far from solids. 1: not.");
}

}  // namespace slosh
