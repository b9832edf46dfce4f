// What `aws ec2 describe-subnets`, `aws ec2 describe-security-groups` and `aws iam list-roles` print.
#include "doctor/gather.h"
#include "doctor/gather_parts.h"

static FactTags tags_of(Gathering *gathering, const Value *list) {
    FactTags tags = {0};

    if (!list || list->kind != VALUE_LIST)
        return tags;
    for (vec_each(const Value, tag, &list->list))
        vec_push(gathering->arena, &tags.pairs,
                 (TextPair){gather_text(tag, "Key"), gather_text(tag, "Value"), tag->line});
    return tags;
}

static void add_subnet(Gathering *gathering, const Value *element) {
    const Value *free_ips = value_get_text(element, "AvailableIpAddressCount");
    FactResource subnet = {.place = gather_place(gathering, element),
                           .name = gather_text(element, "SubnetId"),
                           .tags = tags_of(gathering, value_get_text(element, "Tags")),
                           .zone = gather_text(element, "AvailabilityZone"),
                           .free_ips = -1,
                           .is_listed = true};

    if (free_ips)
        value_to_int64(free_ips, &subnet.free_ips);
    gathering->facts->listed_subnets++;
    vec_push(gathering->arena, &gathering->facts->subnets, subnet);
}

void gather_ports(Arena *arena, FactResource *group, Slice protocol, const int64_t *from, const int64_t *to) {
    if (slice_eq_text(protocol, "-1"))
        vec_push(arena, &group->ports, (FactPorts){0, UINT16_MAX});
    else if (slice_eq_text(protocol, "tcp") && from && to)
        vec_push(arena, &group->ports, (FactPorts){*from, *to});
}

// NULL: the member is not there, or no number.
static const int64_t *number_of(const Value *map, const char *key, int64_t *number) {
    const Value *value = value_get(map, slice_of(key));

    return value && value_to_int64(value, number) ? number : NULL;
}

static void add_ports(Gathering *gathering, const Value *permissions, FactResource *group) {
    group->has_ports = permissions && permissions->kind == VALUE_LIST;
    for (uint32_t i = 0; group->has_ports && i < permissions->list.count; i++) {
        const Value *permission = &permissions->list.items[i];
        int64_t from, to;

        gather_ports(gathering->arena, group, gather_text(permission, "IpProtocol"),
                     number_of(permission, "FromPort", &from), number_of(permission, "ToPort", &to));
    }
}

static void add_group(Gathering *gathering, const Value *element) {
    FactResource group = {.place = gather_place(gathering, element),
                          .name = gather_text(element, "GroupId"),
                          .alias = gather_text(element, "GroupName"),
                          .tags = tags_of(gathering, value_get_text(element, "Tags")),
                          .free_ips = -1,
                          .is_listed = true};

    add_ports(gathering, value_get_text(element, "IpPermissions"), &group);
    gathering->facts->listed_groups++;
    vec_push(gathering->arena, &gathering->facts->groups, group);
}

static void add_role(Gathering *gathering, const Value *element) {
    if (slice_eq(gather_text(element, "RoleName"), SLICE("AWSServiceRoleForEC2Spot")))
        gathering->facts->has_spot_role = true;
}

void gather_aws(Gathering *gathering, const Value *answer) {
    const struct {
        const char *list;
        bool *seen;
        void (*add)(Gathering *gathering, const Value *element);
    } answers[] = {{"Subnets", &gathering->facts->has_listed_subnets, add_subnet},
                   {"SecurityGroups", &gathering->facts->has_listed_groups, add_group},
                   {"Roles", &gathering->facts->has_roles, add_role}};

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const Value *list = value_get(answer, slice_of(answers[i].list));

        if (!list || list->kind != VALUE_LIST)
            continue;
        *answers[i].seen = true;
        for (vec_each(const Value, element, &list->list))
            answers[i].add(gathering, element);
    }
}
