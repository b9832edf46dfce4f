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
# A step that takes longer hangs: it is ended, and has failed.
STEP_SECONDS=${STEP_SECONDS:-1800}
# Pods that come and go in the test of bounded memory: enough for what grows to show, also under sanitizers.
export TENON_CHURN=${TENON_CHURN:-400000}

# The steps in their order: name, what it is. The function step_NAME does it.
steps=(
    "layering:includes and purity against the house's laws, and the check's own test; dead citations and links; the page of fields"
    "format:clang-format"
    "gcc:release build with gcc, unit tests on it"
    "e2e:end-to-end tests on a real control plane"
    "bad_input:broken manifests end with one clear line; attacks on a process leave it whole"
    "aws_fake:the fake of AWS against boto3, the AWS SDK for JavaScript, moto and ministack; tenon's client, and bursts of launches, against the fake; deploy/aws"
    "aws_peer:what tenon asks of AWS, beside what Karpenter's controller asked for; on the fake"
    "commands:what users type and what they get to see"
    "deploy:the Helm charts as rendered; the image's writer, man pages, completion, packages"
    "scripts:the tests of the test programs"
    "peer:build Karpenter's scheduler as the peer"
    "property:random clusters through the plan checker"
    "lint:clang-tidy and cppcheck"
    "sanitizers:builds with clang's sanitizers of addresses and undefined behaviour, and of threads"
    "asan:all tests with the sanitizers of addresses and undefined behaviour"
    "tsan:tests of what has threads with the sanitizer of threads"
    "fuzz:each parser with random input, $FUZZ_SECONDS s each"
    "scenarios:scenarios on the embedded cluster, the same history with gcc and clang"
    "campaign:random clusters with random faults, $CAMPAIGN_SECONDS s on each core; half as long over AWS's API"
    "examples:the plan of examples/, and what README.md shows"
    "aws_wire:requests and replies of AWS's services against botocore's, and its protocol tests"
    "differential:tenon against Karpenter on random clusters"
)

# Steps that compute run one after another at the lowest priority, beside those before them that mostly wait: they begin
# with the first of WAITING, and have the machine for themselves when its last has ended.
waiting=(e2e bad_input aws_fake aws_peer commands deploy scripts peer)
computing=(property lint sanitizers)

step_layering() {
    printf '%s\n' scripts/{layering,house,citations,fields}.py{" --self-test",} | xargs -P "$jobs" -I WORDS bash -c WORDS
}

step_format() {
    find src tests bench -name '*.[ch]' -o -name '*.cpp' | sort |
        xargs -P "$jobs" -n 50 clang-format --dry-run -Werror
}

# The other steps use this build, too; CHECKs are alive in it.
step_gcc() {
    build_and_test release --label-exclude property
    scripts/aws_areas.py build/release/tests
}
step_sanitizers() {
    scripts/build.sh asan
    scripts/build.sh tsan threaded_tests
}
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

# Helm is built by the first run.
step_deploy() { tests/e2e/python.sh tests/deploy/run.py build/release/tenon; }

step_fuzz() { tests/fuzz/run.sh "$FUZZ_SECONDS" build/asan; }

step_scenarios() { scripts/scenarios.py build/release/tenon --other build/asan/tenon; }

# campaign_on_each_core COUNT SECONDS [OPTION...]. Each commit looks at other seeds; they are printed, as is how to run a
# red one again.
campaign_on_each_core() {
    local count=$1 seconds=$2 first core pids=() status=0
    shift 2
    first=$(($(git rev-list --count HEAD 2>/dev/null || echo 0) * 10000 + 1))
    for ((core = 0; core < jobs; core++)); do
        build/release/tenon sim --campaign "$count" --seed $((first + core * count)) --budget "${seconds}s" "$@" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || status=1
    done
    return $status
}

step_campaign() {
    campaign_on_each_core 2000 "$CAMPAIGN_SECONDS"
    campaign_on_each_core 20 $((CAMPAIGN_SECONDS / 2)) --aws-wire
}

step_scripts() {
    local test
    for test in $(find tests bench -name 'test_*.py' -not -path 'tests/e2e/*' -not -path 'tests/aws/*' -o -path 'tests/aws/peer/test_*.py' | sort); do
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
    tests/aws/infrastructure/run.sh
}

# A set for each family of images that differs, and for what is special of disks, interfaces and reservations.
step_aws_peer() {
    tests/aws/peer/run.sh --recorded --only labels-and-taints bottlerocket-settings windows disk interfaces reservation
}

# etcd, the API server, the scheduler, the controller manager and kwok are built by the first run.
step_e2e() {
    E2E_AUDIT=1 tests/e2e/run.sh
    tests/e2e/python.sh tests/e2e/rights_used.py
}

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

# run_step NAME: its output into its log; its exit status, its seconds and those of processors into NAME.ended beside it.
# Not to be called in a condition: bash then ignores errors inside, `set -e` or not.
run_step() {
    local began=$SECONDS status=0 used TIMEFORMAT='%U %S'
    rm -f "build/logs/$1.ended"
    set +e
    { time { (
        set -e
        "step_$1"
    ) >"build/logs/$1.log" 2>&1 </dev/null; }; } 2>"build/logs/$1.processor"
    status=$?
    set -e
    used=$(awk '{ printf "%d", $1 + $2 }' "build/logs/$1.processor")
    rm "build/logs/$1.processor"
    echo "$status $((SECONDS - began)) $used" >"build/logs/$1.ended"
}

# in_background NICENESS STEP...: runs them one after another, as a process group of its own, so that an interrupt can end
# all of it. Sets `pid`.
in_background() {
    local niceness=$1 name
    shift
    for name in "$@"; do
        rm -f "build/logs/$name.ended" "build/logs/$name.log"
    done
    set -m
    (
        renice -n "$niceness" -p "$BASHPID" >/dev/null
        for name in "$@"; do
            run_step "$name"
        done
    ) &
    pid=$!
    set +m
    groups+=("$pid")
}

# await_step NAME GROUP: shows meanwhile that it lives: on a terminal the last line of its log, elsewhere a line each
# minute. Sets `status`, `seconds` and `used`.
await_step() {
    local log=build/logs/$1.log ended=build/logs/$1.ended quiet=0 began=$SECONDS
    while [ ! -s "$ended" ] && kill -0 -- "-$2" 2>/dev/null; do
        sleep 0.5
        if [ $((SECONDS - began)) -ge "$STEP_SECONDS" ]; then
            say "      ended: it took longer than $STEP_SECONDS s (STEP_SECONDS)"
            kill -- "-$2"
            break
        fi
        [ -e "$log" ] || continue
        if [ -t 1 ]; then
            printf '\r\033[K      %4d s  %.90s' $((SECONDS - began)) "$(tail -n 1 "$log" | tr -cd '[:print:]')"
        elif [ $((SECONDS - began - quiet)) -ge 60 ]; then
            quiet=$((SECONDS - began))
            say "      $quiet s: $(tail -n 1 "$log" | cut -c -100)"
        fi
    done
    [ ! -t 1 ] || printf '\r\033[K'
    status=1 seconds=$((SECONDS - began)) used=0 # of one that was killed
    [ ! -s "$ended" ] || read -r status seconds used <"$ended"
}

# finish_step NAME GROUP: waits for it, says how it went, and adds it to the sums.
finish_step() {
    local name=$1 log=build/logs/$1.log passed failed verdict=ok status seconds used
    await_step "$name" "$2"
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
    rows+=("$(printf '%-14s %-8s %6d s %6d s of processors %8d passed %6d failed' "$name" "$verdict" "$seconds" "$used" \
        "$passed" "$failed")")
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
groups=() computes=
rows=() logs=() total_passed=0 total_failed=0 number=0
count=${#selected[@]}
[ "$count" != 0 ] || count=${#steps[@]}
trap 'for group in "${groups[@]}"; do kill -- "-$group" 2>/dev/null; done; exit 130' INT TERM

# is_selected NAME
is_selected() { [ ${#selected[@]} = 0 ] || [[ " ${selected[*]} " == *" $1 "* ]]; }

# is_one_of NAME STEP...
is_one_of() { [[ " ${*:2} " == *" $1 "* ]]; }

# Begins the computing steps that are selected.
start_computing() {
    local names=() name
    for name in "${computing[@]}"; do
        ! is_selected "$name" || names+=("$name")
    done
    in_background 19 "${names[@]}"
    computes=$pid
}

for step in "${steps[@]}"; do
    name=${step%%:*}
    is_selected "$name" || continue
    number=$((number + 1))
    logs+=("build/logs/$name.log")
    say "==> [$number/$count] $name: ${step#*:}"
    if [ -z "$computes" ] && is_one_of "$name" "${waiting[@]}" "${computing[@]}"; then
        start_computing
    fi
    if is_one_of "$name" "${computing[@]}"; then
        # Only the superuser may take back a low priority.
        renice -n 0 -g "$computes" >/dev/null 2>&1 || true
        pid=$computes
    else
        in_background 0 "$name"
    fi
    finish_step "$name" "$pid"
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
