#!/usr/bin/env bash
# The main job on a real example: builds the release preset and plans the nodes for examples/.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/setup.sh build
say "build: preset release"
scripts/build.sh release tenon
say
say "\$ build/release/tenon plan -f examples/"
exec build/release/tenon plan -f examples/
