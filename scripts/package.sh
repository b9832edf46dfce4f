#!/usr/bin/env bash
# Puts the program where it belongs on a machine, or into a package.
#
#   scripts/package.sh install      with DESTDIR and PREFIX (/usr/local): program, kubectl plugin, man pages, completion, systemd unit
#   scripts/package.sh deb          build/package/tenon_VERSION_ARCHITECTURE.deb; MAINTAINER="Name <address>" says who made it
#   scripts/package.sh krew         build/package/tenon-VERSION-linux-{amd64,arm64}.tar.gz, and krew's manifest with URL
#
# The program is build/release/tenon, or what TENON names. krew's archives come to machines of any kind, so they have the image's
# programs, which want nothing but the C library: those in PROGRAMS/{amd64,arm64}/tenon, or else they are made now. The same
# program gives the same bytes: times are those of the commit.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# What is made here is for everybody to read, whatever the user's mask.
umask 022

program=${TENON:-build/release/tenon}
output=${OUTPUT:-build/package}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C.UTF-8
date=$(date --date="@$SOURCE_DATE_EPOCH" +%F)

# ask_version PROGRAM HINT: sets `version`.
ask_version() {
    [ -x "$1" ] || die "$1 is not there: $2"
    version=$("$1" version | cut -d ' ' -f 2)
}

# install_into ROOT PREFIX UNITS
install_into() {
    local root=$1 prefix=$2 units=$3 pages share
    pages=$(mktemp -d)
    share=$root$prefix/share
    scripts/pages.py "$program" "$pages" --date "$date"
    install -D -m 755 "$program" "$root$prefix/bin/tenon"
    strip "$root$prefix/bin/tenon"
    ln -sf tenon "$root$prefix/bin/kubectl-tenon"
    install -D -m 644 -t "$share/man/man1" "$pages"/man/*.1
    gzip -9nf "$share"/man/man1/{tenon,tenon-*,kubectl-tenon}.1
    install -D -m 644 "$pages/completion/tenon.bash" "$share/bash-completion/completions/tenon"
    ln -sf tenon "$share/bash-completion/completions/kubectl-tenon"
    install -D -m 644 "$pages/completion/tenon.zsh" "$share/zsh/${ZSH_FOLDER:-site-functions}/_tenon"
    install -D -m 644 "$pages/completion/tenon.fish" "$share/fish/vendor_completions.d/tenon.fish"
    install -d "$root$units"
    sed "s|/usr/bin/tenon|$prefix/bin/tenon|" deploy/systemd/tenon.service >"$root$units/tenon.service"
    chmod 644 "$root$units/tenon.service"
    rm -rf "$pages"
}

# The packages whose libraries the program wants, as Debian's fields have them.
libraries_of() {
    local folder
    folder=$(mktemp -d)
    mkdir "$folder/debian"
    printf 'Source: tenon\n\nPackage: tenon\nArchitecture: any\n' >"$folder/debian/control"
    (cd "$folder" && dpkg-shlibdeps -O "$1") >"$folder/found"
    sed 's/^shlibs:Depends=//' "$folder/found"
    rm -rf "$folder"
}

make_deb() {
    local architecture root=$output/deb depends
    architecture=$(dpkg --print-architecture)
    rm -rf "$root"
    ZSH_FOLDER=vendor-completions install_into "$root" /usr /lib/systemd/system
    depends=$(libraries_of "$(realpath "$root/usr/bin/tenon")")
    install -D -m 644 deploy/debian/copyright "$root/usr/share/doc/tenon/copyright"
    printf 'tenon (%s) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n' "$version" "$version" "$maintainer" \
        "$(date --date="@$SOURCE_DATE_EPOCH" -R)" | gzip -9n >"$root/usr/share/doc/tenon/changelog.gz"
    install -D -m 755 -t "$root/DEBIAN" deploy/debian/{postinst,prerm,postrm}
    cat >"$root/DEBIAN/control" <<END
Package: tenon
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Section: admin
Priority: optional
Depends: $depends
Recommends: ca-certificates
Installed-Size: $(du -k -s --apparent-size "$root" | cut -f 1)
Description: nodes for the pods of a Kubernetes cluster
 Gives a Kubernetes cluster the nodes that its pods need, when they need them,
 at the lowest price. It does the job of Karpenter and understands Karpenter's
 objects. Plans, prices and what-if runs work without a cluster.
END
    (cd "$root" && find usr lib -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
    find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --build "$root" "$output/tenon_${version}_$architecture.deb"
}

# The libraries that a program wants besides the C library, in one line.
strangers_of() {
    readelf --dynamic "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' |
        grep --invert-match --line-regexp --extended-regexp '(lib(c|m|dl|pthread|resolv|rt)|ld-linux-[a-z0-9-]+)\.so\.[0-9]' |
        paste -s -d ' ' || true
}

# The oldest glibc that has what the programs ask of it.
glibc_of() {
    readelf --version-info "$@" | sed -nE 's/.*Name: GLIBC_([0-9.]+) .*/\1/p' | sort --version-sort | tail -n 1
}

# pack_krew ARCHITECTURE PROGRAM: prints the archive's sum.
pack_krew() {
    local folder=$output/krew/$1 archive=$output/tenon-$version-linux-$1.tar.gz strangers
    [ -x "$2" ] || die "$2 is not there: make image, or leave PROGRAMS away"
    strangers=$(strangers_of "$2")
    [ -z "$strangers" ] || die "$2 would not start on other machines, it wants $strangers: expected one of scripts/image_binary.sh"
    mkdir -p "$folder"
    install -m 755 "$2" "$folder/kubectl-tenon"
    install -m 644 LICENSE "$folder/LICENSE"
    tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --directory "$folder" \
        LICENSE kubectl-tenon | gzip -9n >"$archive"
    sha256sum "$archive" | cut -d ' ' -f 1
}

# make_krew PROGRAMS
make_krew() {
    local architecture filled=(-e '/^#/d' -e "s|@VERSION@|$version|; s|@URL@|$url|") sum
    for architecture in amd64 arm64; do
        sum=$(pack_krew "$architecture" "$1/$architecture/tenon")
        filled+=(-e "s|@SHA256_$architecture@|$sum|")
    done
    filled+=(-e "s|@GLIBC@|$(glibc_of "$1"/{amd64,arm64}/tenon)|")
    sed "${filled[@]}" deploy/krew/tenon.yaml.in >"$output/tenon.krew.yaml"
    say "$output/tenon.krew.yaml"
}

make_programs() {
    local architecture
    for architecture in amd64 arm64; do
        scripts/image_binary.sh "$architecture" "build/image/$architecture"
    done
}

case ${1:-} in
install)
    ask_version "$program" "make build"
    install_into "${DESTDIR:-}" "${PREFIX:-/usr/local}" "${PREFIX:-/usr/local}/lib/systemd/system"
    ;;
deb)
    ask_version "$program" "make build"
    maintainer=${MAINTAINER:-$(git log -1 --format='%an <%ae>')}
    make_deb
    ;;
krew)
    url=${URL:-}
    url=${url%/}
    [ -n "$url" ] || die "URL=https://… says where the archives will lie, without their names"
    [ -n "${PROGRAMS:-}" ] || make_programs
    programs=${PROGRAMS:-build/image}
    ask_version "$programs/$(dpkg --print-architecture)/tenon" "make image, or leave PROGRAMS away"
    make_krew "$programs"
    ;;
*) die "expected install, deb or krew" ;;
esac
