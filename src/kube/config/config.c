// Finding the configuration: the kubeconfig files and the context, or the pod's service account.
#include "kube/config/config_entry.h"
#include "kube/config/config_file.h"
#include "text/yaml.h"

#include <stdlib.h>
#include <unistd.h>

enum { DEPTH_MAX = 64, VALUES_MAX = 500000 }; // of a file; aliases are counted expanded
static const char service_account[] = "/var/run/secrets/kubernetes.io/serviceaccount";

// The kubeconfig files of one list.

typedef struct {
    DocumentVec documents; // `file` of each is its path
    Slice names;           // for messages: "a:b"
} Files;

// Reads a file and adds its documents. A missing file is skipped when `may_lack`.
static ErrCode add_file(Arena *arena, Files *files, Slice path, bool may_lack, Err *err) {
    static const ParseOptions bounds = {.depth_max = DEPTH_MAX, .values_max = VALUES_MAX};
    WarningVec warnings = {0};
    DocumentVec documents = {0};
    Slice text;
    ErrCode code = config_read_file(arena, arena_text(arena, path), &text, err);

    if (code == ERR_NOT_FOUND && may_lack)
        return OK;
    TRY(code);
    TRY(yaml_parse(arena, path, text, &bounds, &documents, &warnings, err));
    for (vec_each(Document, document, &documents)) {
        if (document->root.kind != VALUE_MAP)
            return err_set(err, ERR_INVALID, "%.*s: not a kubeconfig: expected a map with clusters, users, contexts",
                           SLICE_ARG(path));
        vec_push(arena, &files->documents, *document);
    }
    return OK;
}

// Finds the entry `name` in a list ("clusters"); its content is below `member` ("cluster").
static ConfigEntry find_entry(const Files *files, const char *list_name, const char *member, Slice name) {
    for (vec_each(const Document, document, &files->documents)) {
        const Value *list = value_get(&document->root, slice_of(list_name));

        for (uint32_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
            const Value *item = &list->list.items[i], *found = value_get_text(item, "name");
            const Value *entry = value_get(item, slice_of(member));

            if (found && found->kind == VALUE_STRING && slice_eq(found->text, name) && entry &&
                entry->kind == VALUE_MAP)
                return (ConfigEntry){entry, document->file};
        }
    }
    return (ConfigEntry){0};
}

static Slice first_current_context(const Files *files) {
    for (vec_each(const Document, document, &files->documents)) {
        const Value *value = value_get_text(&document->root, "current-context");

        if (value && value->kind == VALUE_STRING && value->text.len)
            return value->text;
    }
    return SLICE("");
}

static Slice member_text(const Value *map, const char *name) {
    const Value *value = value_get(map, slice_of(name));

    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

static ErrCode fail_missing(const Files *files, const char *what, Slice name, Err *err) {
    return err_set(err, ERR_NOT_FOUND, "%.*s: no %s \"%.*s\"", SLICE_ARG(files->names), what, SLICE_ARG(name));
}

static ErrCode read_context(Arena *arena, const Files *files, Slice context, KubeConfig *ret_config, Err *err) {
    KubeConfig config = {0};
    ConfigEntry chosen, cluster, user;
    Slice user_name;

    if (!context.len)
        context = first_current_context(files);
    if (!context.len)
        return err_set(err, ERR_NOT_FOUND, "%.*s: no current-context; set one with kubectl config use-context",
                       SLICE_ARG(files->names));
    chosen = find_entry(files, "contexts", "context", context);
    if (!chosen.entry)
        return fail_missing(files, "context", context, err);
    cluster = find_entry(files, "clusters", "cluster", member_text(chosen.entry, "cluster"));
    if (!cluster.entry)
        return fail_missing(files, "cluster", member_text(chosen.entry, "cluster"), err);
    user_name = member_text(chosen.entry, "user");
    user = find_entry(files, "users", "user", user_name);
    if (!user.entry && user_name.len)
        return fail_missing(files, "user", user_name, err);
    TRY(config_read_cluster(arena, cluster, &config, err));
    if (user.entry)
        TRY(config_read_user(arena, cluster, user, &config, err));
    config.ns = member_text(chosen.entry, "namespace");
    config.source = arena_printf(arena, "context \"%.*s\" of %.*s", SLICE_ARG(context), SLICE_ARG(chosen.file));
    *ret_config = config;
    return OK;
}

// Loads a list like $KUBECONFIG: missing files are skipped, unless all are missing.
static ErrCode load_list(Arena *arena, Slice list, Slice context, KubeConfig *ret_config, Err *err) {
    Files files = {.names = list};
    Slice rest = list;

    while (rest.len) {
        ptrdiff_t colon = slice_find(rest, ':');
        Slice path = colon < 0 ? rest : slice_first(rest, (size_t)colon);

        if (path.len)
            TRY(add_file(arena, &files, path, true, err));
        rest = colon < 0 ? SLICE("") : slice_from(rest, (size_t)colon + 1);
    }
    if (!files.documents.count)
        return err_set(err, ERR_NOT_FOUND, "no kubeconfig at %.*s (from KUBECONFIG)", SLICE_ARG(list));
    return read_context(arena, &files, context, ret_config, err);
}

static ErrCode load_file(Arena *arena, Slice path, Slice context, KubeConfig *ret_config, Err *err) {
    Files files = {.names = path};

    TRY(add_file(arena, &files, path, false, err));
    if (!files.documents.count)
        return err_set(err, ERR_INVALID, "%.*s: an empty file is no kubeconfig", SLICE_ARG(path));
    return read_context(arena, &files, context, ret_config, err);
}

ErrCode kube_config_in_cluster(Arena *arena, Slice folder, KubeConfig *ret_config, Err *err) {
    const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
    KubeConfig config = {.source = SLICE("the pod's service account")};
    Slice text;

    if (!folder.len)
        folder = SLICE(service_account);
    if (!host || !*host || !port || !*port)
        return err_set(err, ERR_NOT_FOUND,
                       "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
    config.server = arena_printf(arena, strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s", host, port);
    config.token_file = arena_printf(arena, "%.*s/token", SLICE_ARG(folder));
    TRY(config_read_file(arena, config.token_file.ptr, &text, err));
    TRY(config_read_file(arena, arena_printf(arena, "%.*s/ca.crt", SLICE_ARG(folder)).ptr, &config.ca_pem, err));
    if (config_read_file(arena, arena_printf(arena, "%.*s/namespace", SLICE_ARG(folder)).ptr, &text, NULL) == OK)
        config.ns = slice_trim(text);
    *ret_config = config;
    return OK;
}

ErrCode kube_config_load(Arena *arena, Slice path, Slice context, KubeConfig *ret_config, Err *err) {
    const char *list = getenv("KUBECONFIG"), *home = getenv("HOME"), *host = getenv("KUBERNETES_SERVICE_HOST");
    Slice at_home = arena_printf(arena, "%s/.kube/config", home ? home : "");

    path = arena_slice(arena, path);
    context = arena_slice(arena, context);
    if (path.len)
        return load_file(arena, path, context, ret_config, err);
    if (list && *list)
        return load_list(arena, arena_slice(arena, slice_of(list)), context, ret_config, err);
    if (host && *host && !context.len)
        return kube_config_in_cluster(arena, SLICE(""), ret_config, err);
    if (home && access(at_home.ptr, F_OK) == 0)
        return load_file(arena, at_home, context, ret_config, err);
    return err_set(err, ERR_NOT_FOUND,
                   "no cluster to talk to: no kubeconfig is given, KUBECONFIG is not set, this is no pod "
                   "(KUBERNETES_SERVICE_HOST is not set), and %.*s does not exist",
                   SLICE_ARG(at_home));
}
