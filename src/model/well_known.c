// Tables of well-known labels and restricted domains, and the syntax of labels.
#include "model/well_known.h"

#include "base/buffer.h"
#include "text/nearest.h"

// Sorted by text, as in Karpenter's message.
static const char *const well_known[] = {
    "karpenter.k8s.aws/capacity-reservation-id",
    "karpenter.k8s.aws/capacity-reservation-interruptible",
    "karpenter.k8s.aws/capacity-reservation-type",
    "karpenter.k8s.aws/instance-accelerator-count",
    "karpenter.k8s.aws/instance-accelerator-manufacturer",
    "karpenter.k8s.aws/instance-accelerator-name",
    "karpenter.k8s.aws/instance-capability-flex",
    "karpenter.k8s.aws/instance-category",
    "karpenter.k8s.aws/instance-cpu",
    "karpenter.k8s.aws/instance-cpu-manufacturer",
    "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz",
    "karpenter.k8s.aws/instance-ebs-bandwidth",
    "karpenter.k8s.aws/instance-encryption-in-transit-supported",
    "karpenter.k8s.aws/instance-family",
    "karpenter.k8s.aws/instance-generation",
    "karpenter.k8s.aws/instance-gpu-count",
    "karpenter.k8s.aws/instance-gpu-manufacturer",
    "karpenter.k8s.aws/instance-gpu-memory",
    "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.k8s.aws/instance-hypervisor",
    "karpenter.k8s.aws/instance-local-nvme",
    "karpenter.k8s.aws/instance-memory",
    "karpenter.k8s.aws/instance-network-bandwidth",
    "karpenter.k8s.aws/instance-size",
    "karpenter.k8s.aws/instance-tenancy",
    "karpenter.k8s.aws/placement-group-id",
    "karpenter.k8s.aws/placement-group-partition",
    "karpenter.kwok.sh/instance-cpu",
    "karpenter.kwok.sh/instance-family",
    "karpenter.kwok.sh/instance-memory",
    "karpenter.kwok.sh/instance-size",
    "karpenter.sh/capacity-type",
    "karpenter.sh/nodepool",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "node.kubernetes.io/windows-build",
    "topology.k8s.aws/zone-id",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
};
enum { WELL_KNOWN = sizeof well_known / sizeof *well_known };

static const char *const restricted_domains[] = {"karpenter.k8s.aws", "karpenter.kwok.sh", "karpenter.sh"};
enum { RESTRICTED_DOMAINS = sizeof restricted_domains / sizeof *restricted_domains };

// Allowed although of a restricted domain and not well known: the labels of the NodeClass and of a Provisioner's nodes.
static const char *const made_labels[] = {"karpenter.k8s.aws/ec2nodeclass", "karpenter.kwok.sh/kwoknodeclass",
                                          "karpenter.sh/provisioner-name"};

static bool is_one_of(Slice key, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (slice_eq_text(key, texts[i]))
            return true;
    }
    return false;
}

bool label_is_well_known(const Symbols *symbols, Symbol key) {
    return is_one_of(symbol_text(symbols, key), well_known, WELL_KNOWN);
}

// Whether the key is of the domain or of one below it.
static bool is_in_domain(Slice key, Slice domain) {
    ptrdiff_t slash = slice_find(key, '/');
    Slice own = slash < 0 ? SLICE("") : slice_first(key, (size_t)slash);

    if (!slice_ends_with(own, domain))
        return false;
    return own.len == domain.len || own.ptr[own.len - domain.len - 1] == '.';
}

static bool is_restricted(Slice key) {
    if (is_one_of(key, well_known, WELL_KNOWN) || is_one_of(key, made_labels, sizeof made_labels / sizeof *made_labels))
        return false;
    for (size_t i = 0; i < RESTRICTED_DOMAINS; i++) {
        if (is_in_domain(key, slice_of(restricted_domains[i])))
            return true;
    }
    return slice_eq_text(key, "kubernetes.io/hostname");
}

static void append_list(Buffer *buffer, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        buffer_printf(buffer, "%s%s", i ? " " : "[", texts[i]);
    buffer_append_char(buffer, ']');
}

Slice label_restriction(Arena *arena, const Symbols *symbols, Symbol key) {
    Buffer buffer = {0};
    Slice text;

    if (!is_restricted(symbol_text(symbols, key)))
        return SLICE("");
    buffer_printf(&buffer,
                  "using label %.*s is not allowed as it might interfere with the internal provisioning logic; specify "
                  "a well known label: ",
                  SLICE_ARG(symbol_text(symbols, key)));
    append_list(&buffer, well_known, WELL_KNOWN);
    buffer_append(&buffer, SLICE(", or a custom label that does not use a restricted domain: "));
    append_list(&buffer, restricted_domains, RESTRICTED_DOMAINS);
    text = arena_slice(arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

// Labels of other programs.

static const struct {
    Slice domain;
    const char *owner;
} owners[] = {
    {SLICE_INIT("eks.amazonaws.com"), "EKS"},      {SLICE_INIT("alpha.eksctl.io"), "eksctl"},
    {SLICE_INIT("cloud.google.com"), "GKE"},       {SLICE_INIT("kubernetes.azure.com"), "AKS"},
    {SLICE_INIT("kops.k8s.io"), "kOps"},           {SLICE_INIT("node.openshift.io"), "OpenShift"},
    {SLICE_INIT("doks.digitalocean.com"), "DOKS"}, {SLICE_INIT("oke.oraclecloud.com"), "OKE"},
};

Slice label_owner(const Symbols *symbols, Symbol key) {
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        if (is_in_domain(symbol_text(symbols, key), owners[i].domain))
            return slice_of(owners[i].owner);
    }
    return SLICE("");
}

// The well-known key for an EKS label. Labels that end like a well-known one are matched by their ends.
static Slice translated(Slice key) {
    static const Slice eks = SLICE_INIT("eks.amazonaws.com/");
    Slice name = slice_starts_with(key, eks) ? slice_from(key, eks.len) : SLICE("");

    if (slice_eq_text(name, "capacityType"))
        return SLICE("karpenter.sh/capacity-type");
    for (size_t i = 0; name.len && i < WELL_KNOWN; i++) {
        static const Slice aws = SLICE_INIT("karpenter.k8s.aws/");
        Slice known = slice_of(well_known[i]);

        if (slice_starts_with(known, aws) && slice_eq(slice_from(known, aws.len), name))
            return known;
    }
    return SLICE("");
}

Slice label_meant(const Symbols *symbols, Symbol key) {
    enum { LETTERS_OFF = 2 };
    Nearest nearest = {.text = symbol_text(symbols, key)};
    Slice meant = translated(nearest.text);

    if (meant.len)
        return meant;
    for (size_t i = 0; i < WELL_KNOWN; i++)
        nearest_offer(&nearest, slice_of(well_known[i]));
    return nearest.word.len && nearest.distance && nearest.distance <= LETTERS_OFF ? nearest.word : SLICE("");
}

// Syntax.

enum { LABEL_NAME_MAX = 63, LABEL_PREFIX_MAX = 253 };

static bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Whether the text matches ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
static bool is_name(Slice text) {
    if (text.len == 0 || !is_alphanumeric(text.ptr[0]) || !is_alphanumeric(text.ptr[text.len - 1]))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_alphanumeric(text.ptr[i]) && !strchr("-_.", text.ptr[i]))
            return false;
    }
    return memchr(text.ptr, 0, text.len) == NULL;
}

// Whether the text is lower-case words of letters, digits and inner '-', joined by dots.
static bool is_dns_subdomain(Slice text) {
    char before = '.';

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (!word && c != '-' && c != '.')
            return false;
        if (!word && (before == '.' || (before == '-' && c == '.')))
            return false;
        before = c;
    }
    return before != '.' && before != '-';
}

Slice label_key_complaint(Slice key) {
    ptrdiff_t slash = slice_find(key, '/');
    Slice prefix = slash < 0 ? SLICE("") : slice_first(key, (size_t)slash);
    Slice name = slash < 0 ? key : slice_from(key, (size_t)slash + 1);

    if (slash == 0)
        return SLICE("prefix part must be non-empty");
    if (slash > 0 && (prefix.len > LABEL_PREFIX_MAX || !is_dns_subdomain(prefix)))
        return SLICE("prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
                     "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com')");
    if (name.len == 0)
        return SLICE("name part must be non-empty");
    if (name.len > LABEL_NAME_MAX)
        return SLICE("name part must be no more than 63 bytes");
    if (!is_name(name))
        return SLICE("name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
                     "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')");
    return SLICE("");
}

Slice label_value_complaint(Slice value) {
    if (value.len == 0)
        return SLICE("");
    if (value.len > LABEL_NAME_MAX)
        return SLICE("must be no more than 63 bytes");
    if (!is_name(value))
        return SLICE("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
                     "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
                     "'12345')");
    return SLICE("");
}
