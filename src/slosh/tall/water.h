// Real-time water on a tall-cell grid: its state, and one step [CM11, algorithm 1].
//
// The domain is nx x nz columns over a terrain, its lower corner at the origin, y up; world cell y
// has its centre at (y + 1/2) dx. Sides are walls, the top is open air. Velocities sit at cell
// centres.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "slosh/base/timer.h"
#include "slosh/base/vec.h"
#include "slosh/tall/advect.h"
#include "slosh/tall/extrapolate.h"
#include "slosh/tall/film_account.h"
#include "slosh/tall/fine_surface.h"
#include "slosh/tall/multigrid.h"
#include "slosh/tall/projection.h"
#include "slosh/tall/reach.h"
#include "slosh/tall/remesh.h"
#include "slosh/tall/separation.h"
#include "slosh/tall/solid_cells.h"
#include "slosh/tall/thicken.h"

namespace slosh::tall {

struct WaterOptions {
    double gravity = 9.81;      ///< Downwards. m/s^2
    double sideways[2] = {};    ///< Along x and z: in a container that leans or is shaken. m/s^2
    int redistance_every = 10;  ///< Steps. >= 1.
    /// Time in which lost volume comes back; 0: never. Shorter: nearer to the right volume, but a
    /// sheet that is lost lifts the rest faster. s
    double volume_time = 0.1;
    int surface = 1;  ///< Cells of the surface along one of the simulation: 1 or 2.
    RemeshOptions remesh;
    CycleOptions cycles;
    ThickeningOptions thickening;
};

/// Water that is poured: inside it, cells become water of this velocity.
struct Source {
    std::function<double(const Point<3>&)> distance;  ///< Negative inside. m
    Point<3> velocity;                                ///< m/s
};

struct WaterReport {
    double time = 0;       ///< At the end of the step. s
    double max_speed = 0;  ///< Of the water then. m/s
    StageTimes times;  ///< VE, LA (with VA), RM, PP and rest, as the paper's Table 1 names them.
};

class Water {
public:
    /// `terrain` has the solid cells of every column, x fastest; `distance` (m) is negative in the
    /// water at the start.
    Water(int nx, int ny, int nz, double dx, Terrain terrain,
          const std::function<double(const Point<3>&)>& distance, const WaterOptions& options = {});

    WaterReport step(double dt);

    /// Gives every cell a velocity (m/s), by its place.
    void set_velocity(const std::function<Point<3>(const Point<3>&)>& velocity);
    /// Whether water may let go of solids, from the next step on.
    void set_separation(bool on);
    /// What pulls at the water from now on. m/s^2
    void set_gravity(const Point<3>& pull);
    Point<3> gravity() const {
        return {{options_.sideways[0], -options_.gravity, options_.sideways[1]}};
    }

    std::vector<Source> sources;  ///< Active in every step.
    MovingSolids solids;          ///< Speeds of the walls.
    /// Fills in the bodies, on the grid of the step; empty: there are none.
    std::function<void(const Grid&, SolidCells&)> place_bodies;
    /// The lowest cells of the bodies (choose_heights), on the grid of the last step.
    std::function<std::vector<int>(const Grid&)> body_depths;

    /// Draws water in a ball towards a velocity: wholly at the centre, not at all at the rim.
    void push(const Point<3>& at, double radius, const Point<3>& velocity);
    /// Changes the ground under the water. What it takes of the water's room comes back elsewhere.
    void set_terrain(Terrain terrain);

    double time() const { return time_; }
    const WaterOptions& options() const { return options_; }
    const Grid& grid() const { return grid_; }
    const Terrain& terrain() const { return terrain_; }
    const Columns<float>& phi() const { return phi_; }  ///< m
    /// The surface on finer cells; null with a surface of the simulation's own cells.
    const FineSurface* fine_surface() const { return fine_.get(); }
    const Velocity& velocity() const { return velocity_; }
    /// Its q is the pressure less that of still water, rest().
    const Hierarchy& pressure() const { return pressure_; }
    const RestPressure& rest() const { return rest_; }
    const SolidCells& bodies() const { return bodies_; }

    double volume() const { return volume(nullptr); }  ///< m^3
    /// The volume at the start, and what was poured and pushed in since. m^3
    double due_volume() const { return due_volume_; }
    double max_speed() const;  ///< Over the water. m/s
    /// Offset of the highest cell of a column with its centre in water; -1: none.
    int highest_wet(int c) const;
    /// Height of the highest surface in column (x, z) over world 0; the terrain's if dry. m
    double surface_height(int x, int z) const;
    /// Of phi, velocity, pressure and heights.
    std::uint64_t hash() const;

private:
    /// Cells of water in a column.
    double column_volume(int x, int z) const;
    /// In m^3; and, unless it is null, the cells of water of every column, x fastest.
    double volume(std::vector<float>* columns) const;
    /// Pours into a column; returns the cells of water that came.
    double pour_from(const Source& source, int x, int z);
    void pour();
    void move_surface(double dt, const std::vector<ThickBall>& thin, StageTimes& times);
    void remesh();
    /// Returns the largest speed then, infinite if one is not a number.
    double project(double dt);
    void load_pressure_level();
    void put_bodies(double dt);
    /// What gravity adds to the velocity in a step.
    Float4 fall(double dt) const {
        const Vec<float, 3> v = (gravity() * dt).as<float>();
        return Float4{v[0], v[1], v[2], 0};
    }
    Growth missing_growth(double dt);
    double wall_inflow() const;
    double mean_surface() const;  ///< Its height over world 0 where there is water. m
    void keep_pressure();
    /// q from the pressure of the last step, times `scale`.
    void start_from_kept_pressure(float scale);
    void find_first_pressure();

    WaterOptions options_;
    Terrain terrain_;
    Grid grid_;
    Columns<float> phi_, distance_room_;
    std::unique_ptr<FineSurface> fine_;
    Velocity velocity_, spare_;
    std::vector<float> fastest_;  ///< Square of the largest speed of the water, by column. m^2/s^2
    RestPressure rest_;           ///< What pressure_ leaves out.
    Columns<float> kept_pressure_;
    double kept_dt_ = 0;
    double due_volume_ = 0;
    FilmAccount films_;
    std::vector<float> column_room_;
    Hierarchy pressure_;
    SolidCells bodies_;
    std::vector<ReleasedCell> released_;
    ReachRoom reach_room_;
    AdvectionRoom advection_;
    ExtrapolationRoom extrapolation_;
    double time_ = 0;
    long steps_ = 0;
};

}  // namespace slosh::tall
