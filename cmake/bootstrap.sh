# Shared by ./slosh and ./test: get packages, configure, build. Sourced with $root set.

fail() {
    echo "slosh: $*" >&2
    exit 2
}

# install_packages [test] [fuzz]: installs what cmake/packages.txt lists and dpkg does not have.
install_packages() {
    local wanted=() missing=() state name line
    while read -r line name; do
        case $line in
            '' | '#'*) continue ;;
            test | fuzz) case " $* " in *" $line "*) wanted+=("$name") ;; esac ;;
            *) wanted+=("$line") ;;
        esac
    done <"$root/cmake/packages.txt"
    command -v dpkg-query >/dev/null || return 0 # not Debian: CMake will name what it lacks

    local -A have=()
    while read -r state name; do
        [ "$state" = ii ] && have[$name]=1
    done < <(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null)
    for name in "${wanted[@]}"; do
        # A program that came another way will do: node's own packages bring npm along.
        [ -n "${have[$name]-}" ] || command -v "$name" >/dev/null || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return 0

    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            fail "packages are missing; as root, run: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    echo "slosh: installing ${missing[*]}" >&2
    local log="$root/build/packages.log"
    mkdir -p "$root/build"
    "${as_root[@]}" apt-get update >"$log" 2>&1 || true # a stale index may still do
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
        tail -n 20 "$log" >&2
        fail "could not install packages (log: $log)"
    fi
}

# One line that is overwritten while ninja works; nothing at all when not on a terminal.
show_progress() {
    if [ -t 2 ]; then
        local line
        while IFS= read -r line; do
            printf '%s\n' "$line" >>"$1"
            case $line in '['*'/'*']'*) printf '\r\033[Kbuilding %.70s' "$line" >&2 ;; esac
        done
        printf '\r\033[K' >&2
    else
        cat >>"$1"
    fi
}

# build PRESET TARGET [CMAKE-ARGS...]: brings build/PRESET up to date; silent when it already is.
build() {
    local preset=$1 target=$2 dir="$root/build/$1" log="$root/build/$1/build.log"
    local stamp="$dir/.built-$target"
    shift 2
    # Directories count as well: their times tell of files that came or went. This takes a few
    # milliseconds, where asking ninja, which asks cmake about its globs, takes a hundred.
    if [ $# -eq 0 ] && [ -f "$stamp" ] && [ -x "$dir/slosh" ] && [ -z "$(cd "$root" && find src tests scenes docs cmake web/dist \
        CMakeLists.txt CMakePresets.json -newer "$stamp" -print -quit 2>&1)" ]; then
        return 0
    fi
    mkdir -p "$dir"
    exec 9>"$dir/.lock"
    flock 9 # two commands started at once must not build into each other

    if [ ! -f "$dir/build.ninja" ] || [ $# -gt 0 ]; then
        if ! (cd "$root" && cmake --preset "$preset" "$@") >"$dir/configure.log" 2>&1; then
            grep -A 12 'CMake Error' "$dir/configure.log" >&2
            fail "could not configure (log: $dir/configure.log)"
        fi
    fi
    : >"$log"
    touch "$stamp.new" # the time at which the sources were looked at
    ninja -C "$dir" "$target" 2>&1 | show_progress "$log"
    if [ "${PIPESTATUS[0]}" -ne 0 ]; then
        sed -n '/^FAILED:/,$p' "$log" >&2
        fail "could not build (log: $log)"
    fi
    mv "$stamp.new" "$stamp"
    exec 9>&-
}
