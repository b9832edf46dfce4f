// Checks of selectors against subnets and security groups.
#include "doctor/check_parts.h"

#include "doctor/selector.h"

#define CLUSTER_TAG "kubernetes.io/cluster/"

// A node takes addresses for its pods as well; below this a subnet is as good as full.
enum { FEW_ADDRESSES = 16 };

typedef struct {
    const char *what, *call; // "subnet", for commands
    const FactSelector *selector;
    const FactResourceVec *resources;
} Target;

bool has_classes(const Facts *facts) {
    return facts->classes.count > 0;
}

bool has_classes_and_terraform(const Facts *facts) {
    return facts->classes.count && facts->has_terraform;
}

bool has_listed_subnets(const Facts *facts) {
    return facts->classes.count && facts->has_listed_subnets;
}

bool has_listed_groups(const Facts *facts) {
    return facts->classes.count && facts->has_listed_groups;
}

bool has_groups(const Facts *facts) {
    return facts->classes.count && facts->groups.count;
}

bool has_pools_and_subnets(const Facts *facts) {
    return facts->pools.count && has_listed_subnets(facts);
}

Slice class_object(const Examination *examination, const FactClass *class) {
    return arena_printf(examination->arena, "%.*s %.*s", SLICE_ARG(class->kind), SLICE_ARG(class->name));
}

static Target subnets_of(const Facts *facts, const FactClass *class) {
    return (Target){"subnet", "subnet-ID", &class->subnets, &facts->subnets};
}

static Target groups_of(const Facts *facts, const FactClass *class) {
    return (Target){"security group", "sg-ID", &class->groups, &facts->groups};
}

// "aws ec2 create-tags --resources subnet-ID --tags Key=a,Value=b"
static Slice tagging_command(const Examination *examination, const Target *target) {
    const FactTerm *term = target->selector->terms.items;
    Slice command = arena_printf(examination->arena, "aws ec2 create-tags --resources %s --tags", target->call);

    for (vec_each(const TextPair, tag, &term->tags))
        command = arena_printf(examination->arena, "%.*s 'Key=%.*s,Value=%.*s'", SLICE_ARG(command),
                               SLICE_ARG(tag->key), SLICE_ARG(tag->value));
    return term->tags.count ? command : SLICE("name ids that are there");
}

// Classes without a selector.

static void check_selector(const Examination *examination, const FactClass *class, const Target *target) {
    if (!target->selector->terms.count)
        find(examination, CHECK_ERROR, class->place, class_object(examination, class),
             arena_printf(examination->arena,
                          "select by a tag, such as karpenter.sh/discovery, and aws ec2 create-tags --resources %s "
                          "--tags Key=karpenter.sh/discovery,Value=CLUSTER",
                          target->call),
             "%s: it selects no %s", target->selector->field, target->what);
}

void check_selectors(const Examination *examination) {
    for (vec_each(const FactClass, class, &examination->facts->classes)) {
        Target subnets = subnets_of(examination->facts, class), groups = groups_of(examination->facts, class);

        check_selector(examination, class, &subnets);
        if (!class->has_template)
            check_selector(examination, class, &groups);
    }
}

// R182: tags that the Terraform sets.

static uint32_t count_made(const FactResourceVec *resources) {
    uint32_t made = 0;

    for (vec_each(const FactResource, resource, resources))
        made += !resource->is_listed;
    return made;
}

// "environment=donggyu-eks and managed-by=karpenter"
static Slice missing_tags(const Examination *examination, const Target *target) {
    Slice list = SLICE("");

    for (vec_each(const FactTerm, term, &target->selector->terms)) {
        for (vec_each(const TextPair, tag, &term->tags)) {
            if (!selector_tag_is_set(target->selector, tag, target->resources))
                list = arena_printf(examination->arena, "%.*s%s%.*s=%.*s", SLICE_ARG(list), list.len ? " and " : "",
                                    SLICE_ARG(tag->key), SLICE_ARG(tag->value));
        }
    }
    return list;
}

// Ids are given by AWS: no Terraform tells them.
static bool names_ids(const FactSelector *selector) {
    for (vec_each(const FactTerm, term, &selector->terms)) {
        if (term->ids.count)
            return true;
    }
    return false;
}

// Where the Terraform makes none of that kind, they are made elsewhere, and may be tagged there.
static void check_made(const Examination *examination, const FactClass *class, const Target *target) {
    const FactPlace *terraform = &examination->facts->terraform;
    bool makes_some = count_made(target->resources) > 0;
    Slice missing = missing_tags(examination, target);

    if (!target->selector->terms.count || names_ids(target->selector) ||
        selector_fit_any(target->selector, target->resources, false) != FIT_NO)
        return;
    if (missing.len)
        find(examination, makes_some ? CHECK_ERROR : CHECK_WARNING, target->selector->place,
             class_object(examination, class),
             arena_printf(examination->arena, "set the tags where they are made, or %.*s",
                          SLICE_ARG(tagging_command(examination, target))),
             "%s wants the tags %.*s, and the Terraform of %.*s %s", target->selector->field, SLICE_ARG(missing),
             SLICE_ARG(terraform->file),
             makes_some
                 ? arena_text(examination->arena, arena_printf(examination->arena, "sets them on no %s", target->what))
                 : arena_text(examination->arena,
                              arena_printf(examination->arena, "makes no %s that has them", target->what)));
    else
        find(examination, CHECK_ERROR, target->selector->place, class_object(examination, class),
             tagging_command(examination, target), "%s: no %s of the Terraform has all of these tags",
             target->selector->field, target->what);
}

void check_terraform_tags(const Examination *examination) {
    for (vec_each(const FactClass, class, &examination->facts->classes)) {
        Target subnets = subnets_of(examination->facts, class), groups = groups_of(examination->facts, class);

        check_made(examination, class, &subnets);
        check_made(examination, class, &groups);
    }
}

// What AWS lists.

static void check_listed(const Examination *examination, const FactClass *class, const Target *target) {
    if (target->selector->terms.count && selector_fit_any(target->selector, target->resources, true) == FIT_NO)
        find(examination, CHECK_ERROR, target->selector->place, class_object(examination, class),
             tagging_command(examination, target), "%s: no %s that AWS lists fits it", target->selector->field,
             target->what);
}

void check_subnets(const Examination *examination) {
    for (vec_each(const FactClass, class, &examination->facts->classes)) {
        Target subnets = subnets_of(examination->facts, class);

        check_listed(examination, class, &subnets);
    }
}

void check_groups(const Examination *examination) {
    for (vec_each(const FactClass, class, &examination->facts->classes)) {
        Target groups = groups_of(examination->facts, class);

        check_listed(examination, class, &groups);
    }
}

// The cluster's tag on two groups of a node: load balancers of Services do not know which one to open.

static const TextPair *cluster_tag(const FactResource *group) {
    for (vec_each(const TextPair, tag, &group->tags.pairs)) {
        if (slice_starts_with(tag->key, SLICE(CLUSTER_TAG)))
            return tag;
    }
    return NULL;
}

static void check_tag_pairs(const Examination *examination, const FactClass *class) {
    const FactResource *first = NULL;

    for (vec_each(const FactResource, group, &examination->facts->groups)) {
        const TextPair *tag = cluster_tag(group);

        if (!tag || selector_fit(&class->groups, group) != FIT_YES)
            continue;
        if (!first || !slice_eq(cluster_tag(first)->key, tag->key)) {
            first = first ? first : group;
            continue;
        }
        find(examination, CHECK_ERROR, group->place, class_object(examination, class),
             arena_printf(examination->arena, "aws ec2 delete-tags --resources %.*s --tags 'Key=%.*s'",
                          SLICE_ARG(group->name), SLICE_ARG(tag->key)),
             "its nodes get %.*s and %.*s, which both have the tag %.*s: load balancers of Services are not made",
             SLICE_ARG(first->name), SLICE_ARG(group->name), SLICE_ARG(tag->key));
    }
}

void check_group_tags(const Examination *examination) {
    for (vec_each(const FactClass, class, &examination->facts->classes))
        check_tag_pairs(examination, class);
}

// R121: the API server calls the webhooks of 2023 where they listen. Which node that is cannot be known beforehand, so
// one group of the nodes that lets it in is enough.

enum { WEBHOOK_PORT = 8443 };

static bool has_old_pools(const Facts *facts) {
    for (vec_each(const FactPool, pool, &facts->pools)) {
        if (slice_eq_text(pool->kind, "Provisioner"))
            return true;
    }
    return false;
}

bool has_old_pools_and_ports(const Facts *facts) {
    for (vec_each(const FactResource, group, &facts->groups)) {
        if (group->has_ports)
            return has_old_pools(facts);
    }
    return false;
}

static bool lets_webhooks_be_called(const FactResource *group) {
    for (vec_each(const FactPorts, ports, &group->ports)) {
        if (ports->from <= WEBHOOK_PORT && WEBHOOK_PORT <= ports->to)
            return true;
    }
    return false;
}

// Of the cluster, or of the nodes of a class.
static bool is_of_nodes(const Facts *facts, const FactResource *group) {
    for (vec_each(const FactClass, class, &facts->classes)) {
        if (selector_fit(&class->groups, group) == FIT_YES)
            return true;
    }
    return cluster_tag(group) != NULL;
}

void check_webhook_port(const Examination *examination) {
    const FactResource *first = NULL;

    for (vec_each(const FactResource, group, &examination->facts->groups)) {
        if (!is_of_nodes(examination->facts, group))
            continue;
        if (!group->has_ports || lets_webhooks_be_called(group))
            return;
        first = first ? first : group;
    }
    if (first)
        find(examination, CHECK_WARNING, first->place, SLICE(""),
             arena_printf(examination->arena,
                          "aws ec2 authorize-security-group-ingress --group-id %.*s --protocol tcp --port %d "
                          "--source-group sg-OF-THE-CONTROL-PLANE",
                          SLICE_ARG(first->name), WEBHOOK_PORT),
             "no security group of the nodes lets anybody in on TCP port %d, where the webhooks of Provisioners are "
             "answered",
             WEBHOOK_PORT);
}

// Addresses.

static void check_free(const Examination *examination, const FactClass *class, const FactResource *subnet) {
    if (subnet->free_ips < 0 || subnet->free_ips >= FEW_ADDRESSES)
        return;
    find(examination, subnet->free_ips ? CHECK_WARNING : CHECK_ERROR, subnet->place, class_object(examination, class),
         SLICE("add a CIDR block with subnets of the same tags: aws ec2 associate-vpc-cidr-block"),
         "%.*s in %.*s has %lld free addresses", SLICE_ARG(subnet->name), SLICE_ARG(subnet->zone),
         (long long)subnet->free_ips);
}

void check_addresses(const Examination *examination) {
    for (vec_each(const FactClass, class, &examination->facts->classes)) {
        for (vec_each(const FactResource, subnet, &examination->facts->subnets)) {
            if (subnet->is_listed && selector_fit(&class->subnets, subnet) == FIT_YES)
                check_free(examination, class, subnet);
        }
    }
}

// Zones of pools.

static const FactClass *class_of(const Facts *facts, const FactPool *pool) {
    Slice name = pool->class_name.len ? pool->class_name : pool->name; // an inline provider has its Provisioner's name

    for (vec_each(const FactClass, class, &facts->classes)) {
        if (slice_eq(class->name, name))
            return class;
    }
    return NULL;
}

static bool has_subnet_in(const Facts *facts, const FactClass *class, Slice zone) {
    for (vec_each(const FactResource, subnet, &facts->subnets)) {
        if (subnet->is_listed && slice_eq(subnet->zone, zone) && selector_fit(&class->subnets, subnet) != FIT_NO)
            return true;
    }
    return false;
}

static void check_zones_of(const Examination *examination, const FactPool *pool, const FactClass *class,
                           const OldRequirement *requirement) {
    for (vec_each(const Slice, zone, &requirement->values)) {
        if (!has_subnet_in(examination->facts, class, *zone))
            find(examination, CHECK_WARNING, pool->place, pool_object(examination, pool),
                 SLICE("tag a subnet of that zone as the others are, or remove the zone"),
                 "it wants nodes in %.*s, where its class has no subnet", SLICE_ARG(*zone));
    }
}

void check_zones(const Examination *examination) {
    for (vec_each(const FactPool, pool, &examination->facts->pools)) {
        const FactClass *class = class_of(examination->facts, pool);

        for (vec_each(const OldRequirement, requirement, &pool->requirements)) {
            if (class && slice_eq(requirement->key, SLICE("topology.kubernetes.io/zone")) &&
                slice_eq(requirement->operator, SLICE("In")))
                check_zones_of(examination, pool, class, requirement);
        }
    }
}
