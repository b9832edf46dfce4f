#!/usr/bin/env bash
# Builds Helm from its Go module (go.mod); prints the folder that holds it, as its last line.
#
# It is kept in the cache folder of scripts/common.sh under a key of what it is made from: once, some minutes.
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

module=$root/tests/deploy/programs
key=$(cat "$module"/{go.mod,go.sum,build.sh} | sha256sum | cut -c 1-12)
folder=$cache/helm/$key

if [ ! -x "$folder/helm" ]; then
    mkdir -p "$cache/helm"
    exec 9>"$cache/helm/lock"
    flock 9
    if [ ! -x "$folder/helm" ]; then
        say "deploy: building Helm from its Go module; once, some minutes" >&2
        find "$cache/helm" -mindepth 1 -maxdepth 1 -type d -exec rm -rf {} +
        mkdir -p "$folder"
        cd "$module"
        CGO_ENABLED=0 nice "$root/scripts/go.sh" build -mod=readonly -p "$jobs" -ldflags "-s -w" -o "$folder/helm" \
            helm.sh/helm/v4/cmd/helm >&2
    fi
fi
say "$folder"
