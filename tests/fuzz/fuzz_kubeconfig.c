// Any text as a kubeconfig (4 MiB at most, and half a million values once aliases are expanded). A configuration that
// is accepted has a server; a refusal has a message.
#include "kube/config/config.h"
#include "support/fuzz.h"

#include "base/check.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static bool begun;
    Arena arena = {0};
    KubeConfig config = {0};
    Err err = {0};
    char path[64];
    int file = memfd_create("kubeconfig", MFD_CLOEXEC);

    if (!begun) // the configuration may name files to read, /dev/stdin among them
        begun = freopen("/dev/null", "r", stdin) != NULL;
    CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size, "no file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (kube_config_load(&arena, slice_of(path), SLICE(""), &config, &err) != OK) {
        CHECK(err.text[0] && !config.server.len, "refused without a word, or half");
    } else {
        CHECK(slice_starts_with(config.server, SLICE("http")), "a server without a scheme");
        CHECK(!config.certificate_pem.len == !config.key_pem.len, "a certificate without a key");
    }
    close(file);
    arena_free(&arena);
    return 0;
}
