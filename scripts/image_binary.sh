#!/usr/bin/env bash
# Builds the image's binary: tenon with everything linked in but the C library.
#
#   scripts/image_binary.sh ARCHITECTURE FOLDER     FOLDER/tenon, and what it was made from in FOLDER/inputs
#
# ARCHITECTURE: amd64 or arm64, as Debian calls them. For another one than this machine's, the tree is compiled in FOLDER/build.
# Inputs: this tree and deploy/image/packages.lock. curl (OpenSSL alone), libmicrohttpd and its GnuTLS (without PKCS #11) are built
# from their sources as Debian has them, simdjson too; the rest are Debian's static libraries. The bytes depend on nothing else: no
# path, no time.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# = 2 ] || die "expected an architecture and a folder"
architecture=$1
case $architecture in
amd64) triplet=x86_64-linux-gnu fortran="-lgfortran -lquadmath" ;;
arm64) triplet=aarch64-linux-gnu fortran=-lgfortran ;;
*) die "deploy/image/packages.lock has amd64 and arm64, not '$architecture'" ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)

inputs=$folder/inputs
export CC=$triplet-gcc CXX=$triplet-g++ AR=$triplet-gcc-ar RANLIB=$triplet-gcc-ranlib
export SOURCE_DATE_EPOCH=0 ZERO_AR_DATE=1
cross=()
[ "$architecture" = "$(dpkg --print-architecture)" ] ||
    cross=(--toolchain "$root/cmake/cross.cmake" "-DCROSS_TRIPLET=$triplet" "-DCROSS_INPUTS=$inputs")
# Headers of the unpacked packages; nothing of the path stays in the bytes.
flags="-O2 -fPIE -ffile-prefix-map=$inputs=/inputs -ffile-prefix-map=$root=/tenon"
flags+=" -isystem $inputs/root/usr/include -isystem $inputs/root/usr/include/$triplet"
harden="-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"

# library NAME WORD...: configures and installs the sources of that name, once.
library() {
    local name=$1
    shift
    [ ! -e "$inputs/.$name" ] || return 0
    say "image: building $name"
    # Debian's patches are newer than what autoconf made of the sources; it is not to be made again.
    local kept=(ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:)
    {
        cd "$inputs/source/$name" &&
            CFLAGS="$flags $harden" CPPFLAGS="" LDFLAGS="-L$inputs/root/usr/lib/$triplet" ./configure --quiet \
                --host="$triplet" --prefix=/usr --libdir="/usr/lib/$triplet" --disable-shared --enable-static "$@" &&
            make --silent -j "$jobs" V=0 "${kept[@]}" && make --silent install DESTDIR="$inputs/root" "${kept[@]}"
    } >"$inputs/$name.log" 2>&1 || { tail -n 30 "$inputs/$name.log"; die "$name cannot be built: $inputs/$name.log"; }
    cd "$root"
    touch "$inputs/.$name"
}

if ! cmp --quiet deploy/image/packages.lock "$inputs/.lock" 2>/dev/null; then
    scripts/image_inputs.py fetch "$architecture" "$inputs"
    cp deploy/image/packages.lock "$inputs/.lock"
fi
# Only what net/http.c uses: http and https, over OpenSSL.
library curl --with-openssl="$inputs/root/usr" --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt --disable-ldap --disable-ldaps \
    --disable-ftp --disable-file --disable-rtsp --disable-dict --disable-telnet --disable-tftp --disable-pop3 --disable-imap \
    --disable-smb --disable-smtp --disable-gopher --disable-mqtt --disable-manual --disable-libcurl-option --disable-alt-svc \
    --disable-hsts --disable-ntlm --disable-netrc --disable-unix-sockets --with-zlib="$inputs/root/usr" --without-brotli --without-zstd \
    --without-libpsl --without-libidn2 --without-nghttp2 --without-librtmp --without-libssh2 --without-gssapi
# What the server of webhooks ends TLS with. pkg-config is not asked: it knows of this machine's libraries only.
tls="-lgnutls -lhogweed -lnettle -lgmp -ltasn1"
static="-I$inputs/root/usr/include -I$inputs/root/usr/include/$triplet"
library gnutls28 GMP_CFLAGS="$static" GMP_LIBS=-lgmp NETTLE_CFLAGS="$static" NETTLE_LIBS=-lnettle HOGWEED_CFLAGS="$static" \
    HOGWEED_LIBS="-lhogweed -lnettle -lgmp" LIBTASN1_CFLAGS="$static" LIBTASN1_LIBS=-ltasn1 --with-included-unistring --without-idn \
    --without-p11-kit --without-tpm --without-tpm2 --without-zlib --without-brotli --without-zstd --disable-libdane --disable-cxx \
    --disable-tools --disable-doc --disable-tests --disable-nls --disable-guile --disable-srp-authentication
# A patch of Debian's adds this file, and would need automake to have it compiled.
linked_hash=$inputs/source/gnutls28/gl/gl_linkedhash_list
# shellcheck disable=SC2086
"$CC" $flags $harden -I"${linked_hash%/gl/*}" -I"${linked_hash%/*}" -DHAVE_CONFIG_H -c "$linked_hash.c" -o "$linked_hash.o"
"$AR" rD "$inputs/root/usr/lib/$triplet/libgnutls.a" "$linked_hash.o"
library libmicrohttpd GNUTLS_CFLAGS="$static" GNUTLS_LIBS="$tls" --with-gnutls=yes --enable-https=yes --disable-doc \
    --disable-examples --disable-curl --disable-bauth --disable-dauth --disable-postprocessor
if [ ! -e "$inputs/.simdjson" ]; then
    say "image: building simdjson"
    # The library is one file; its CMake files are for find_package.
    cmake -S "$inputs/source/simdjson" -B "$inputs/simdjson" -G Ninja "${cross[@]}" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DSIMDJSON_DEVELOPER_MODE=OFF -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$triplet" \
        -DCMAKE_CXX_FLAGS="$flags $harden" >"$inputs/simdjson.log" 2>&1
    cmake --build "$inputs/simdjson" --parallel "$jobs" >>"$inputs/simdjson.log" 2>&1
    DESTDIR=$inputs/root cmake --install "$inputs/simdjson" >>"$inputs/simdjson.log" 2>&1
    touch "$inputs/.simdjson"
fi

# Behind all others: what the static libraries need of each other. Fortran's library is LAPACK's.
where=$inputs/root/usr/lib
behind="-L$where/$triplet/lapack -L$where/$triplet/blas -L$where/$triplet -L$where/gcc/$triplet/12"
behind+=" -lCoinUtils -llapack -lblas $fortran -lbz2 -lz -lssl -lcrypto $tls -lm"
alone="-static-libstdc++ -static-libgcc -Wl,--build-id=none -Wl,-z,relro,-z,now,-z,noexecstack"

if [ ${#cross[@]} = 0 ]; then
    # The very objects of build/release that the tests run on, linked another way.
    build=build/release
    scripts/build.sh release tenon
else
    build=$folder/build
    grep --quiet --fixed-strings --regexp="=$behind" "$build/CMakeCache.txt" 2>/dev/null || {
        rm -rf "$build"
        cmake --preset release -B "$build" "${cross[@]}" -DCROSS_BEHIND="$behind" -DTENON_BENCH=OFF >"$folder/configure.log"
    }
    cmake --build "$build" --parallel "$jobs" --target tenon
fi
# shellcheck disable=SC2086
"$CXX" -pie $alone -o "$folder/tenon" "$build/CMakeFiles/tenon.dir/src/cli/main.c.o" \
    -Wl,--start-group "$build"/libtenon_*.a -Wl,--end-group -lClp -lcurl -lmicrohttpd -lsimdjson -lyaml \
    -lexpat -lxxhash $behind -pthread
"$triplet-strip" "$folder/tenon"
# A path in it would make another folder's bytes others.
! grep --quiet --fixed-strings "$root/" "$folder/tenon" || die "$folder/tenon has the path $root in it; with ccache it has not"
say "$folder/tenon"
