// URLs of kinds and objects.
#include "kube/rest/url.h"

void rest_url(const KubeRest *rest, Buffer *url, KubeKind kind, Slice ns, Slice name, const char *subresource) {
    const KubeKindInfo *info = kube_kind(kind);

    buffer_append(url, rest->config.server);
    buffer_append(url, info->group.len ? SLICE("/apis") : SLICE("/api"));
    if (info->group.len)
        url_add_segment(url, info->group);
    url_add_segment(url, info->version);
    if (info->namespaced && ns.len) {
        buffer_append(url, SLICE("/namespaces"));
        url_add_segment(url, ns);
    }
    url_add_segment(url, info->plural);
    if (name.len)
        url_add_segment(url, name);
    if (subresource)
        url_add_segment(url, slice_of(subresource));
}
