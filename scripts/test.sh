#!/usr/bin/env bash
# Everything that continuous integration runs, step by step; goes on after a step that fails.
#
#   scripts/test.sh             all steps
#   scripts/test.sh STEP...     only these (make their preconditions yourself: `gcc` before `examples`, …)
#   scripts/test.sh --list      the names of the steps
#
# The output of each step lies in build/logs/STEP.log; of a failed one the end is shown. At the end come the slowest steps
# and tests. The last line is "N passed, N failed": the sum of the tests that the steps count, a step that counts none
# being one test.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

FUZZ_SECONDS=${FUZZ_SECONDS:-5}
CAMPAIGN_SECONDS=${CAMPAIGN_SECONDS:-100}
# Pods that come and go in the test of bounded memory: enough for what grows to show, also under sanitizers.
export TENON_CHURN=${TENON_CHURN:-400000}

# The steps in their order: name, what it is. The function step_NAME does it.
steps=(
    "layering:includes and purity against the house's laws, and the check's own test; dead citations and links"
    "format:clang-format"
    "gcc:release build with gcc, unit tests on it"
    "asan:build with clang, address and undefined-behaviour sanitizer, all tests"
    "tsan:build with thread sanitizer, tests of what has threads"
    "bad_input:broken manifests end with one clear line; attacks on a process leave it whole"
    "fuzz:each parser with random input, $FUZZ_SECONDS s each"
    "scenarios:scenarios on the embedded cluster, the same history with gcc and clang"
    "campaign:random clusters with random faults, $CAMPAIGN_SECONDS s on each core"
    "aws_wire:requests and replies of AWS's services against botocore's, and its protocol tests"
    "e2e:end-to-end tests on a real control plane"
    "commands:what users type and what they get to see"
    "examples:the plan of examples/, and what README.md shows"
    "scripts:the tests of the test programs"
    "aws_fake:the fake of AWS against boto3, the AWS SDK for JavaScript, moto and ministack; tenon's client against the fake"
    "peer:build Karpenter's scheduler as the peer"
    "differential:tenon against Karpenter on random clusters"
    "property:random clusters through the plan checker"
    "lint:clang-tidy and cppcheck"
)

step_layering() {
    printf '%s\n' scripts/{layering,house,citations}.py{" --self-test",} | xargs -P "$jobs" -I WORDS bash -c WORDS
}

step_format() {
    find src tests bench -name '*.[ch]' -o -name '*.cpp' | sort |
        xargs -P "$jobs" -n 50 clang-format --dry-run -Werror
}

# The other steps use this build, too; CHECKs are alive in it.
step_gcc() { build_and_test release --label-exclude property; }
step_asan() { build_and_test asan; }
step_tsan() {
    scripts/build.sh tsan threaded_tests
    run_ctest tsan --label-regex threads
}

# build_and_test PRESET [ctest option...]
build_and_test() {
    scripts/build.sh "$1"
    run_ctest "$@"
}

# Tests of threads, servers and clocks wait half of their time: one more than there are cores keeps those busy.
run_ctest() {
    local preset=$1
    shift
    ctest --test-dir "build/$preset" --parallel $((jobs + 1)) --output-on-failure --no-tests=error "$@"
}

step_lint() {
    # Only the list of compilations is needed, not the build.
    [ -e build/asan/build.ninja ] || cmake --preset asan
    scripts/lint.py build/asan
}

step_property() { run_ctest release --label-regex property; }

step_examples() {
    scripts/examples.py --tenon build/release/tenon --checker build/release/tests/property/check_plan \
        --work build/examples
}

step_bad_input() {
    # The attacks mostly wait.
    printf '%s\n' tests/{attack,bad-input}/run.py | xargs -P 2 -I PROGRAM python3 PROGRAM build/release/tenon
}

step_commands() { python3 tests/commands/run.py build/release/tenon; }

step_fuzz() { tests/fuzz/run.sh "$FUZZ_SECONDS" build/asan; }

step_scenarios() { scripts/scenarios.py build/release/tenon --other build/asan/tenon; }

# Each commit looks at other seeds; they are printed, as is how to run a red one again.
step_campaign() {
    local first core pids=() status=0
    first=$(($(git rev-list --count HEAD 2>/dev/null || echo 0) * 10000 + 1))
    for ((core = 0; core < jobs; core++)); do
        build/release/tenon sim --campaign 2000 --seed $((first + core * 2000)) --budget "${CAMPAIGN_SECONDS}s" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || status=1
    done
    return $status
}

step_scripts() {
    local test
    for test in $(find tests bench -name 'test_*.py' -not -path 'tests/e2e/*' -not -path 'tests/aws/fake/*' -not -path 'tests/aws/client/*' | sort); do
        say "$test"
        (cd "$(dirname "$test")" && python3 -m unittest --quiet "$(basename "$test" .py)")
    done
}

# Other random cases for each commit; under the sanitizers fewer.
step_aws_wire() {
    local seed compare=(tests/aws/wire/python.sh tests/aws/wire/compare.py)
    seed=$(git rev-list --count HEAD 2>/dev/null || echo 0)
    "${compare[@]}" build/release/tests/aws/wire/aws_wire_driver --cases 200 --seed "$seed"
    "${compare[@]}" build/asan/tests/aws/wire/aws_wire_driver --cases 40 --seed "$((seed + 1))"
}

# boto3, moto and Node.js are installed by the first run.
step_aws_fake() {
    tests/aws/fake/run.sh
    tests/aws/client/run.sh
}

# etcd, the API server, the scheduler, the controller manager and kwok are built by the first run.
step_e2e() { tests/e2e/run.sh; }

step_peer() {
    cd bench/peer-karpenter
    local unformatted
    unformatted=$("$(dirname "$("$root/scripts/go.sh")")/gofmt" -l .)
    [ -z "$unformatted" ] || die "gofmt would change: $unformatted"
    "$root/scripts/go.sh" vet ./...
    "$root/scripts/go.sh" build -o "$root/build/peer-karpenter" .
}

step_differential() {
    python3 tests/differential/run.py --tenon build/release/tenon --peer build/peer-karpenter \
        --checker build/release/tests/property/check_plan --generator build/release/tests/property/generate_case \
        --cases 300 --seed 1 --jobs "$jobs" --work build/differential
    python3 tests/differential/consolidation.py --classic build/release/tests/property/classic_commands \
        --peer build/peer-karpenter --generator build/release/tests/property/generate_case \
        --cases 200 --seed 1 --jobs "$jobs" --work build/differential/fleets
}

# A step that computes beside one that mostly waits: it begins with that one, at the lowest priority, and has the machine
# for itself when its turn comes.
declare -A beside=([bad_input]=fuzz [e2e]=property)

# start_step NAME [NICENESS]: in the background, its output into its log. Sets `pids[NAME]`. Not to be called in a
# condition: bash then ignores errors inside, `set -e` or not.
start_step() {
    set -m # a process group of its own, so that an interrupt can end all of it
    (
        set -e
        renice -n "${2:-0}" -p "$BASHPID" >/dev/null
        "step_$1"
    ) >"build/logs/$1.log" 2>&1 </dev/null &
    pids[$1]=$!
    set +m
    started[$1]=$SECONDS
}

# await_step NAME: shows meanwhile that it lives: on a terminal the last line of its log, elsewhere a line each minute.
# Sets `status`.
await_step() {
    local log=build/logs/$1.log quiet=0 pid=${pids[$1]} began=$SECONDS
    status=0
    # Only the superuser may take back a low priority.
    renice -n 0 -g "$pid" >/dev/null 2>&1 || true
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.5
        if [ -t 1 ]; then
            printf '\r\033[K      %4d s  %.90s' $((SECONDS - began)) "$(tail -n 1 "$log" | tr -cd '[:print:]')"
        elif [ $((SECONDS - began - quiet)) -ge 60 ]; then
            quiet=$((SECONDS - began))
            say "      $quiet s: $(tail -n 1 "$log" | cut -c -100)"
        fi
    done
    [ ! -t 1 ] || printf '\r\033[K'
    wait "$pid" || status=$?
    unset "pids[$1]"
}

# finish_step NAME: waits for it, says how it went, and adds it to the sums.
finish_step() {
    local name=$1 log=build/logs/$1.log passed failed verdict=ok seconds
    await_step "$name"
    seconds=$((SECONDS - started[$1]))
    read -r passed failed < <(count_tests "$log")
    [ $((passed + failed)) != 0 ] || [ "$status" != 0 ] || passed=1
    if [ "$status" != 0 ]; then
        [ "$failed" != 0 ] || failed=1
        tail -n "${TAIL_LINES:-60}" "$log" | sed 's/^/    | /'
        say "    FAILED after $seconds s; all of it is in $log"
        verdict=FAILED
    else
        say "    ok, $seconds s"
    fi
    rows+=("$(printf '%-14s %-8s %6d s %8d passed %6d failed' "$name" "$verdict" "$seconds" "$passed" "$failed")")
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
}

# Prints "PASSED FAILED" of the counts that a log has: those of ctest, of unittest, and lines "N passed, N failed".
count_tests() {
    sed -nE -e 's/.* ([0-9]+) tests failed out of ([0-9]+).*/ctest \1 \2/p' \
        -e 's/^(.*[^0-9])?([0-9]+) passed, ([0-9]+) failed.*/line \2 \3/p' \
        -e 's/^Ran ([0-9]+) tests? in.*/unit \1/p' "$1" |
        awk '$1 == "ctest" { failed += $2; passed += $3 - $2 }
            $1 == "line" { passed += $2; failed += $3 }
            $1 == "unit" { passed += $2 }
            END { print passed + 0, failed + 0 }'
}

selected=()
while [ $# -gt 0 ]; do
    if [ "$1" = --list ]; then
        printf '%s\n' "${steps[@]}" | sed 's/:/\t/' | expand -t 16
        exit 0
    fi
    [[ " ${steps[*]%%:*} " == *" $1 "* ]] || die "no step '$1'; scripts/test.sh --list names them"
    selected+=("$1")
    shift
done

# The slowest tests of all logs: seconds, step, test. Of ctest and of pytest's list.
slowest_tests() {
    local log
    for log in "${logs[@]}"; do
        sed -nE -e 's/.*Test +#[0-9]+: ([^ ]+) .*(Passed|Failed) +([0-9.]+) sec.*/\3 \1/p' \
            -e 's/^([0-9.]+)s call +(.*)/\1 \2/p' "$log" | sed "s/ / $(basename "$log" .log) /"
    done | sort -rn | sed -n 1,10p
}

mkdir -p build/logs
declare -A pids started
rows=() logs=() total_passed=0 total_failed=0 number=0
count=${#selected[@]}
[ "$count" != 0 ] || count=${#steps[@]}
trap 'for pid in "${pids[@]}"; do kill -- "-$pid"; done; exit 130' INT TERM

# is_selected NAME
is_selected() { [ ${#selected[@]} = 0 ] || [[ " ${selected[*]} " == *" $1 "* ]]; }

for step in "${steps[@]}"; do
    name=${step%%:*}
    is_selected "$name" || continue
    number=$((number + 1))
    logs+=("build/logs/$name.log")
    say "==> [$number/$count] $name: ${step#*:}"
    other=${beside[$name]:-}
    if [ -n "$other" ] && is_selected "$other"; then
        start_step "$other" 19
    fi
    [ -n "${pids[$name]:-}" ] || start_step "$name"
    finish_step "$name"
done

say
printf '%s\n' "${rows[@]}"
say
say "the slowest steps:"
printf '%s\n' "${rows[@]}" | awk '{ printf "%8d s  %s\n", $3, $1 }' | sort -rn | sed -n 1,10p
say "the slowest tests:"
slowest_tests | awk '{ printf "%8.1f s  %s  %s\n", $1, $2, $3 }'
say "$SECONDS s in all"
say "$total_passed passed, $total_failed failed"
[ "$total_failed" = 0 ]
