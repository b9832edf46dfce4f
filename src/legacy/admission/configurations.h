// The objects that make an API server call the webhooks of 2023: one MutatingWebhookConfiguration, three
// ValidatingWebhookConfigurations. Reference legacy.md 5.5, R157.
//
// Karpenter's chart made them, and its process filled in the bundle of certificates and the path. So do these
// functions; and they make the whole object for who has no chart.
#pragma once

#include "legacy/admission/admission.h"
#include "text/value.h"

// Where the API server finds the webhooks, and by which certificates (PEM in Base64) it knows them.
typedef struct {
    Slice ns, service;
    Slice bundle;
} AdmissionPlace;

bool admission_is_mutating(AdmissionHook hook);

// A whole configuration. Texts are those of `place`.
Value admission_configuration(Arena *arena, AdmissionHook hook, const AdmissionPlace *place);

// Whether a configuration lacks the bundle, or the path of a service; ret_renewed: a copy with them, everything else as
// it was. A configuration without a webhook of that name needs nothing. O(size).
bool admission_renew(Arena *arena, AdmissionHook hook, const Value *configuration, Slice bundle, Value *ret_renewed);
