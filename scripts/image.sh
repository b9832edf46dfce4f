#!/usr/bin/env bash
# The container image in build/image/out: an OCI layout, SBOM, sums; then starts it as a cluster would.
#
#   KEY=release.pem scripts/image.sh        without a key nothing is signed
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

architecture=$(dpkg --print-architecture)
scripts/image_binary.sh "build/image/$architecture"
version=$(sed -nE 's/^project\(tenon VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
scripts/image.py --output build/image/out --version "$version" --commit "$(git rev-parse HEAD)" \
    --epoch "$(git log -1 --format=%ct)" ${KEY:+--key "$KEY"} "$architecture=build/image/$architecture"
tests/deploy/started.py build/image/out
