#!/usr/bin/env bash
# Makes thumbs/ from the pictures of the gallery, and of scenes that have none there by a short run.
set -eu
cd "$(dirname "$0")/.."
slosh=${SLOSH:-./slosh}
shrink() {
    ffmpeg -nostdin -loglevel error -y -i "$1" -map_metadata -1 -c:v libwebp -quality 62 \
        -vf "scale=224:168:force_original_aspect_ratio=increase,crop=224:168" "web/thumbs/$2.webp"
}
for picture in docs/images/scenes/*.png; do
    shrink "$picture" "$(basename "$picture" .png)"
done
while read -r scene frame resolution; do
    [ -f "docs/images/scenes/$scene.png" ] && continue
    out=build/thumbs/$scene
    [ -d "$out" ] || "$slosh" run "$scene" --frames "$frame" ${resolution:+--resolution "$resolution"} \
        -o "$out" --no-video -q </dev/null
    "$slosh" render "$out" --frame "$frame" --width 448 --draft -q -o "$out.png" </dev/null
    shrink "$out.png" "$scene"
done <<TXT
bore 30
flood 45
lake 40
lighthouse 45
manip 24
plate 14
tank 30
caramel 36 32
dragon_drop 30 40
drum 30 36
gears 30 48
honey_dipper 30 36
pile 30 36
plates 36 36
smoothie 24 36
stokes_ball 30 24
viscosity_row 12 48
TXT
