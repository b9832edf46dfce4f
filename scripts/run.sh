#!/usr/bin/env bash
# The main job, without a cluster and without a cloud account: builds the release preset, and lets tenon live through a
# day of a shop on the embedded cluster. On a terminal it can be watched.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/setup.sh build
say "build: preset release"
scripts/build.sh release tenon
say
say "\$ build/release/tenon sim examples/scenarios/shop-day.yaml"
exec build/release/tenon sim examples/scenarios/shop-day.yaml
