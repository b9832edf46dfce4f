// Any bytes as the certificates and the key of a Secret: judged, and as a bundle, which has only what is one. Nothing
// may crash, leak or hang.
#include "net/certificate.h"

#include "base/check.h"
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const Slice names[] = {SLICE_INIT("localhost")};
    const CertificateRequest request = {names, 1, 1800000000, 1800086400};
    Slice text = {(const char *)bytes, size}, bundle;
    Arena arena = {0};
    int64_t until_s;

    certificate_is_sound(&(Certificate){text, text, text}, &request, &until_s);
    bundle = certificate_bundle(&arena, text, request.from_s, 3);
    CHECK(slice_eq(certificate_bundle(&arena, bundle, request.from_s, 3), bundle));
    arena_free(&arena);
    return 0;
}
