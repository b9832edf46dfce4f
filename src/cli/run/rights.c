// Rights as roles.
#include "cli/run/rights.h"

static const Right rows[] = {
#define X(place, groups, resources, verbs, names, purpose) {RIGHTS_##place, groups, resources, verbs, names, purpose},
    RIGHTS(X)
#undef X
};

enum { ROWS = sizeof rows / sizeof *rows };

static const struct {
    RightsPlace place;
    const char *name, *kind, *metadata, *purpose;
} roles[] = {
    {RIGHTS_CLUSTER, "cluster", "ClusterRole", "{name: tenon}", ""},
    {RIGHTS_LEASE, "lease", "Role", "{name: tenon, namespace: kube-system}", "where the Lease lies"},
    {RIGHTS_DNS, "dns", "Role", "{name: tenon-dns, namespace: kube-system}", "on AWS"},
    {RIGHTS_LEGACY, "legacy", "ClusterRole", "{name: tenon-legacy}", "with the objects of 2023"},
    {RIGHTS_LEGACY_LEASE, "legacyLease", "Role", "{name: tenon-legacy, namespace: kube-system}",
     "with the objects of 2023, where the Lease lies"},
};

enum { ROLES = sizeof roles / sizeof *roles };

bool right_at(uint32_t number, Right *ret_right) {
    if (number >= ROWS)
        return false;
    *ret_right = rows[number];
    return true;
}

static void print_purpose(Buffer *text, const char *purpose) {
    if (*purpose)
        buffer_printf(text, "  # %s", purpose);
    buffer_append(text, SLICE("\n"));
}

static void print_right(Buffer *text, const Right *right) {
    buffer_printf(text, "  - {apiGroups: [%s], resources: [%s], ", right->groups, right->resources);
    if (*right->names)
        buffer_printf(text, "resourceNames: [%s], ", right->names);
    buffer_printf(text, "verbs: [%s]}", right->verbs);
    print_purpose(text, right->purpose);
}

static void print_place(Buffer *text, RightsPlace place) {
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].place == place)
            print_right(text, &rows[i]);
    }
}

void rights_print(Buffer *text) {
    for (size_t i = 0; i < ROLES; i++) {
        buffer_printf(text, "%sapiVersion: rbac.authorization.k8s.io/v1\nkind: %s", i ? "---\n" : "", roles[i].kind);
        print_purpose(text, roles[i].purpose);
        buffer_printf(text, "metadata: %s\nrules:\n", roles[i].metadata);
        print_place(text, roles[i].place);
    }
}

void rights_print_rules(Buffer *text) {
    for (size_t i = 0; i < ROLES; i++) {
        buffer_printf(text, "%s:\n", roles[i].name);
        print_place(text, roles[i].place);
    }
}
