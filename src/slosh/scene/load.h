// Scene files into scenes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "slosh/scene/scene.h"

namespace slosh {

/// Loads a scene file, or a built-in scene by its name; "NAME:VARIANT" picks a variant. A file in
/// the way wins if the name has a '/' or ends in .json. Overrides are "path=value" texts laid over
/// the document before it is read: `render.fov=20`, `solids[1].shape.radius=0.2`; the value is
/// JSON, or else plain text. Throws InputError: one line with file:line:column, JSON path, what is
/// wrong and what is accepted.
Scene load_scene(const std::string& name, const std::vector<std::string>& overrides = {});

struct ReadOptions {
    bool files = true;  ///< False: never touch the disk (meshes are not looked up).
};

/// The same from a text. Relative file names start at `directory`.
Scene read_scene(std::string_view text, const std::string& name, const std::string& directory = "",
                 const std::vector<std::string>& overrides = {}, const ReadOptions& options = {});

struct BuiltinScene {
    std::string name, description;
    int dim = 3;
    std::vector<std::string> variants;
};

/// The scenes compiled into the program, sorted by name.
std::vector<BuiltinScene> builtin_scenes();
/// The text of a built-in scene, comments and all. Throws InputError naming the nearest one.
std::string_view builtin_scene_text(const std::string& name);

/// JSON Schema (draft 2020-12) of scene files, and the Markdown tables of the scene reference.
/// Both are made from the tables that the reader uses.
std::string scene_schema();
std::string scene_reference();

}  // namespace slosh
