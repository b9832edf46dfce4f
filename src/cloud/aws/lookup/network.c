// Subnets and security groups.
#include "cloud/aws/lookup/network.h"

#include "cloud/aws/filters.h"

#include <stdlib.h>

enum { PAGE = 500 };

typedef Vec(Ec2FilterVec) FilterSets;

// The filters of one request for all values of `name`; of none, none.
static void add_values(Arena *arena, FilterSets *sets, Slice name, SliceVec values) {
    Ec2Filter filter = {name, values};
    Ec2FilterVec *set;

    if (!values.count)
        return;
    set = vec_add(arena, sets);
    vec_push(arena, set, filter);
}

// The filters of each request: by ids, by names (where `name_filter` is not NULL), by the tags of each other term.
static FilterSets filter_sets(Arena *arena, const Ec2SelectorTermVec *terms, const char *id_filter,
                              const char *name_filter) {
    SliceVec ids = {0}, names = {0};
    FilterSets sets = {0};

    for (vec_each(const Ec2SelectorTerm, term, terms)) {
        if (term->id.len)
            vec_push(arena, &ids, term->id);
        else if (name_filter && term->name.len)
            vec_push(arena, &names, term->name);
        else if (term->tags.count)
            ec2_filter_add_tags(arena, vec_add(arena, &sets), &term->tags);
    }
    add_values(arena, &sets, slice_of(id_filter), ids);
    if (name_filter)
        add_values(arena, &sets, slice_of(name_filter), names);
    return sets;
}

// --- subnets

typedef struct {
    Arena *arena;
    Ec2SubnetVec *found;
} SubnetPages;

static bool take_subnets(void *context, const void *output) {
    const Ec2DescribeSubnetsOutput *page = output;
    SubnetPages *pages = context;

    for (vec_each(const Ec2Subnet, subnet, &page->subnets)) {
        if (!subnet->subnet_id.len || !subnet->availability_zone.len)
            continue;
        vec_push(pages->arena, pages->found,
                 (Ec2Subnet){.subnet_id = arena_slice(pages->arena, subnet->subnet_id),
                             .availability_zone = arena_slice(pages->arena, subnet->availability_zone),
                             .availability_zone_id = arena_slice(pages->arena, subnet->availability_zone_id),
                             .available_ip_address_count = subnet->available_ip_address_count});
    }
    return true;
}

static int subnets_by_id(const void *a, const void *b) {
    return slice_cmp(((const Ec2Subnet *)a)->subnet_id, ((const Ec2Subnet *)b)->subnet_id);
}

static int64_t free_addresses(const Ec2Subnet *subnet) {
    return subnet->available_ip_address_count.has ? subnet->available_ip_address_count.value : 0;
}

static int subnets_by_addresses(const void *a, const void *b) {
    int64_t left = free_addresses(a), right = free_addresses(b);

    return left != right ? (left > right ? -1 : 1) : subnets_by_id(a, b);
}

static void order_subnets(Ec2SubnetVec *subnets) {
    uint32_t kept = 0;

    if (!subnets->count)
        return;
    qsort(subnets->items, subnets->count, sizeof *subnets->items, subnets_by_id);
    for (uint32_t i = 0; i < subnets->count; i++) {
        if (!kept || !slice_eq(subnets->items[kept - 1].subnet_id, subnets->items[i].subnet_id))
            subnets->items[kept++] = subnets->items[i];
    }
    subnets->count = kept;
    qsort(subnets->items, subnets->count, sizeof *subnets->items, subnets_by_addresses);
}

ErrCode lookup_subnets(AwsClient *client, Arena *arena, const Ec2SelectorTermVec *terms, Ec2SubnetVec *ret_subnets,
                       Err *err) {
    FilterSets sets = filter_sets(arena, terms, "subnet-id", NULL);
    Ec2SubnetVec found = {0};
    SubnetPages pages = {arena, &found};
    AwsPageVisitor visitor = {take_subnets, &pages};

    for (vec_each(const Ec2FilterVec, filters, &sets)) {
        Ec2DescribeSubnetsInput input = {.filters = *filters, .max_results = aws_integer(PAGE)};

        TRY(aws_pages(client, arena, &ec2_describe_subnets, &input, NULL, &visitor, NULL, err));
    }
    order_subnets(&found);
    *ret_subnets = found;
    return OK;
}

// --- security groups

typedef struct {
    Arena *arena;
    SecurityGroupStatusVec *found;
} GroupPages;

static bool take_groups(void *context, const void *output) {
    const Ec2DescribeSecurityGroupsOutput *page = output;
    GroupPages *pages = context;

    for (vec_each(const Ec2SecurityGroup, group, &page->security_groups)) {
        if (group->group_id.len)
            vec_push(pages->arena, pages->found,
                     (SecurityGroupStatus){arena_slice(pages->arena, group->group_id),
                                           arena_slice(pages->arena, group->group_name)});
    }
    return true;
}

static int groups_by_id(const void *a, const void *b) {
    return slice_cmp(((const SecurityGroupStatus *)a)->id, ((const SecurityGroupStatus *)b)->id);
}

static void order_groups(SecurityGroupStatusVec *groups) {
    uint32_t kept = 0;

    if (!groups->count)
        return;
    qsort(groups->items, groups->count, sizeof *groups->items, groups_by_id);
    for (uint32_t i = 0; i < groups->count; i++) {
        if (!kept || !slice_eq(groups->items[kept - 1].id, groups->items[i].id))
            groups->items[kept++] = groups->items[i];
    }
    groups->count = kept;
}

ErrCode lookup_groups(AwsClient *client, Arena *arena, const Ec2SelectorTermVec *terms,
                      SecurityGroupStatusVec *ret_groups, Err *err) {
    FilterSets sets = filter_sets(arena, terms, "group-id", "group-name");
    SecurityGroupStatusVec found = {0};
    GroupPages pages = {arena, &found};
    AwsPageVisitor visitor = {take_groups, &pages};

    for (vec_each(const Ec2FilterVec, filters, &sets)) {
        Ec2DescribeSecurityGroupsInput input = {.filters = *filters, .max_results = aws_integer(PAGE)};

        TRY(aws_pages(client, arena, &ec2_describe_security_groups, &input, NULL, &visitor, NULL, err));
    }
    order_groups(&found);
    *ret_groups = found;
    return OK;
}
