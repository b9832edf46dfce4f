// Windows: PowerShell, the user's first.
#include "base/buffer.h"
#include "cloud/aws/userdata/families.h"
#include "cloud/aws/userdata/kubelet_settings.h"

ErrCode user_data_windows(Arena *arena, const UserDataOptions *options, UserData *ret_data, Err *err) {
    Value settings = kubelet_settings(arena, options);
    Slice dns_ip = kubelet_dns_ip(&settings), flags = kubelet_flags(arena, options, &settings);
    Buffer out = {0};

    (void)err;
    buffer_append(&out, SLICE("<powershell>\n"));
    if (options->custom.len)
        buffer_printf(&out, "%.*s\n", SLICE_ARG(options->custom));
    buffer_append(&out, SLICE("[string]$EKSBootstrapScriptFile = "
                              "\"$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1\"\n"));
    buffer_printf(&out, "& $EKSBootstrapScriptFile -EKSClusterName '%.*s' -APIServerEndpoint '%.*s'",
                  SLICE_ARG(options->cluster_name), SLICE_ARG(options->cluster_endpoint));
    if (options->ca_bundle.len)
        buffer_printf(&out, " -Base64ClusterCA '%.*s'", SLICE_ARG(options->ca_bundle));
    if (flags.len)
        buffer_printf(&out, " -KubeletExtraArgs '%.*s'", SLICE_ARG(flags));
    if (dns_ip.len)
        buffer_printf(&out, " -DNSClusterIP '%.*s'", SLICE_ARG(dns_ip));
    buffer_append(&out, SLICE("\n</powershell>\n"));
    *ret_data = (UserData){.text = arena_slice(arena, buffer_slice(&out))};
    buffer_free(&out);
    return OK;
}
