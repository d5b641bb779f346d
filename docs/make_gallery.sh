#!/usr/bin/env bash
# Makes docs/scenes-gallery.md and its pictures: docs/make_gallery.sh [SCENE...] (default: all).
# Runs go to build/gallery and are kept: a picture of another frame needs no new run.
set -eu
cd "$(dirname "$0")/.."
slosh=${SLOSH:-./slosh}

# scene, frame shown, resolution, extra options of `slosh render`
list() {
    cat <<TXT
ball_box         5  48
ball_circle     11  96
bottle          52  48
box_in_tube     60  48
bunny_dragon    46  48
ceiling          9  48
circle          18  96
dambreak_box    20  48
dambreak_sphere 16  48
floating        34  64
fountain        75  48
hollow_spheres  16  48
maze            60  96
plug            30  64
rigid_mix       22  48
rotated_box     16  48
smoke_paddle    61  40
sphere          16  48
sphere_cuboid   16  48
sphere_stream   30  48
square          20  96
thin_walls      22  48
tilted_rest     30  96
vortex_box      30  96  --particles
wall_splash      6  96
TXT
}

mkdir -p docs/images/scenes build/gallery
list | while read -r scene frame resolution options; do
    [ $# -gt 0 ] && [[ " $* " != *" $scene "* ]] && continue
    run=build/gallery/$scene
    echo "$scene"
    $slosh run "$scene" --resolution "$resolution" --frames "$frame" -o "$run" --no-video -q --resume </dev/null
    # shellcheck disable=SC2086 # options are words
    $slosh render "$run" --frame "$frame" $options -o "$run/picture.png" -q </dev/null
    # Half the bytes with 256 colours.
    ffmpeg -v error -y -i "$run/picture.png" -vf "scale=320:-1:flags=area,split[a][b];
        [a]palettegen[p];[b][p]paletteuse=dither=none" "docs/images/scenes/$scene.png" </dev/null
done

{
    echo "# The scenes that ship"
    echo
    echo "\`slosh scenes\` lists them, [scenes.md](scenes.md) explains the language they are written in."
    echo "\`docs/make_gallery.sh\` makes the pictures by the commands beside them and scales them down."
    echo
    echo "| scene | | made by |"
    echo "|---|---|---|"
    list | while read -r scene frame resolution options; do
        what=$(grep -m1 -o '"description": "[^"]*' "scenes/$scene.json" | cut -d'"' -f4)
        echo "| **$scene**<br>$what | ![$scene](images/scenes/$scene.png) |" \
            "\`slosh run $scene --resolution $resolution --frames $frame\`<br>\`slosh render" \
            "out/$scene --frame $frame${options:+ $options} -o $scene.png\` |"
    done
} >docs/scenes-gallery.md
