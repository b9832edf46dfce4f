#!/usr/bin/env bash
# The container image in build/image/out, for amd64 and arm64: an OCI layout, SBOMs, sums. Then tests: this machine's program is
# started as a cluster would (tests/deploy), and serves its webhooks on a real control plane; the other one runs under QEMU.
#
#   KEY=release.pem scripts/image.sh        without a key nothing is signed
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

parts=()
for architecture in amd64 arm64; do
    scripts/image_binary.sh "$architecture" "build/image/$architecture"
    parts+=("$architecture=build/image/$architecture")
done
version=$(sed -nE 's/^project\(tenon VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
scripts/image.py --output build/image/out --version "$version" --commit "$(git rev-parse HEAD)" \
    --epoch "$(git log -1 --format=%ct)" ${KEY:+--key "$KEY"} "${parts[@]}"
tests/deploy/started.py build/image/out
TENON=build/image/$(dpkg --print-architecture)/tenon tests/e2e/run.sh tests/e2e/test_webhooks.py
for part in "${parts[@]}"; do
    [ "${part%=*}" = "$(dpkg --print-architecture)" ] || tests/deploy/foreign.sh "${part#*=}"
done
