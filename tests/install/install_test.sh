#!/usr/bin/env bash
# Installs slosh into a fresh prefix, builds an outside program against it and runs both.
#   install_test.sh BUILD-DIR SOURCE-DIR BUILD-TYPE CXX-FLAGS
set -eu
build=$1 source=$2 type=$3 flags=${4-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }

quietly cmake --install "$build" --prefix "$work/prefix"
quietly cmake -S "$source/tests/install" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE="$type" \
    -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="$flags"
quietly cmake --build "$work/build"
"$work/build/outside"

# The installed command finds its scenes with the source tree out of sight.
cd "$work"
"$work/prefix/bin/slosh" check sphere
