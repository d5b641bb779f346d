// Keys of gas.
#include <fmt/format.h>

#include "slosh/scene/tables.h"

namespace slosh {
namespace {

const NumberType kRate{0, 1e6};
const NumberType kTime{0, 1e30};  // 1e30 s: for ever
const NumberType kKelvin{0, 1e5};

}  // namespace

const Table<SceneGasSource>& gas_source_table() {
    static const Table<SceneGasSource> table = [] {
        Table<SceneGasSource> t("gas_source",
                                "A shape that gives the gas inside it smoke and heat. One with an "
                                "\"end\" before the first step leaves a puff.");
        t.key("name", &SceneGasSource::name, TextType{}, "", "Name, for reports.").not_state();
        t.key("shape", &SceneGasSource::shape, ShapeType{}, "", "Where the source is.").required();
        t.key("motion", &SceneGasSource::motion, ObjectType<SceneMotion>{motion_table}, "",
              "Moves the shape.")
            .default_text("none");
        t.key("smoke", &SceneGasSource::smoke, NumberType{0, 1e6}, "",
              "Density of the smoke; 1 shows as thick smoke.");
        t.key("temperature", &SceneGasSource::temperature, kKelvin, "K", "Temperature of the gas.")
            .default_text("`ambient`");
        t.key("velocity", &SceneGasSource::velocity, OptionalType<VectorType, Point<3>>{}, "m/s",
              "Velocity that the gas inside is given.")
            .default_text("the gas moves as it would");
        t.key("start", &SceneGasSource::start, kTime, "s", "Works from this time on.");
        t.key("end", &SceneGasSource::end, kTime, "s", "Works until this time.")
            .default_text("for ever");
        t.check([](const Cursor& at, SceneGasSource& s) {
            if (!(s.end > s.start))
                at.member(at.has("end") ? "end" : "start")
                    .fail(fmt::format("\"end\" ({} s) must be later than \"start\" ({} s)",
                                      number_text(s.end), number_text(s.start)));
        });
        return t;
    }();
    return table;
}

const Table<SceneGas>& gas_table() {
    static const Table<SceneGas> table = [] {
        Table<SceneGas> t("gas",
                          "Gas that fills the domain outside of solids, without a surface "
                          "(docs/gas.md). Beside it there is no liquid, and walls are sticky.");
        t.key("sources", &SceneGas::sources,
              ListType<ObjectType<SceneGasSource>, SceneGasSource>{{gas_source_table}}, "",
              "Where smoke and heat come from.");
        t.key("ambient", &SceneGas::ambient, kKelvin, "K", "Temperature of the gas at the start.");
        t.key("heat_lift", &SceneGas::heat_lift, NumberType{-10, 10}, "1/K",
              "Share of its weight that gas loses per kelvin above `ambient`.");
        t.key("smoke_weight", &SceneGas::smoke_weight, NumberType{-1e3, 1e3}, "",
              "Share of its weight that gas gains per unit of smoke.");
        t.key("cooling", &SceneGas::cooling, kRate, "1/s",
              "Rate at which gas takes on the ambient temperature.");
        t.key("smoke_decay", &SceneGas::smoke_decay, kRate, "1/s", "Rate at which smoke vanishes.");
        t.check([](const Cursor& at, SceneGas& g) {
            for (std::size_t i = 0; i < g.sources.size(); ++i)
                if (!at.member("sources").element(i).has("temperature"))
                    g.sources[i].temperature = g.ambient;
        });
        return t;
    }();
    return table;
}

}  // namespace slosh
