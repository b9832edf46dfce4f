// The clusters and users of a kubeconfig, field by field.
#include "kube/config/config_entry.h"

#include "kube/config/config_file.h"
#include "net/base64.h"
#include "text/json.h"

// Error about an entry: "file:line: <what> <field>: <message>".
static ErrCode complain(ConfigEntry entry, const Value *at, const char *field, const char *message, Err *err) {
    return err_set(err, ERR_INVALID, "%.*s:%u: %s: %s", SLICE_ARG(entry.file), at->line, field, message);
}

// A string member; empty when absent or null.
static ErrCode read_text(ConfigEntry entry, const char *field, Slice *ret_text, Err *err) {
    const Value *value = value_get(entry.entry, slice_of(field));

    if (!value || value->kind == VALUE_NULL)
        return OK;
    if (value->kind != VALUE_STRING)
        return complain(entry, value, field, "expected a string", err);
    *ret_text = value->text;
    return OK;
}

static ErrCode read_bool(ConfigEntry entry, const char *field, bool *ret_bool, Err *err) {
    const Value *value = value_get(entry.entry, slice_of(field));

    if (!value || value->kind == VALUE_NULL)
        return OK;
    if (value->kind != VALUE_BOOL)
        return complain(entry, value, field, "expected true or false", err);
    *ret_bool = value->boolean;
    return OK;
}

// PEM from "<field>-data" in base64, which takes precedence, or from the file that <field> names.
static ErrCode read_pem(Arena *arena, ConfigEntry entry, const char *field, Slice *ret_pem, Err *err) {
    const char *data_field = arena_printf(arena, "%s-data", field).ptr;
    Slice data = {0}, path = {0}, pem = {0};
    Err cause;

    TRY(read_text(entry, data_field, &data, err));
    TRY(read_text(entry, field, &path, err));
    if (data.len) {
        if (base64_decode(arena, data, &pem, &cause) != OK)
            return complain(entry, value_get(entry.entry, slice_of(data_field)), data_field, cause.text, err);
    } else if (path.len) {
        ErrCode code =
            config_read_file(arena, arena_text(arena, config_path_beside(arena, entry.file, path)), &pem, err);

        if (code != OK) {
            err_prefix(err, "%.*s: %s", SLICE_ARG(entry.file), field);
            return code;
        }
    } else {
        return OK;
    }
    if (!slice_contains(pem, SLICE("-----BEGIN ")))
        return complain(entry, value_get(entry.entry, slice_of(data.len ? data_field : field)),
                        data.len ? data_field : field, "expected PEM (\"-----BEGIN …\")", err);
    *ret_pem = pem;
    return OK;
}

static bool has_scheme(Slice url, const char *const *schemes) {
    for (; *schemes; schemes++) {
        if (slice_starts_with(url, slice_of(*schemes)))
            return true;
    }
    return false;
}

ErrCode config_read_cluster(Arena *arena, ConfigEntry cluster, KubeConfig *config, Err *err) {
    static const char *const server_schemes[] = {"https://", "http://", NULL};
    static const char *const proxy_schemes[] = {"http://", "https://", "socks5://", "socks5h://", NULL};

    TRY(read_text(cluster, "server", &config->server, err));
    TRY(read_text(cluster, "tls-server-name", &config->tls_name, err));
    TRY(read_text(cluster, "proxy-url", &config->proxy_url, err));
    TRY(read_bool(cluster, "insecure-skip-tls-verify", &config->insecure, err));
    TRY(read_bool(cluster, "disable-compression", &config->no_gzip, err));
    TRY(read_pem(arena, cluster, "certificate-authority", &config->ca_pem, err));
    if (!config->server.len)
        return complain(cluster, cluster.entry, "server", "expected the URL of an API server, got nothing", err);
    if (slice_find(config->server, ':') < 0) // as in kubectl: without a scheme it is a host
        config->server = arena_printf(arena, "https://%.*s", SLICE_ARG(config->server));
    if (!has_scheme(config->server, server_schemes))
        return complain(cluster, value_get_text(cluster.entry, "server"), "server",
                        "expected a URL that starts with https:// or http://", err);
    while (slice_ends_with(config->server, SLICE("/")))
        config->server.len--;
    if (config->proxy_url.len && !has_scheme(config->proxy_url, proxy_schemes))
        return complain(cluster, value_get_text(cluster.entry, "proxy-url"), "proxy-url",
                        "expected a URL that starts with http://, https:// or socks5://", err);
    if (config->insecure && config->ca_pem.len)
        return complain(cluster, value_get_text(cluster.entry, "insecure-skip-tls-verify"), "insecure-skip-tls-verify",
                        "cannot be true while a certificate-authority is given; take one of them out", err);
    return OK;
}

// Credential plugins.

static ErrCode read_arguments(Arena *arena, ConfigEntry exec, const char *field, SliceVec *ret_arguments, Err *err) {
    const Value *list = value_get(exec.entry, slice_of(field));

    if (!list || list->kind == VALUE_NULL)
        return OK;
    if (list->kind != VALUE_LIST)
        return complain(exec, list, field, "expected a list of strings", err);
    for (vec_each(const Value, item, &list->list)) {
        if (item->kind != VALUE_STRING)
            return complain(exec, item, field, "expected a string", err);
        vec_push(arena, ret_arguments, item->text);
    }
    return OK;
}

static ErrCode read_environment(Arena *arena, ConfigEntry exec, KubeExec *ret_exec, Err *err) {
    const Value *list = value_get_text(exec.entry, "env");

    if (!list || list->kind == VALUE_NULL)
        return OK;
    if (list->kind != VALUE_LIST)
        return complain(exec, list, "env", "expected a list of name and value", err);
    for (vec_each(const Value, item, &list->list)) {
        ConfigEntry entry = {item, exec.file};
        KubeConfigVariable variable = {0};

        TRY(read_text(entry, "name", &variable.name, err));
        TRY(read_text(entry, "value", &variable.value, err));
        if (!variable.name.len || slice_find(variable.name, '=') >= 0)
            return complain(exec, item, "env", "expected a name without '='", err);
        vec_push(arena, &ret_exec->environment, variable);
    }
    return OK;
}

// The cluster as JSON, for KUBERNETES_EXEC_INFO.
static Slice cluster_json(Arena *arena, ConfigEntry cluster, const KubeConfig *config) {
    Value info = value_map();
    const Value *extensions = value_get_text(cluster.entry, "extensions");
    Buffer text = {0};
    Slice result;

    value_put(arena, &info, SLICE("server"), value_string(config->server));
    if (config->tls_name.len)
        value_put(arena, &info, SLICE("tls-server-name"), value_string(config->tls_name));
    if (config->insecure)
        value_put(arena, &info, SLICE("insecure-skip-tls-verify"), value_bool(true));
    if (config->ca_pem.len)
        value_put(arena, &info, SLICE("certificate-authority-data"),
                  value_string(base64_encode(arena, config->ca_pem)));
    if (config->proxy_url.len)
        value_put(arena, &info, SLICE("proxy-url"), value_string(config->proxy_url));
    for (uint32_t i = 0; extensions && extensions->kind == VALUE_LIST && i < extensions->list.count; i++) {
        const Value *item = &extensions->list.items[i], *extension = value_get_text(item, "extension");
        const Value *name = value_get_text(item, "name");

        if (extension && name && name->kind == VALUE_STRING &&
            slice_eq_text(name->text, "client.authentication.k8s.io/exec"))
            value_put(arena, &info, SLICE("config"), *extension);
    }
    json_print(&text, &info, false);
    result = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return result;
}

static ErrCode read_exec(Arena *arena, ConfigEntry cluster, ConfigEntry exec, KubeConfig *config, Err *err) {
    KubeExec *own = &config->exec;
    bool wants_cluster = false;

    TRY(read_text(exec, "apiVersion", &own->api_version, err));
    TRY(read_text(exec, "command", &own->command, err));
    TRY(read_text(exec, "installHint", &own->install_hint, err));
    TRY(read_bool(exec, "provideClusterInfo", &wants_cluster, err));
    TRY(read_arguments(arena, exec, "args", &own->arguments, err));
    TRY(read_environment(arena, exec, own, err));
    if (!own->command.len)
        return complain(exec, exec.entry, "exec.command", "expected the name of a program, got nothing", err);
    if (!slice_eq_text(own->api_version, "client.authentication.k8s.io/v1") &&
        !slice_eq_text(own->api_version, "client.authentication.k8s.io/v1beta1"))
        return complain(exec, exec.entry, "exec.apiVersion",
                        "expected client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1", err);
    if (slice_find(own->command, '/') >= 0)
        own->command = config_path_beside(arena, exec.file, own->command);
    if (wants_cluster)
        own->cluster_json = cluster_json(arena, cluster, config);
    return OK;
}

// Refuses line breaks in a value that goes into an HTTP header.
static ErrCode check_line(ConfigEntry user, const char *field, Slice text, Err *err) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
            return complain(user, value_get(user.entry, slice_of(field)), field, "expected no control characters", err);
    }
    return OK;
}

static ErrCode read_impersonation(Arena *arena, ConfigEntry user, KubeConfig *config, Err *err) {
    const Value *extra = value_get_text(user.entry, "as-user-extra");

    TRY(read_text(user, "as", &config->as_user, err));
    TRY(read_text(user, "as-uid", &config->as_uid, err));
    TRY(read_arguments(arena, user, "as-groups", &config->as_groups, err));
    TRY(check_line(user, "as", config->as_user, err));
    TRY(check_line(user, "as-uid", config->as_uid, err));
    for (vec_each(const Slice, group, &config->as_groups))
        TRY(check_line(user, "as-groups", *group, err));
    if (extra && extra->kind != VALUE_NULL)
        return complain(user, extra, "as-user-extra",
                        "not supported by tenon, and without it the rights would be others; use as and as-groups", err);
    return OK;
}

ErrCode config_read_user(Arena *arena, ConfigEntry cluster, ConfigEntry user, KubeConfig *config, Err *err) {
    const Value *exec = value_get_text(user.entry, "exec"), *provider = value_get_text(user.entry, "auth-provider");
    Slice token_file = {0};

    TRY(read_pem(arena, user, "client-certificate", &config->certificate_pem, err));
    TRY(read_pem(arena, user, "client-key", &config->key_pem, err));
    TRY(read_text(user, "token", &config->token, err));
    TRY(read_text(user, "tokenFile", &token_file, err));
    TRY(read_text(user, "username", &config->user, err));
    TRY(read_text(user, "password", &config->password, err));
    TRY(read_impersonation(arena, user, config, err));
    if (token_file.len)
        config->token_file = config_path_beside(arena, user.file, token_file);
    if (config->certificate_pem.len != 0 && !config->key_pem.len)
        return complain(user, user.entry, "client-key", "expected the key of client-certificate, got nothing", err);
    if (config->key_pem.len && !config->certificate_pem.len)
        return complain(user, user.entry, "client-certificate", "expected the certificate of client-key, got nothing",
                        err);
    if (provider && provider->kind != VALUE_NULL)
        return complain(user, provider, "auth-provider",
                        "Kubernetes removed these in 1.26; use exec with the plugin of your provider", err);
    if (exec && exec->kind != VALUE_NULL)
        return read_exec(arena, cluster, (ConfigEntry){exec, user.file}, config, err);
    return OK;
}
