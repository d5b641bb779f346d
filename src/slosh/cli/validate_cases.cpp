// The table of validation cases. Each body is in a validate_<subject>.cpp.
#include "slosh/cli/validate.h"

namespace slosh::cli {

void validate_rest(ValidateReport& report);
void validate_martin_moyce(ValidateReport& report);
void validate_lobovsky(ValidateReport& report);
void validate_marin(ValidateReport& report);
void validate_sloshing_period(ValidateReport& report);
void validate_sloshing_damping(ValidateReport& report);
void validate_slab(ValidateReport& report);
void validate_falling_tank(ValidateReport& report);
void validate_withdrawn_wall(ValidateReport& report);
void validate_bucket(ValidateReport& report);
void validate_order(ValidateReport& report);
void validate_conservation(ValidateReport& report);
void validate_vortex(ValidateReport& report);
void validate_ceiling(ValidateReport& report);
void validate_hanging(ValidateReport& report);
void validate_release(ValidateReport& report);
void validate_gaps(ValidateReport& report);
void validate_draft(ValidateReport& report);
void validate_heave(ValidateReport& report);
void validate_body_momentum(ValidateReport& report);
void validate_let_go(ValidateReport& report);
void validate_plug(ValidateReport& report);
void validate_tube(ValidateReport& report);
void validate_long_steps(ValidateReport& report);
void validate_stokes(ValidateReport& report);
void validate_suction(ValidateReport& report);
void validate_profiles(ValidateReport& report);
void validate_spin(ValidateReport& report);
void validate_current(ValidateReport& report);
void validate_plates(ValidateReport& report);
void validate_pile(ValidateReport& report);
void validate_dragon_drop(ValidateReport& report);
void validate_honey_dipper(ValidateReport& report);
void validate_gears(ValidateReport& report);
void validate_tall_lake(ValidateReport& report);
void validate_tall_dispersion(ValidateReport& report);
void validate_tall_bore(ValidateReport& report);
void validate_tall_volume(ValidateReport& report);
void validate_tall_hands(ValidateReport& report);

const std::vector<ValidateCase>& validate_cases() {
    static const std::vector<ValidateCase> cases = {
        {"1", "liquid at rest in a tilted box, a disc and a sphere", false, validate_rest},
        {"2a", "dam break of Martin & Moyce 1952, 2D", false, validate_martin_moyce},
        {"2c", "dam break of Lobovsky et al. 2014, 2D: arrival and wall pressure", false,
         validate_lobovsky},
        {"2e", "dam break with a box (MARIN), 3D", true, validate_marin},
        {"3a", "period of the first sloshing mode, rectangle and cylinder", false,
         validate_sloshing_period},
        {"3c", "numerical damping of the first sloshing mode", false, validate_sloshing_damping},
        {"4c", "first-step acceleration of a released body", false, validate_release},
        {"4d", "draft of a floating box", false, validate_draft},
        {"4e", "heave of a half-submerged sphere, 3D", true, validate_heave},
        {"stokes", "4a: a ball sinks through viscous liquid in a shell, 3D", true, validate_stokes},
        {"suction", "a ball is not held to a wall by viscous liquid", false, validate_suction},
        {"5a", "Couette, Poiseuille, film and Taylor-Green: errors and orders", false,
         validate_profiles},
        {"5b", "a free disc of viscous liquid spins on", false, validate_spin},
        {"5c", "a viscous gravity current on a no-slip floor", true, validate_current},
        {"6a", "a slab thrown at a ceiling falls from it", false, validate_slab},
        {"6b", "a tank accelerated downwards", false, validate_falling_tank},
        {"6b/body", "liquid lets go of a body that is pulled out of it", false, validate_let_go},
        {"6c", "a wall that is withdrawn", false, validate_withdrawn_wall},
        {"6d", "Newton's bucket: separating walls that are pressed", false, validate_bucket},
        {"7", "order of the pressure on irregular domains", false, validate_order},
        {"9a", "tall cells: a lake at rest over uneven terrain for 60 s", true, validate_tall_lake},
        {"9b", "tall cells: dispersion of waves, kh from 0.3 to 6", true, validate_tall_dispersion},
        {"9c", "tall cells: a bore on wet ground (Stoker)", true, validate_tall_bore},
        {"9e", "tall cells: volume in the minute after a flood", true, validate_tall_volume},
        {"9f", "tall cells: ten minutes of rough hands", true, validate_tall_hands},
        {"10", "momentum, angular momentum, volume and energy", false, validate_conservation},
        {"10/bodies", "momentum of liquid and bodies without walls", false, validate_body_momentum},
        {"11a", "a vortex in an aligned and in a turned box", false, validate_vortex},
        {"11b", "a box sinking in a tube with gaps of half a cell", false, validate_gaps},
        {"plug", "a plug holds water in a closed tube", false, validate_plug},
        {"box_in_tube", "a box sinks through half-cell gaps and is pushed up", false,
         validate_tube},
        {"long_steps", "steps as long as a frame, densities 0.01 to 100", false,
         validate_long_steps},
        {"ceiling", "a ball thrown at a ceiling, 3D", false, validate_ceiling},
        {"plates", "position correction: plates pressed through thick liquid, 3D", true,
         validate_plates},
        {"pile", "position correction: iterations as liquid piles up, 3D", true, validate_pile},
        {"dragon_drop", "viscous liquid that floats in the air, by kind of volumes, 3D", true,
         validate_dragon_drop},
        {"honey_dipper", "a dipper stands in honey, by coupling, 3D", true, validate_honey_dipper},
        {"gears", "gears turn the slower the thicker the liquid, 3D", true, validate_gears},
        {"hanging", "liquid left on walls, with and without separation", true, validate_hanging},
    };
    return cases;
}

}  // namespace slosh::cli
