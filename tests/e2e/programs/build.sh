#!/usr/bin/env bash
# Builds the programs of a Kubernetes control plane, and KWOK's simulator of nodes, from their Go modules (go.mod).
#
#   tests/e2e/programs/build.sh         prints the folder that holds them, as its last line
#
# They are kept in the cache folder of scripts/common.sh under a key of what they are made from, so this is done once
# for each release: some minutes and 7 GB of compiled packages, that can be deleted; the programs are 600 MB.
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

version=1.36.1
module=$root/tests/e2e/programs
key=$(cat "$module"/{go.mod,go.sum,build.sh} | sha256sum | cut -c 1-12)
folder=$cache/cluster/$version-$key

if [ -e "$folder/.complete" ]; then
    say "$folder"
    exit 0
fi

# Two callers at the same time: the second waits for the first.
mkdir -p "$cache/cluster"
exec 9>"$cache/cluster/lock"
flock 9
if [ ! -e "$folder/.complete" ]; then
    say "cluster: building Kubernetes $version, etcd and kwok from their Go modules; once, some minutes" >&2
    rm -rf "$folder"
    mkdir -p "$folder/stages"
    cd "$module"
    # Kubernetes' programs refuse to start without knowing their release.
    to=k8s.io/component-base/version
    flags="-s -w -X $to.gitVersion=v$version -X $to.gitMajor=${version%%.*} -X $to.gitMinor=$(cut -d . -f 2 <<<"$version")"
    CGO_ENABLED=0 nice "$root/scripts/go.sh" build -mod=readonly -p "$jobs" -o "$folder/" -ldflags "$flags" tool >&2
    mv "$folder/server" "$folder/etcd"
    # How kwok plays nodes and pods: the rules of its own release.
    kwok=$("$root/scripts/go.sh" list -mod=readonly -m -f '{{.Dir}}' sigs.k8s.io/kwok)
    install -m 644 "$kwok"/kustomize/stage/{node/fast,pod/fast,node/heartbeat-with-lease}/[!k]*.yaml "$folder/stages/"
    touch "$folder/.complete"
fi
# Programs of former releases.
find "$cache/cluster" -mindepth 1 -maxdepth 1 -type d ! -path "$folder" -exec rm -rf {} +
say "$folder"
