#!/usr/bin/env bash
# Mutation tests of the simulation: tests/mutations/run.sh [NAME...]
#
# Each *.patch beside this file is one mutation, which breaks one rule of tenon; its first line says which. The tree is
# copied and built outside itself, the patch is applied, and the seeds 1, 2, … are run until a rule of the audit or an
# expectation is violated; of one whose name begins with aws-, with tenon's AWS provider. A mutation that survives SEEDS
# seeds (60) must make a scenario fail. The test fails if a mutation survives the scenarios as well, or if the unchanged
# tree does not pass what caught a mutation.
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

SEEDS=${SEEDS:-60}
folder=tests/mutations
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for patch in "$folder"/*.patch; do names+=("$(basename "$patch" .patch)"); done
fi

# The flags of the seeds of a mutation.
flags_of() {
    case $1 in aws-*) say --aws-wire ;; esac
}

build() {
    cmake --build "$work/build" --parallel "$jobs" --target tenon >"$work/build.log" 2>&1 || {
        tail -n 40 "$work/build.log" >&2
        die "$1 does not build"
    }
}

# hunt TENON NAME prints "SEED RULE" of the first seed at which a mutated tenon fails; else "scenario FILE" of the first
# scenario that fails; else "- survived".
hunt() {
    local seed rule file
    for ((seed = 1; seed <= SEEDS; seed++)); do
        # shellcheck disable=SC2046 # no flag, or one
        "$1" sim --campaign 1 --seed "$seed" $(flags_of "$2") >"$work/run.log" 2>&1 && continue
        rule=$(sed -nE "s/^seed $seed: [0-9.hmsµn]+: ([a-z-]+): .*/\1/p" "$work/run.log" | sort | uniq -c | sort -rn |
            awk '{print $2}' | paste -sd, -)
        say "$seed ${rule:-expectation}"
        return
    done
    for file in $(find tests/scenario -name '*.yaml' | sort); do
        "$1" sim "$file" >"$work/run.log" 2>&1 || {
            say "scenario ${file#tests/scenario/}"
            return
        }
    done
    say "- survived"
}

# passes TENON SEED RULE NAME: whether it passes the seed or scenario that caught a mutation.
passes() {
    local what
    # shellcheck disable=SC2207 # no flag, or one
    what=(--campaign 1 --seed "$2" $(flags_of "$4"))
    [ "$2" != scenario ] || what=("tests/scenario/$3")
    "$1" sim "${what[@]}" >"$work/run.log" 2>&1
}

mkdir "$work/tree"
cp -r CMakeLists.txt cmake deploy src tests "$work/tree/"
cmake -S "$work/tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 >"$work/build.log" 2>&1 ||
    die "cannot configure: $(tail -n 3 "$work/build.log")"
build "the tree"
cp "$work/build/tenon" "$work/tenon"

failed=0
printf '%-20s %-8s %-28s %s\n' mutation seed "caught by" "what is broken"
for name in "${names[@]}"; do
    patch=$root/$folder/$name.patch
    patch -d "$work/tree" -p1 -s <"$patch" || die "$name.patch does not apply to the tree: make it anew"
    build "$name"
    read -r seed rule < <(hunt "$work/build/tenon" "$name")
    patch -d "$work/tree" -p1 -s -R <"$patch"
    printf '%-20s %-8s %-28s %s\n' "$name" "$seed" "$rule" "$(head -n 1 "$patch")"
    if [ "$seed" = - ]; then
        failed=1
    elif ! passes "$work/tenon" "$seed" "$rule" "$name"; then
        say "  $seed $rule is red without the mutation, too: $(head -n 1 "$work/run.log")"
        failed=1
    fi
done
[ $failed -eq 0 ] || die "a broken rule went unnoticed"
say "${#names[@]} mutations, all caught"
