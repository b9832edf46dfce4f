// AL2: a call of the image's bootstrap script.
#include "cloud/aws/userdata/envelope.h"
#include "cloud/aws/userdata/families.h"
#include "cloud/aws/userdata/kubelet_settings.h"

#include <arpa/inet.h>

// As upstream a text that is no address at all counts as one of IPv6.
static bool is_ipv6(Arena *arena, Slice address) {
    struct in_addr ignored;

    return inet_pton(AF_INET, arena_text(arena, address), &ignored) != 1;
}

static void print_call(Arena *arena, const UserDataOptions *options, const Value *settings, Buffer *out) {
    Slice dns_ip = kubelet_dns_ip(settings), flags = kubelet_flags(arena, options, settings);

    buffer_printf(out, "/etc/eks/bootstrap.sh '%.*s' --apiserver-endpoint '%.*s' ", SLICE_ARG(options->cluster_name),
                  SLICE_ARG(options->cluster_endpoint));
    if (options->ca_bundle.len)
        buffer_printf(out, "--b64-cluster-ca '%.*s'", SLICE_ARG(options->ca_bundle));
    if (dns_ip.len && is_ipv6(arena, dns_ip))
        buffer_append(out, SLICE(" \\\n--ip-family ipv6"));
    if (dns_ip.len)
        buffer_printf(out, " \\\n--dns-cluster-ip '%.*s'", SLICE_ARG(dns_ip));
    buffer_append(out, SLICE(" \\\n--use-max-pods false"));
    if (flags.len)
        buffer_printf(out, " \\\n--kubelet-extra-args '%.*s'", SLICE_ARG(flags));
    if (options->raid0)
        buffer_append(out, SLICE(" \\\n--local-disks raid0"));
}

ErrCode user_data_al2(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err) {
    Value settings = kubelet_settings(arena, options);
    MimePartVec parts = {0};
    Buffer script = {0};

    TRY(envelope_add_custom(arena, options->custom, false, &parts, err));
    buffer_append(&script, SLICE("#!/bin/bash -xe\nexec > >(tee /var/log/user-data.log|logger -t user-data -s "
                                 "2>/dev/console) 2>&1\n"));
    print_call(arena, options, &settings, &script);
    envelope_add(arena, &parts, SLICE(SHELL_SCRIPT_TYPE), arena_slice(arena, buffer_slice(&script)));
    buffer_free(&script);
    *ret_data = (UserData){.text = envelope_write(arena, &parts)};
    return OK;
}
