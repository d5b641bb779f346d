// Keys of the viscous step.
#include <algorithm>

#include "slosh/scene/tables.h"

namespace slosh {

bool is_viscous(const Scene& scene) {
    const auto own = [](const auto& source) { return source.viscosity > 0; };
    return scene.viscosity > 0 || std::any_of(scene.initial.begin(), scene.initial.end(), own) ||
           std::any_of(scene.inflows.begin(), scene.inflows.end(), own);
}

void add_viscosity_keys(Table<StepOptions>& t) {
    t.key("volumes", &StepOptions::volumes,
          ChoiceType<VolumeKind>{{{"consistent", VolumeKind::Consistent},
                                  {"independent", VolumeKind::Independent},
                                  {"supersampled", VolumeKind::Supersampled}},
                                 {},
                                 ""},
          "",
          "How the viscous step measures what solids and liquid fill: samples that overlap agree "
          "(consistent), each by itself (independent), or by points (supersampled). The last two "
          "are there for comparison.");
    t.key(
        "coupling", &StepOptions::coupling,
        ChoiceType<Coupling>{
            {{"strong", Coupling::Strong}, {"weak", Coupling::Weak}, {"one-way", Coupling::OneWay}},
            {},
            ""},
        "",
        "How bodies take viscous forces: in one solve with the liquid, after it, or not at all. "
        "The last two are there for comparison. Pressure is always taken in one solve.");
    t.key("viscosity_solver", &StepOptions::viscosity_solver,
          ChoiceType<std::string>{{{"auto", "auto"}, {"mic", "mic"}}, {}, ""}, "",
          "Solver of the viscous step: multigrid (auto) or incomplete Cholesky (mic).");
    t.key("viscosity_tolerance", &StepOptions::viscosity_tolerance, NumberType{1e-12, 0.1}, "",
          "Relative error at which the viscous solve stops.");
    t.key("viscosity_passes", &StepOptions::viscosity_passes, IntegerType{1, 100}, "",
          "Times that viscosity and pressure are solved in turn where liquid fills its container: "
          "1 is the "
          "plain splitting, which lets very viscous liquid flow too fast. Liquid with a surface "
          "always "
          "gets one.");
    t.key("slip_length", &StepOptions::slip_length, NumberType{0, 1e30}, "m",
          "How far viscous liquid slips along solids: it moves as if they were that much further "
          "away. 0: it sticks; 1e30: it glides freely.");
}

}  // namespace slosh
