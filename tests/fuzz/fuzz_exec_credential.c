// Any text as the output of a credential plugin (1 MiB at most). A credential that is accepted can be used; an error
// message never contains the text.
#include "kube/rest/plugin.h"
#include "support/fuzz.h"

#include "base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const KubeExec exec = {.api_version = SLICE_INIT("client.authentication.k8s.io/v1"),
                                  .command = SLICE_INIT("plugin")};
    PluginCredential credential = {0};
    Arena arena = {0};
    Err err = {0};

    if (plugin_read(&arena, &exec, (Slice){(const char *)bytes, size}, &credential, &err) == OK) {
        CHECK(!credential.certificate_pem.len == !credential.key_pem.len, "a certificate without a key");
        CHECK(credential.token.len || credential.certificate_pem.len, "a credential of nothing");
    } else {
        static const char expected[] = "credential plugin plugin: ";

        CHECK(slice_starts_with(slice_of(err.text), SLICE(expected)), "refused without a word");
        CHECK(err.code == ERR_INVALID && !credential.token.len, "half a credential");
        CHECK(strlen(err.text) < 150, "longer than what is said without the text: %s", err.text);
    }
    arena_free(&arena);
    return 0;
}
