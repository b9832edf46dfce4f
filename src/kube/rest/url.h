// URLs of kinds and objects.
#pragma once

#include "kube/rest/rest_parts.h"

// "https://server/apis/group/version[/namespaces/ns]/plural[/name][/subresource]". Empty and NULL parts are left out.
void rest_url(const KubeRest *rest, Buffer *url, KubeKind kind, Slice ns, Slice name, const char *subresource);
