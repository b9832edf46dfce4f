#!/usr/bin/env bash
# All files of a release in build/release-files: the image as an archive with its SBOM, the Debian package, the plugin for kubectl,
# both charts, sums. Nothing is published.
#
#   URL=https://… scripts/release.sh              where the files will lie, for krew's manifest; signed with KEY=release.pem
#   scripts/release.sh check                      only whether this commit may be released
#
# Refused, with all reasons, unless the tree is what the commit says, the commit has the tag vVERSION, the charts have the
# version, and CHANGELOG.md has a section for it. The same commit gives the same bytes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
umask 022

version=$(sed -nE 's/^project\(tenon VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
output=${OUTPUT:-build/release-files}

obstacles() {
    local chart
    [ -z "$(git status --porcelain)" ] || say "there are changes that are not committed: git status"
    [ "$(git rev-parse -q --verify "refs/tags/v$version^{commit}")" = "$(git rev-parse HEAD)" ] ||
        say "this commit has no tag v$version: git tag -s v$version, or another version in CMakeLists.txt"
    grep -qxE "## ${version//./\\.} +\([0-9]{4}-[0-9]{2}-[0-9]{2}\)" CHANGELOG.md ||
        say "CHANGELOG.md has no section \"## $version (YEAR-MONTH-DAY)\""
    for chart in deploy/chart deploy/chart-crds; do
        grep -qx "version: $version" "$chart/Chart.yaml" && grep -qx "appVersion: $version" "$chart/Chart.yaml" ||
            say "$chart/Chart.yaml: version and appVersion: expected $version"
    done
}

check() {
    local found
    found=$(obstacles)
    [ -z "$found" ] || die "not released:"$'\n'"$found"
}

# pack ARCHIVE FOLDER NAME: FOLDER as NAME in ARCHIVE, of root and of the commit's time.
pack() {
    tar --create --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner \
        --directory "$(dirname "$2")" --transform "s|^$(basename "$2")|$3|" "$(basename "$2")" | gzip -9n >"$1"
}

gather() {
    rm -rf "$output"
    mkdir -p "$output"
    pack "$output/tenon-$version-image.tar.gz" build/image/out/layout "tenon-$version"
    pack "$output/tenon-$version.tgz" deploy/chart tenon
    pack "$output/tenon-crds-$version.tgz" deploy/chart-crds tenon-crds
    cp build/image/out/sbom-*.spdx.json build/package/tenon_"$version"_*.deb build/package/tenon-"$version"-linux-*.tar.gz \
        build/package/tenon.krew.yaml LICENSE "$output"
}

sign() {
    (cd "$output" && sha256sum -- * >SHA256SUMS)
    [ -z "${KEY:-}" ] ||
        openssl pkeyutl -sign -rawin -inkey "$KEY" -in "$output/SHA256SUMS" -out "$output/SHA256SUMS.sig"
}

check
[ "${1:-}" != check ] || exit 0
[ -n "${URL:-}" ] || die "URL=https://… says where the files will lie"
scripts/build.sh release
scripts/image.sh
scripts/package.sh deb
URL=$URL PROGRAMS=build/image scripts/package.sh krew
gather
sign
say "$output:"
ls "$output"
