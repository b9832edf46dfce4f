#!/usr/bin/env bash
# Builds Karpenter's controller for AWS from its Go module (go.mod); prints its path as the last line.
#
# It is kept in the cache folder of scripts/common.sh under a key of what it is made from: once some six minutes.
source "$(dirname "${BASH_SOURCE[0]}")/../../../../scripts/common.sh"

module=$root/tests/aws/peer/karpenter
key=$(cat "$module"/{go.mod,go.sum,build.sh} | sha256sum | cut -c 1-12)
program=$cache/aws-peer/$key/controller

if [ ! -x "$program" ]; then
    mkdir -p "$cache/aws-peer"
    exec 9>"$cache/aws-peer/lock"
    flock 9
    if [ ! -x "$program" ]; then
        say "aws-peer: building Karpenter's controller for AWS from its Go modules; once, some minutes" >&2
        find "$cache/aws-peer" -mindepth 1 -maxdepth 1 -type d -exec rm -rf {} +
        mkdir -p "${program%/*}"
        cd "$module"
        CGO_ENABLED=0 nice "$root/scripts/go.sh" build -mod=readonly -p "$jobs" -ldflags "-s -w" -o "$program" \
            github.com/aws/karpenter-provider-aws/cmd/controller >&2
    fi
fi
say "$program"
