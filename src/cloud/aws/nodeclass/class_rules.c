// A row for each rule of the definition, and what they are made of.
#include "cloud/aws/nodeclass/class_rules.h"

#include "cloud/aws/ami_family.h"

// --- words of the rules

// CEL's has(self.key).
static bool has(const Value *map, const char *key) {
    const Value *member = value_get(map, slice_of(key));

    return member && member->kind != VALUE_NULL;
}

static bool has_any(const Value *map, const char *const *keys) {
    for (; *keys; keys++) {
        if (has(map, *keys))
            return true;
    }
    return false;
}

#define HAS_ANY(map, ...) has_any((map), (const char *const[]){__VA_ARGS__, NULL})

static Slice text_of(const Value *map, const char *key) {
    const Value *member = value_get(map, slice_of(key));

    return member && member->kind == VALUE_STRING ? member->text : SLICE("");
}

static int64_t number_of(const Value *map, const char *key) {
    const Value *member = value_get(map, slice_of(key));
    int64_t number = 0;

    return member && value_to_int64(member, &number) ? number : 0;
}

typedef bool (*TermTest)(const Value *term);

static uint32_t count_of(const Value *list, TermTest test) {
    uint32_t count = 0;

    for (uint32_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++)
        count += test(&list->list.items[i]);
    return count;
}

static bool all(const Value *list, TermTest test) {
    return count_of(list, test) == list->list.count;
}

static bool not_empty(const Value *self) {
    return self->kind == VALUE_STRING ? self->text.len > 0 : self->list.count > 0;
}

// --- selectors

#define RULE(name, expression)                                                                                         \
    static bool name(const Value *self) {                                                                              \
        return expression;                                                                                             \
    }

RULE(subnet_term_has_some, HAS_ANY(self, "tags", "id"))
RULE(subnet_term_id_alone, !has(self, "id") || !has(self, "tags"))
RULE(subnet_terms_have_some, all(self, subnet_term_has_some))
RULE(subnet_terms_id_alone, count_of(self, subnet_term_id_alone) > 0)

RULE(group_term_has_some, HAS_ANY(self, "tags", "id", "name"))
RULE(group_term_id_alone, !has(self, "id") || !HAS_ANY(self, "tags", "name"))
RULE(group_term_name_alone, !has(self, "name") || !HAS_ANY(self, "tags", "id"))
RULE(group_terms_have_some, all(self, group_term_has_some))
RULE(group_terms_id_alone, count_of(self, group_term_id_alone) > 0)
RULE(group_terms_name_alone, count_of(self, group_term_name_alone) > 0)

RULE(reservation_term_has_some, HAS_ANY(self, "tags", "id", "instanceMatchCriteria"))
RULE(reservation_term_id_mixed, has(self, "id") && HAS_ANY(self, "tags", "ownerID", "instanceMatchCriteria"))
RULE(reservation_terms_have_some, all(self, reservation_term_has_some))
RULE(reservation_terms_id_alone, !all(self, reservation_term_id_mixed))

RULE(placement_has_some, HAS_ANY(self, "name", "id"))
RULE(placement_has_one, !has(self, "name") || !has(self, "id"))

RULE(ami_term_has_some, HAS_ANY(self, "tags", "id", "name", "alias", "ssmParameter"))
RULE(ami_term_id_alone, !has(self, "id") || !HAS_ANY(self, "alias", "tags", "name", "owner"))
RULE(ami_term_alias_alone, !has(self, "alias") || !HAS_ANY(self, "id", "tags", "name", "owner"))
RULE(ami_term_has_alias, has(self, "alias"))
RULE(ami_terms_have_some, all(self, ami_term_has_some))
RULE(ami_terms_id_alone, all(self, ami_term_id_alone))
RULE(ami_terms_alias_alone, all(self, ami_term_alias_alone))
RULE(ami_terms_alias_only, self->list.count == 1 || count_of(self, ami_term_has_alias) == 0)

static bool tags_not_empty(const Value *self) {
    for (vec_each(const ValueMember, member, &self->map)) {
        if (!member->key.len || !member->value.text.len)
            return false;
    }
    return true;
}

// --- aliases and families

// The two parts around the first '@'.
static Slice alias_family(Slice alias) {
    ptrdiff_t at = slice_find(alias, '@');

    return at < 0 ? alias : slice_first(alias, (size_t)at);
}

static Slice alias_version(Slice alias) {
    Slice rest = slice_from(alias, alias_family(alias).len + 1);
    ptrdiff_t next = slice_find(rest, '@');

    return next < 0 ? rest : slice_first(rest, (size_t)next);
}

static bool alias_is_formed(const Value *self) {
    Slice family = alias_family(self->text), rest = slice_from(self->text, family.len + 1);

    for (size_t i = 0; i < family.len; i++) {
        char c = family.ptr[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))
            return false;
    }
    return family.len && rest.len && slice_find(rest, '\n') < 0;
}

static bool alias_is_known(const Value *self) {
    return slice_find(self->text, '@') >= 0 && ami_family_of_alias(self->text) != NULL;
}

static bool alias_version_is_allowed(const Value *self) {
    const AmiFamily *family = ami_family_of_alias(self->text);

    return !family || !family->windows_build.len || slice_eq_text(alias_version(self->text), "latest");
}

// spec: a family that is given, beside an alias of `family`, is that one or Custom.
static bool family_fits_alias(const Value *spec, const char *family) {
    const Value *terms = value_get_text(spec, "amiSelectorTerms");
    Slice given = text_of(spec, "amiFamily");

    if (!has(spec, "amiFamily") || slice_eq_text(given, family) || slice_eq_text(given, "Custom"))
        return true;
    for (uint32_t i = 0; terms && terms->kind == VALUE_LIST && i < terms->list.count; i++) {
        const AmiFamily *of_alias = ami_family_of_alias(text_of(&terms->list.items[i], "alias"));

        if (of_alias && slice_eq_text(of_alias->name, family))
            return false;
    }
    return true;
}

RULE(al2_fits, family_fits_alias(self, "AL2"))
RULE(al2023_fits, family_fits_alias(self, "AL2023"))
RULE(bottlerocket_fits, family_fits_alias(self, "Bottlerocket"))
RULE(windows2019_fits, family_fits_alias(self, "Windows2019"))
RULE(windows2022_fits, family_fits_alias(self, "Windows2022"))
RULE(windows2025_fits, family_fits_alias(self, "Windows2025"))
RULE(family_or_alias,
     has(self, "amiFamily") || count_of(value_get_text(self, "amiSelectorTerms"), ami_term_has_alias) > 0)
RULE(role_or_profile, has(self, "role") != has(self, "instanceProfile"))

// --- tags

static bool any_key(const Value *map, bool (*test)(Slice key)) {
    for (vec_each(const ValueMember, member, &map->map)) {
        if (test(member->key))
            return true;
    }
    return false;
}

static bool is_empty_key(Slice key) {
    return key.len == 0;
}

static bool is_cluster_key(Slice key) {
    return slice_starts_with(key, SLICE("kubernetes.io/cluster"));
}

RULE(tag_keys_not_empty, !any_key(self, is_empty_key))
RULE(tags_lack_cluster, !any_key(self, is_cluster_key))
RULE(tags_lack_cluster_name, !has(self, "eks:eks-cluster-name"))
RULE(tags_lack_nodepool, !has(self, "karpenter.sh/nodepool"))
RULE(tags_lack_nodeclaim, !has(self, "karpenter.sh/nodeclaim"))
RULE(tags_lack_class, !has(self, "karpenter.k8s.aws/ec2nodeclass"))

// --- devices and network

static bool is_root_volume(const Value *device) {
    const Value *root = value_get_text(device, "rootVolume");

    return root && root->kind == VALUE_BOOL && root->boolean;
}

RULE(one_root_volume, count_of(self, is_root_volume) <= 1)
RULE(ebs_has_source, HAS_ANY(self, "snapshotID", "volumeSize"))
RULE(rate_has_snapshot, !has(self, "volumeInitializationRate") || text_of(self, "snapshotID").len > 0)
RULE(tracking_has_some, HAS_ANY(self, "tcpEstablishedTimeout", "udpStreamTimeout", "udpTimeout"))

static bool is_primary(const Value *interface) {
    return number_of(interface, "networkCardIndex") == 0 && number_of(interface, "deviceIndex") == 0 &&
           slice_eq_text(text_of(interface, "interfaceType"), "interface");
}

RULE(has_primary_interface, self->list.count == 0 || count_of(self, is_primary) > 0)

static bool interfaces_collide(const Value *a, const Value *b) {
    bool both_efa = slice_eq_text(text_of(a, "interfaceType"), "efa-only") &&
                    slice_eq_text(text_of(b, "interfaceType"), "efa-only");

    return number_of(a, "networkCardIndex") == number_of(b, "networkCardIndex") &&
           (both_efa || number_of(a, "deviceIndex") == number_of(b, "deviceIndex"));
}

static bool interfaces_are_apart(const Value *self) {
    for (uint32_t i = 0; i < self->list.count; i++) {
        for (uint32_t other = 0; other < i; other++) {
            if (interfaces_collide(&self->list.items[i], &self->list.items[other]))
                return false;
        }
    }
    return true;
}

// --- the table

#define FAMILY_MESSAGE(family) "if set, amiFamily must be '" family "' or 'Custom' when using "
#define ALONE(field, where)                                                                                            \
    "'" field "' is mutually exclusive, cannot be set with a combination of other fields in " where

static const struct {
    const char *message;
    ClassRule rule;
} rules[] = {
    {"must specify exactly one of ['role', 'instanceProfile']", role_or_profile},
    {FAMILY_MESSAGE("AL2") "an AL2 alias", al2_fits},
    {FAMILY_MESSAGE("AL2023") "an AL2023 alias", al2023_fits},
    {FAMILY_MESSAGE("Bottlerocket") "a Bottlerocket alias", bottlerocket_fits},
    {FAMILY_MESSAGE("Windows2019") "a Windows2019 alias", windows2019_fits},
    {FAMILY_MESSAGE("Windows2022") "a Windows2022 alias", windows2022_fits},
    {FAMILY_MESSAGE("Windows2025") "a Windows2025 alias", windows2025_fits},
    {"must specify amiFamily if amiSelectorTerms does not contain an alias", family_or_alias},
    {"subnetSelectorTerms cannot be empty", not_empty},
    {"expected at least one, got none, ['tags', 'id']", subnet_terms_have_some},
    {ALONE("id", "a subnet selector term"), subnet_terms_id_alone},
    {"empty tag keys or values aren't supported", tags_not_empty},
    {"securityGroupSelectorTerms cannot be empty", not_empty},
    {"expected at least one, got none, ['tags', 'id', 'name']", group_terms_have_some},
    {ALONE("id", "a security group selector term"), group_terms_id_alone},
    {ALONE("name", "a security group selector term"), group_terms_name_alone},
    {"expected at least one, got none, ['tags', 'id', 'instanceMatchCriteria']", reservation_terms_have_some},
    {"'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term",
     reservation_terms_id_alone},
    {"expected at least one, got none, ['name', 'id']", placement_has_some},
    {"'name' and 'id' are mutually exclusive", placement_has_one},
    {"expected at least one, got none, ['tags', 'id', 'name', 'alias', 'ssmParameter']", ami_terms_have_some},
    {ALONE("id", "amiSelectorTerms"), ami_terms_id_alone},
    {ALONE("alias", "amiSelectorTerms"), ami_terms_alias_alone},
    {"'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms", ami_terms_alias_only},
    {"'alias' is improperly formatted, must match the format 'family@version'", alias_is_formed},
    {"family is not supported, must be one of the following: 'al2', 'al2023', 'bottlerocket', 'windows2019', "
     "'windows2022', 'windows2025'",
     alias_is_known},
    {"windows families may only specify version 'latest'", alias_version_is_allowed},
    {"role cannot be empty", not_empty},
    {"instanceProfile cannot be empty", not_empty},
    {"empty tag keys aren't supported", tag_keys_not_empty},
    {"tag contains a restricted tag matching eks:eks-cluster-name", tags_lack_cluster_name},
    {"tag contains a restricted tag matching kubernetes.io/cluster/", tags_lack_cluster},
    {"tag contains a restricted tag matching karpenter.sh/nodepool", tags_lack_nodepool},
    {"tag contains a restricted tag matching karpenter.sh/nodeclaim", tags_lack_nodeclaim},
    {"tag contains a restricted tag matching karpenter.k8s.aws/ec2nodeclass", tags_lack_class},
    {"must have only one blockDeviceMappings with rootVolume", one_root_volume},
    {"snapshotID or volumeSize must be defined", ebs_has_source},
    {"snapshotID must be set when volumeInitializationRate is set", rate_has_snapshot},
    {"networkInterfaces must include a primary interface with interfaceType='interface'", has_primary_interface},
    {"networkInterfaces must not have duplicate networkCardIndex and deviceIndex pairs, and can have at most one efa "
     "device per network card",
     interfaces_are_apart},
    {"at least one of tcpEstablishedTimeout, udpStreamTimeout, or udpTimeout must be set", tracking_has_some},
};

ClassRule class_rule_find(Slice message) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (slice_eq_text(message, rules[i].message))
            return rules[i].rule;
    }
    return NULL;
}
