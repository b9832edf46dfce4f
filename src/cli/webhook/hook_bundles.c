// Configurations kept.
#include "cli/webhook/hook_bundles.h"

#include "legacy/admission/configurations.h"
#include "net/base64.h"

// A configuration that another replica makes or changes in the same moment has what this one would have written, or is
// looked at again with the next pass.
static ErrCode unless_others_did(ErrCode code, uint32_t *ret_written) {
    *ret_written += code == OK;
    return code == ERR_CONFLICT ? OK : code;
}

static ErrCode keep_one(Kube kube, Arena *arena, AdmissionHook hook, const AdmissionPlace *place, uint32_t *ret_written,
                        KubeError *error) {
    KubeKind kind = admission_is_mutating(hook) ? KUBE_MUTATING_WEBHOOKS : KUBE_VALIDATING_WEBHOOKS;
    KubeRef ref = {kind, SLICE(""), slice_of(admission_name(hook))};
    Value configuration, renewed;
    ErrCode code = kube_get(kube, arena, ref, &configuration, error);

    if (code == ERR_NOT_FOUND) {
        configuration = admission_configuration(arena, hook, place);
        code = kube_create(kube, NULL, SLICE("tenon"), kind, &configuration, NULL, error);
        return unless_others_did(code, ret_written);
    }
    if (code != OK || !admission_renew(arena, hook, &configuration, place->bundle, &renewed))
        return code;
    code = kube_update(kube, NULL, SLICE("tenon"), kind, KUBE_OBJECT, &renewed, NULL, error);
    return unless_others_did(code, ret_written);
}

ErrCode hook_bundles_keep(Kube kube, Arena *arena, const HookService *service, Slice authorities_pem,
                          uint32_t *ret_written, KubeError *error) {
    AdmissionPlace place = {service->ns, service->service, base64_encode(arena, authorities_pem)};
    ErrCode first = OK;

    *ret_written = 0;
    for (int hook = 0; hook < ADMISSION_HOOKS; hook++) {
        KubeError why = {0};
        ErrCode code = keep_one(kube, arena, (AdmissionHook)hook, &place, ret_written, &why);

        if (code != OK && first == OK) {
            first = code;
            *error = why;
        }
    }
    return first;
}
