# Toolchain for an architecture that this machine is not of (scripts/image_binary.sh): Debian's cross compiler, and the packages that
# scripts/image_inputs.py has unpacked.
#
#   cmake --toolchain cmake/cross.cmake -DCROSS_TRIPLET=aarch64-linux-gnu -DCROSS_INPUTS=FOLDER
#
# CROSS_INPUTS: has the packages in root/. They are static libraries: what these need of each other, which the packages'
# shared libraries would know, is said here (CROSS_BEHIND, words for the linker).
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CROSS_TRIPLET CROSS_INPUTS CROSS_BEHIND)
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${CROSS_TRIPLET})
set(CMAKE_LIBRARY_ARCHITECTURE ${CROSS_TRIPLET})
set(CMAKE_C_COMPILER ${CROSS_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${CROSS_TRIPLET}-g++)

set(CMAKE_FIND_ROOT_PATH ${CROSS_INPUTS}/root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(what LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${what} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CROSS_INPUTS}/root)
set(ENV{PKG_CONFIG_LIBDIR} ${CROSS_INPUTS}/root/usr/lib/${CROSS_TRIPLET}/pkgconfig:${CROSS_INPUTS}/root/usr/share/pkgconfig)

set(includes ${CROSS_INPUTS}/root/usr/include/${CROSS_TRIPLET} ${CROSS_INPUTS}/root/usr/include)
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${includes})
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${includes})
set(CMAKE_C_STANDARD_LIBRARIES ${CROSS_BEHIND})
set(CMAKE_CXX_STANDARD_LIBRARIES ${CROSS_BEHIND})
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libstdc++ -static-libgcc")

# Tests run under QEMU, with the C library of the packages.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR}-static -L ${CROSS_INPUTS}/root)
