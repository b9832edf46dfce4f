#!/usr/bin/env bash
# Builds Karpenter for KWOK from its Go module (go.mod).
#
#   bench/cluster/karpenter/build.sh    prints the folder that holds it, as its last line
#
# The folder has the program `karpenter`, its definitions in crds/, and its instance types, instance_types.json. It is kept
# in the cache folder of scripts/common.sh under a key of what it is made from.
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

module=$root/bench/cluster/karpenter
key=$(cat "$module"/{go.mod,go.sum,build.sh} | sha256sum | cut -c 1-12)
folder=$cache/karpenter/$key

if [ -e "$folder/.complete" ]; then
    say "$folder"
    exit 0
fi

# Two callers at the same time: the second waits for the first.
mkdir -p "$cache/karpenter"
exec 9>"$cache/karpenter/lock"
flock 9
if [ ! -e "$folder/.complete" ]; then
    say "karpenter: building its KWOK provider from its Go module; once, some minutes" >&2
    rm -rf "$folder"
    mkdir -p "$folder/crds"
    cd "$module"
    CGO_ENABLED=0 nice "$root/scripts/go.sh" build -mod=readonly -p "$jobs" -o "$folder/karpenter" -ldflags "-s -w" \
        sigs.k8s.io/karpenter/kwok >&2
    source=$("$root/scripts/go.sh" list -mod=readonly -m -f '{{.Dir}}' sigs.k8s.io/karpenter)
    install -m 644 "$source"/{pkg,kwok}/apis/crds/*.yaml "$folder/crds/"
    install -m 644 "$source/kwok/cloudprovider/instance_types.json" "$folder/"
    touch "$folder/.complete"
fi
# Those of former releases.
find "$cache/karpenter" -mindepth 1 -maxdepth 1 -type d ! -path "$folder" -exec rm -rf {} +
say "$folder"
