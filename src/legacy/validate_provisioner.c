// Provisioners. Reference legacy.md 2.2.
#include "legacy/complain.h"

#include <inttypes.h>

static void judge_provider(const Judge *judge, const OldProvisioner *provisioner) {
    if (provisioner->provider && provisioner->reference)
        complain_both(judge, SLICE("spec.provider"), SLICE("spec.providerRef"));
    if (!provisioner->provider && !provisioner->reference) {
        Complaint *complaint = complain(judge, SLICE("expected exactly one, got neither"), "spec.provider");

        vec_push(judge->arena, &complaint->paths, SLICE("spec.providerRef"));
    }
}

static void judge_life(const Judge *judge, const OldProvisioner *provisioner) {
    static const Slice negative = SLICE_INIT("invalid value: cannot be negative");

    if (provisioner->consolidates && provisioner->has_ttl_after_empty)
        complain_both(judge, SLICE("spec.consolidation.enabled"), SLICE("spec.ttlSecondsAfterEmpty"));
    if (provisioner->ttl_after_empty_s < 0)
        complain(judge, negative, "spec.ttlSecondsAfterEmpty");
    if (provisioner->ttl_until_expired_s < 0)
        complain(judge, negative, "spec.ttlSecondsUntilExpired");
    if (provisioner->has_weight && (provisioner->weight < 1 || provisioner->weight > 100))
        complain(judge, arena_printf(judge->arena, "expected 1 <= %" PRId64 " <= 100", provisioner->weight),
                 "spec.weight");
}

void judge_provisioner(const Judge *judge, const OldProvisioner *provisioner) {
    judge_provider(judge, provisioner);
    judge_life(judge, provisioner);
}
