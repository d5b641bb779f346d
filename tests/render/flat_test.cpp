#include "slosh/render/flat.h"

#include <doctest/doctest.h>

#include "common.h"
#include "render/shapes.h"
#include "slosh/base/parallel.h"

using namespace slosh;

namespace {
const Point<2> kCentre = {0.45, 0.55};
constexpr double kRadius = 0.3;

const GridGeometry<2> kGrid = unit_grid<2>(64);

BlocksPtr<2> unit_blocks() {
    std::vector<Index<2>> coords;
    for (int k = 0; k < 64; ++k) coords.push_back({k % 8, k / 8});
    return std::make_shared<const Blocks<2>>(coords);
}
Field<float, 2> disc() {
    Field<float, 2> phi(unit_blocks(), 1.0f);
    for (int b = 0; b < phi.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<2>; ++o) {
            const auto cell = phi.blocks().first_cell(b) + local_cell<2>(o);
            phi.block(b)[o] = float(length(kGrid.centre(cell) - kCentre) - kRadius);
        }
    return phi;
}
SurfaceMesh disc_outline(int corners) {
    SurfaceMesh mesh;
    mesh.dim = 2;
    for (int i = 0; i < corners; ++i) {
        const double a = 2 * M_PI * i / corners;
        mesh.vertices.push_back({float(kCentre[0] + kRadius * std::cos(a)),
                                 float(kCentre[1] + kRadius * std::sin(a)), 0});
        mesh.elements.push_back({std::uint32_t(i), std::uint32_t((i + 1) % corners), 0});
    }
    return mesh;
}
/// Area of the pixels that are bluer than paper and solids by more than half of what liquid is.
double liquid_area(const Image& image, double metres_per_pixel) {
    const auto blueness = [](Rgb c) { return int(c[2]) - int(c[0]); };
    int n = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            n += blueness(image.get(x, y)) > blueness(kLiquidFill) / 2;
    return n * metres_per_pixel * metres_per_pixel;
}
const FlatOptions kTight{.width = 400, .height = 400, .margin = 0};
constexpr double kDiscArea = M_PI * kRadius * kRadius;
}  // namespace

TEST_CASE("The liquid's pixels cover a disc's area to 1 %, from level set and from outline") {
    const Image by_field = render_2d(disc(), kGrid, {}, kTight);
    const Image by_outline = render_2d(disc_outline(400), {}, kTight);
    // The surface line is centred on the surface: half of its 1.5 pixels lies outside.
    const double line = 2 * M_PI * kRadius * 0.75 / 400;
    CHECK(liquid_area(by_field, 1.0 / 400) == doctest::Approx(kDiscArea + line).epsilon(0.01));
    CHECK(liquid_area(by_outline, 1.0 / 400) == doctest::Approx(kDiscArea + line).epsilon(0.01));
}

TEST_CASE("Outline and level set of one disc give one picture") {
    const Image a = render_2d(disc(), kGrid, {}, kTight);
    const Image b = render_2d(disc_outline(400), {}, kTight);
    double difference = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) difference += std::abs(int(a.rgb[i]) - b.rgb[i]);
    CHECK(difference / double(a.rgb.size()) < 0.1);  // levels of 255, on average
}

TEST_CASE("A solid hides liquid behind it and is as large as its shape") {
    Transform<2> at;
    at.translation = kCentre;
    const std::vector<RenderSolid<2>> solids = {
        {block<2>({0, 0}, {0.1, 0.2}), RenderLook::Opaque, kTerracotta, at}};
    const Image image = render_2d(disc(), kGrid, solids, kTight);
    int n = 0;
    for (int y = 0; y < 400; ++y)
        for (int x = 0; x < 400; ++x) n += image.get(x, y) == kSolidFill;
    // The outline takes 0.8 pixels on the inside, and anti-aliasing some of the next.
    CHECK(n <= 80 * 160);
    CHECK(n >= 77 * 157);
    CHECK(liquid_area(image, 1.0 / 400) == doctest::Approx(kDiscArea - 0.08).epsilon(0.03));
}

TEST_CASE("A wide domain is centred and keeps its proportions") {
    const FlatOptions wide{.width = 300, .height = 200, .domain = {{-1, 0}, {2, 1}}, .margin = 0};
    const Image image = render_2d(disc(), kGrid, {}, wide);
    CHECK(image.get(150, 20) == kPaper);  // above the domain
    CHECK(image.get(100 + 45, 50 + 45) == kLiquidFill);
}

TEST_CASE("Particles and arrows leave their marks, on any number of threads the same") {
    RenderParticles particles;
    particles.positions = {{0.45f, 0.55f, 0}, {0.9f, 0.9f, 0}};
    particles.speeds = {0, 2};
    FaceField<float, 2> velocity(unit_blocks(), 0.5f);

    FlatOptions options = kTight;
    const Image plain = render_2d(disc(), kGrid, {}, options);
    options.velocity = &velocity;
    options.grid = &kGrid;
    const Image arrows = render_2d(disc(), kGrid, {}, options);
    CHECK_FALSE(arrows == plain);
    CHECK(arrows.get(390, 10) == plain.get(390, 10));  // no arrows in air
    options.particles = &particles;
    const int before = threads();
    set_threads(1);
    const Image one = render_2d(disc(), kGrid, {}, options);
    set_threads(2);
    const Image two = render_2d(disc(), kGrid, {}, options);
    set_threads(before);
    CHECK(one == two);
    CHECK_FALSE(one.get(360, 40) == plain.get(360, 40));  // the dot at (0.9, 0.9)
}
