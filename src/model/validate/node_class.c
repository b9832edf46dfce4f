// Rules for EC2NodeClasses that affect a plan: AMI family and kubelet settings.
//
// Violations of schema and CEL rules (aws.md 1.1) are errors. Violations of the rules of Karpenter's controller (aws.md
// 1.5) make the class not ready.
#include "model/choice.h"
#include "model/validate/parts.h"

#include "text/document.h"

// AMI families: as in an alias, and as in spec.amiFamily.
static const struct {
    Slice alias, family;
    bool latest_only;
} families[] = {
    {SLICE_INIT("al2"), SLICE_INIT("AL2"), false},
    {SLICE_INIT("al2023"), SLICE_INIT("AL2023"), false},
    {SLICE_INIT("bottlerocket"), SLICE_INIT("Bottlerocket"), false},
    {SLICE_INIT("windows2019"), SLICE_INIT("Windows2019"), true},
    {SLICE_INIT("windows2022"), SLICE_INIT("Windows2022"), true},
    {SLICE_INIT("windows2025"), SLICE_INIT("Windows2025"), true},
};
enum { FAMILIES = sizeof families / sizeof *families, ALIAS_MAX = 30 };

// Checks "al2023@v20240807" and finds the row of its family.
static ErrCode check_alias(Decoder *decoder, const Value *alias, size_t *ret_family, Err *err) {
    ptrdiff_t at;

    TRY(decode_expect(decoder, alias, VALUE_STRING, err));
    at = slice_find(alias->text, '@');
    if (alias->text.len > ALIAS_MAX || at <= 0 || (size_t)at + 1 == alias->text.len)
        return decode_fail(decoder, alias, err,
                           "'alias' is improperly formatted, must match the format 'family@version', got \"%.*s\"",
                           SLICE_ARG(excerpt(decoder->arena, alias->text)));
    for (size_t i = 0; i < FAMILIES; i++) {
        Slice version = slice_from(alias->text, (size_t)at + 1);

        if (!slice_eq(slice_first(alias->text, (size_t)at), families[i].alias))
            continue;
        if (families[i].latest_only && !slice_eq_text(version, "latest"))
            return decode_fail(decoder, alias, err, "windows families may only specify version 'latest'");
        *ret_family = i;
        return OK;
    }
    return decode_fail(decoder, alias, err,
                       "family is not supported, must be one of the following: 'al2', 'al2023', 'bottlerocket', "
                       "'windows2019', 'windows2022', 'windows2025'");
}

// Finds the alias in spec.amiSelectorTerms. FAMILIES: there is none.
static ErrCode find_alias(Decoder *decoder, const Value *spec, size_t *ret_family, Err *err) {
    const Value *terms = value_get_text(spec, "amiSelectorTerms");

    *ret_family = FAMILIES;
    if (!value_is_present(terms))
        return OK;
    decode_enter(decoder, SLICE("amiSelectorTerms"));
    TRY(decode_expect(decoder, terms, VALUE_LIST, err));
    for (uint32_t i = 0; i < terms->list.count; i++) {
        const Value *alias = value_get_text(&terms->list.items[i], "alias");

        decode_enter_index(decoder, i);
        if (value_is_present(alias)) {
            decode_enter(decoder, SLICE("alias"));
            TRY(check_alias(decoder, alias, ret_family, err));
            decode_leave(decoder);
            if (terms->list.count > 1)
                return decode_fail(decoder, alias, err, "'alias' cannot be specified with other terms");
        }
        decode_leave(decoder);
    }
    decode_leave(decoder);
    return OK;
}

static ErrCode check_family_name(Decoder *decoder, const Value *given, Err *err) {
    static const char *const words[] = {"AL2",         "AL2023",      "Bottlerocket", "Custom",
                                        "Windows2019", "Windows2022", "Windows2025"};
    size_t word;

    decode_enter(decoder, SLICE("amiFamily"));
    TRY(DECODE_WORD(decoder, given, words, &word, err));
    decode_leave(decoder);
    return OK;
}

static ErrCode check_family(Decoder *decoder, const Value *spec, EC2NodeClass *class, Err *err) {
    const Value *given = value_get_text(spec, "amiFamily");
    size_t alias;

    TRY(find_alias(decoder, spec, &alias, err));
    if (given && class->ami_family.len)
        TRY(check_family_name(decoder, given, err));
    if (alias == FAMILIES) {
        // An API server requires the family in this case; a plan can be made with Custom.
        if (class->ami_family.len == 0)
            class->ami_family = SLICE("Custom");
        return OK;
    }
    if (class->ami_family.len == 0)
        class->ami_family = families[alias].family;
    if (!slice_eq(class->ami_family, families[alias].family) && !slice_eq_text(class->ami_family, "Custom"))
        return decode_fail(decoder, given, err, "if set, amiFamily must be '%.*s' or Custom when using an alias of it",
                           SLICE_ARG(families[alias].family));
    return OK;
}

// Kubelet.

static bool is_one_of(Slice text, const char *const *words) {
    for (; *words; words++) {
        if (slice_eq_text(text, *words))
            return true;
    }
    return false;
}

// Why Karpenter rejects the kubelet's reserved resources; empty: it does not.
static Slice reserved_complaint(Arena *arena, const Value *kubelet, const char *name) {
    static const char *const keys[] = {"cpu", "memory", "ephemeral-storage", "pid", NULL};
    const Value *reserved = value_get(kubelet, slice_of(name));
    int64_t amount;

    if (!value_is_present(reserved))
        return SLICE("");
    for (vec_each(const ValueMember, member, &reserved->map)) {
        if (!is_one_of(member->key, keys))
            return arena_printf(arena, "valid keys for %s are ['cpu','memory','ephemeral-storage','pid'], got %.*s",
                                name, SLICE_ARG(excerpt(arena, member->key)));
        if (member->value.kind != VALUE_STRING)
            continue;
        if (slice_starts_with(member->value.text, SLICE("-")))
            return arena_printf(arena, "%s value cannot be a negative resource quantity", name);
        if (quantity_parse(member->value.text, QUANTITY_MILLI, &amount, NULL) != OK)
            return arena_printf(arena,
                                "kubelet.%s.%.*s is no quantity, and CEL expressions are not enabled "
                                "(KubeletExpressionsDisabled)",
                                name, SLICE_ARG(member->key));
    }
    return SLICE("");
}

// Whether the text is a percentage from 0 to 100 or a quantity that is not negative.
static bool is_threshold(Slice text) {
    int64_t amount;

    if (slice_ends_with(text, SLICE("%")))
        return quantity_parse(slice_first(text, text.len - 1), QUANTITY_MILLI, &amount, NULL) == OK && amount >= 0 &&
               amount <= 100000 && text.ptr[0] != '-';
    return quantity_parse(text, QUANTITY_UNIT, &amount, NULL) == OK && amount >= 0;
}

static Slice eviction_complaint(Arena *arena, const Value *kubelet) {
    static const char *const signals[] = {"memory.available",
                                          "nodefs.available",
                                          "nodefs.inodesFree",
                                          "imagefs.available",
                                          "imagefs.inodesFree",
                                          "pid.available",
                                          NULL};
    const Value *eviction = value_get_text(kubelet, "evictionHard");

    if (!value_is_present(eviction))
        return SLICE("");
    for (vec_each(const ValueMember, member, &eviction->map)) {
        if (!is_one_of(member->key, signals))
            return arena_printf(arena,
                                "valid keys for evictionHard are ['memory.available','nodefs.available',"
                                "'nodefs.inodesFree','imagefs.available','imagefs.inodesFree','pid.available'], "
                                "got %.*s",
                                SLICE_ARG(excerpt(arena, member->key)));
        if (member->value.kind == VALUE_STRING && !is_threshold(member->value.text))
            return arena_printf(arena, "evictionHard %.*s is neither a percentage nor a quantity: %.*s",
                                SLICE_ARG(member->key), SLICE_ARG(excerpt(arena, member->value.text)));
    }
    return SLICE("");
}

static Slice kubelet_complaint(Arena *arena, const EC2NodeClass *class, const Value *kubelet) {
    const Value *max_pods = value_get_text(kubelet, "maxPods");
    Slice complaint;

    if (max_pods && max_pods->kind == VALUE_STRING)
        return SLICE("kubelet.maxPods is a CEL expression, and those are not enabled (KubeletExpressionsDisabled)");
    if (class->kubelet.pods_per_core < 0)
        return SLICE("kubelet.podsPerCore must be greater than or equal to 0");
    if (class->kubelet.has_pods_per_core && slice_eq_text(class->ami_family, "Bottlerocket"))
        return SLICE("podsPerCore is not supported by the family Bottlerocket (UnsupportedKubeletConfiguration)");
    complaint = reserved_complaint(arena, kubelet, "kubeReserved");
    if (complaint.len == 0)
        complaint = reserved_complaint(arena, kubelet, "systemReserved");
    if (complaint.len == 0)
        complaint = eviction_complaint(arena, kubelet);
    return complaint;
}

ErrCode validate_ec2_node_class(Decoder *decoder, const Value *object, EC2NodeClass *class, Err *err) {
    const Value *spec = value_get_text(object, "spec"), *kubelet = value_get_text(spec, "kubelet");

    decode_enter(decoder, SLICE("spec"));
    TRY(check_family(decoder, spec, class, err));
    decode_leave(decoder);
    if (value_is_present(kubelet))
        class->not_ready = kubelet_complaint(decoder->arena, class, kubelet);
    return OK;
}
