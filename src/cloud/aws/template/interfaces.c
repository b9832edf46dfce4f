// Network interfaces: the class's, for EFA, or one.
#include "cloud/aws/template/interfaces.h"

#include <arpa/inet.h>
#include <stdlib.h>

bool template_is_ipv6(Slice dns_ip) {
    char text[INET6_ADDRSTRLEN];
    struct in6_addr ignored;

    if (dns_ip.len >= sizeof text)
        return false;
    memcpy(text, dns_ip.len ? dns_ip.ptr : "", dns_ip.len);
    text[dns_ip.len] = '\0';
    return inet_pton(AF_INET6, text, &ignored) == 1;
}

static int by_text(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

static SliceVec group_ids(Arena *arena, const SecurityGroupStatusVec *groups) {
    SliceVec ids = {0};

    for (vec_each(const SecurityGroupStatus, group, groups))
        vec_push(arena, &ids, group->id);
    if (ids.count)
        qsort(ids.items, ids.count, sizeof *ids.items, by_text);
    return ids;
}

static AwsInteger integer_of(OptionalInt number) {
    return number.has ? aws_integer(number.value) : (AwsInteger){0};
}

static const Ec2ConnectionTracking *tracking(Arena *arena, const EC2NodeClass *class) {
    const ConnectionTracking *given = &class->launch.connection_tracking;
    Ec2ConnectionTracking *wanted;

    if (!class->has_connection_tracking)
        return NULL;
    wanted = arena_new(arena, Ec2ConnectionTracking);
    wanted->tcp_established_timeout = integer_of(given->tcp_established_timeout);
    wanted->udp_stream_timeout = integer_of(given->udp_stream_timeout);
    wanted->udp_timeout = integer_of(given->udp_timeout);
    return wanted;
}

// Addresses and what is beside them: of every interface that carries IP.
static void set_addresses(Arena *arena, const TemplateFacts *facts, Ec2NetworkInterfaceSpecification *interface) {
    const Ec2LaunchSpec *launch = &facts->class->launch;

    if (launch->associate_public_ip.has)
        interface->associate_public_ip_address = aws_bool(launch->associate_public_ip.value);
    if (template_is_ipv6(facts->dns_ip)) {
        interface->primary_ipv6 = aws_bool(true);
        interface->ipv6_address_count = aws_integer(1);
        interface->ipv6_prefix_count = integer_of(launch->ip_prefix_count);
    } else {
        interface->ipv4_prefix_count = integer_of(launch->ip_prefix_count);
    }
    interface->connection_tracking = tracking(arena, facts->class);
}

Ec2NetworkInterfaceSpecificationVec template_interfaces(Arena *arena, const TemplateFacts *facts, uint32_t efa_count) {
    const NetworkInterfaceVec *given = &facts->class->network_interfaces;
    SliceVec groups = group_ids(arena, &facts->class->found.security_groups);
    Ec2NetworkInterfaceSpecificationVec list = {0};

    for (vec_each(const NetworkInterface, one, given)) {
        Ec2NetworkInterfaceSpecification *interface = vec_add(arena, &list);

        interface->network_card_index = aws_integer(one->card_index);
        interface->device_index = aws_integer(one->device_index);
        interface->interface_type = symbol_text(facts->symbols, one->type);
        interface->groups = groups;
        if (!slice_eq_text(interface->interface_type, "efa-only"))
            set_addresses(arena, facts, interface);
    }
    for (uint32_t card = 0; !given->count && card < efa_count; card++) {
        Ec2NetworkInterfaceSpecification *interface = vec_add(arena, &list);

        interface->network_card_index = aws_integer(card);
        interface->device_index = aws_integer(card ? 1 : 0);
        interface->interface_type = SLICE("efa");
        interface->groups = groups;
        set_addresses(arena, facts, interface);
    }
    if (!list.count) {
        Ec2NetworkInterfaceSpecification *interface = vec_add(arena, &list);

        interface->device_index = aws_integer(0);
        interface->groups = groups;
        set_addresses(arena, facts, interface);
    }
    return list;
}
