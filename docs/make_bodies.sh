#!/usr/bin/env bash
# Makes the pictures of docs/bodies.md: each scene with sticky walls (left) and with walls that let go.
# docs/make_bodies.sh [SCENE...] (default: all). Runs go to build/gallery and are kept.
set -eu
cd "$(dirname "$0")/.."
slosh=${SLOSH:-./slosh}

# scene, frame shown, resolution, width of each picture
list() {
    cat <<TXT
bottle          52  64 400
box_in_tube     60  48 160
bunny_dragon    46  48 480
floating        34  72 560
plug            60  64 240
rigid_mix       22  60 400
TXT
}

mkdir -p docs/images/bodies build/gallery
list | while read -r scene frame resolution width; do
    [ $# -gt 0 ] && [[ " $* " != *" $scene "* ]] && continue
    for walls in off cell; do
        run=build/gallery/$scene-$walls
        echo "$scene, separation $walls"
        $slosh run "$scene" --resolution "$resolution" --frames "$frame" --set separation=$walls \
            -o "$run" --no-video -q --resume </dev/null
        $slosh render "$run" --frame "$frame" -o "$run/picture.png" -q </dev/null
    done
    ffmpeg -v error -y -i "build/gallery/$scene-off/picture.png" -i "build/gallery/$scene-cell/picture.png" \
        -filter_complex "[0]scale=$width:-1[a];[1]scale=$width:-1[b];[a][b]hstack" \
        "docs/images/bodies/$scene.png" </dev/null
done
