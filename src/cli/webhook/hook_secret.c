// The Secret read, judged, renewed.
#include "cli/webhook/hook_secret.h"

#include "net/base64.h"
#include "text/value_edit.h"

enum { DAY_S = 86400, HOUR_S = 3600, ATTEMPTS = 4 };

// Clocks of replicas and API servers differ a little.
enum { BACKDATED_S = 5 * 60 };

static const char KEY[] = "server-key.pem", CERTIFICATE[] = "server-cert.pem", AUTHORITIES[] = "ca-cert.pem";

static CertificateRequest request_of(Arena *arena, const HookService *service, int64_t from_s) {
    Slice *names = arena_array(arena, Slice, HOOK_NAMES);
    Slice ns = service->ns, name = service->service;

    names[0] = arena_printf(arena, "%.*s.%.*s.svc", SLICE_ARG(name), SLICE_ARG(ns));
    names[1] = name;
    names[2] = arena_printf(arena, "%.*s.%.*s", SLICE_ARG(name), SLICE_ARG(ns));
    names[3] = arena_printf(arena, "%.*s.cluster.local", SLICE_ARG(names[0]));
    names[4] = SLICE("localhost"); // for a configuration with a URL, of an API server on the same machine
    return (CertificateRequest){names, HOOK_NAMES, from_s, from_s + HOOK_CERTIFICATE_DAYS * DAY_S};
}

// --- the Secret

static Slice entry_of(Arena *arena, const Value *secret, const char *key) {
    const Value *entry = value_get(value_get_text(secret, "data"), slice_of(key));
    Slice bytes;

    if (!entry || entry->kind != VALUE_STRING || base64_decode(arena, entry->text, &bytes, NULL) != OK)
        return SLICE("");
    return bytes;
}

static Certificate certificate_of(Arena *arena, const Value *secret) {
    return (Certificate){entry_of(arena, secret, KEY), entry_of(arena, secret, CERTIFICATE),
                         entry_of(arena, secret, AUTHORITIES)};
}

static void put_entry(Arena *arena, Value *secret, const char *key, Slice bytes) {
    Value *data = value_make(arena, secret, "data", NULL);

    value_put(arena, data, slice_of(key), value_string(base64_encode(arena, bytes)));
}

static void fill(Arena *arena, Value *secret, const Certificate *certificate) {
    put_entry(arena, secret, KEY, certificate->key_pem);
    put_entry(arena, secret, CERTIFICATE, certificate->certificate_pem);
    put_entry(arena, secret, AUTHORITIES, certificate->authority_pem);
}

static Value new_secret(Arena *arena, KubeRef ref) {
    Value secret = value_map(), *metadata;

    value_put(arena, &secret, SLICE("apiVersion"), value_string(SLICE("v1")));
    value_put(arena, &secret, SLICE("kind"), value_string(SLICE("Secret")));
    metadata = value_make(arena, &secret, "metadata", NULL);
    value_put(arena, metadata, SLICE("name"), value_string(ref.name));
    value_put(arena, metadata, SLICE("namespace"), value_string(ref.ns));
    value_put(arena, &secret, SLICE("type"), value_string(SLICE("Opaque")));
    return secret;
}

// --- keeping

static bool lasts(Arena *arena, const HookService *service, const Certificate *certificate, int64_t now_s) {
    CertificateRequest request = request_of(arena, service, now_s);
    int64_t until_s;

    return certificate_is_sound(certificate, &request, &until_s) && until_s - now_s >= 24 * HOUR_S;
}

// A new certificate, with the authorities of the former ones that are still valid.
static ErrCode renew(Arena *arena, const HookService *service, int64_t now_s, Slice former, Certificate *ret_new,
                     KubeError *error) {
    CertificateRequest request = request_of(arena, service, now_s - BACKDATED_S);
    Slice all;
    Err why;

    if (certificate_make(arena, &request, ret_new, &why) != OK)
        return kube_fail(error, KUBE_REASON_NONE, "%s", why.text);
    all = arena_printf(arena, "%.*s%.*s", SLICE_ARG(ret_new->authority_pem), SLICE_ARG(former));
    ret_new->authority_pem = certificate_bundle(arena, all, now_s, HOOK_AUTHORITIES_MAX);
    return OK;
}

// One attempt: reads, and writes if need be. ERR_CONFLICT: another replica wrote in between.
static ErrCode keep(Kube kube, Arena *arena, const HookService *service, KubeRef ref, int64_t now_s,
                    HookSecret *ret_secret, KubeError *error) {
    Value found = {0}, secret;
    ErrCode code = kube_get(kube, arena, ref, &found, error);
    bool missing = code == ERR_NOT_FOUND;
    Certificate former;

    if (!missing && code != OK)
        return code;
    secret = missing ? new_secret(arena, ref) : value_copy_tree(arena, &found);
    former = certificate_of(arena, &secret);
    *ret_secret = (HookSecret){former, false};
    if (lasts(arena, service, &former, now_s))
        return OK;
    TRY(renew(arena, service, now_s, former.authority_pem, &ret_secret->certificate, error));
    fill(arena, &secret, &ret_secret->certificate);
    ret_secret->made = true;
    if (missing)
        return kube_create(kube, NULL, SLICE("tenon"), KUBE_SECRET, &secret, NULL, error);
    return kube_update(kube, NULL, SLICE("tenon"), KUBE_SECRET, KUBE_OBJECT, &secret, NULL, error);
}

ErrCode hook_secret_keep(Kube kube, Arena *arena, const HookService *service, int64_t now_s, HookSecret *ret_secret,
                         KubeError *error) {
    Slice name = arena_printf(arena, "%.*s-cert", SLICE_ARG(service->service));
    KubeRef ref = {KUBE_SECRET, service->ns, name};
    ErrCode code = ERR_CONFLICT;

    for (int i = 0; i < ATTEMPTS && code == ERR_CONFLICT; i++)
        code = keep(kube, arena, service, ref, now_s, ret_secret, error);
    return code;
}
