// Kubeconfigs and service accounts: what is found, what is read, and what is said when it is wrong.
#include "harness/test.h"
#include "kube/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEM        "-----BEGIN X-----\nAAAA\n-----END X-----\n"
#define PEM_BASE64 "LS0tLS1CRUdJTiBYLS0tLS0KQUFBQQotLS0tLUVORCBYLS0tLS0K"

typedef struct {
    Arena arena;
    char folder[64];
    KubeConfig config;
    Err err;
} World;

static World *setup(void) {
    World *w = calloc(1, sizeof *w);

    strcpy(w->folder, "/tmp/tenon-config-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    unsetenv("KUBECONFIG");
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBERNETES_SERVICE_PORT");
    setenv("HOME", w->folder, 1);
    return w;
}

static void teardown(World *w) {
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", w->folder);
    assert_int_equal(system(command), 0);
    arena_free(&w->arena);
    free(w);
}

FIXTURE(World, setup, teardown);

static const char *file(World *w, const char *name, const char *text) {
    const char *path = arena_printf(&w->arena, "%s/%s", w->folder, name).ptr;
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    return path;
}

static void folder(World *w, const char *name) {
    assert_int_equal(mkdir(arena_printf(&w->arena, "%s/%s", w->folder, name).ptr, 0700), 0);
}

// A kubeconfig with one context; the flow maps of its cluster and user.
static const char *config_file(World *w, const char *cluster, const char *user) {
    return file(
        w, "config",
        arena_printf(&w->arena,
                     "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: %s}]\nusers: [{name: u, user: "
                     "%s}]\ncontexts: [{name: x, context: {cluster: c, user: u, namespace: there}}]\n"
                     "current-context: x\n",
                     cluster, user)
            .ptr);
}

static void load(World *w, const char *path, const char *context) {
    if (kube_config_load(&w->arena, slice_of(path), slice_of(context), &w->config, &w->err) != OK)
        fail_msg("%s", w->err.text);
}

static void assert_text(Slice slice, const char *expected) {
    if (!slice_eq_text(slice, expected))
        fail_msg("expected \"%s\", got \"%.*s\"", expected, SLICE_ARG(slice));
}

static void fails(World *w, const char *path, const char *context, ErrCode code, const char *text) {
    assert_int_equal(kube_config_load(&w->arena, slice_of(path), slice_of(context), &w->config, &w->err), code);
    if (!strstr(w->err.text, text))
        fail_msg("expected a text with \"%s\", got \"%s\"", text, w->err.text);
}

TEST_F(World, w, a_context_names_cluster_user_and_namespace) {
    load(w,
         config_file(
             w, "{server: 'https://h:1/', proxy-url: 'http://p:2', tls-server-name: name, disable-compression: true}",
             "{token: t, username: a, password: b, as: me, as-uid: '7', as-groups: [g, h]}"),
         "");
    assert_text(w->config.server, "https://h:1");
    assert_text(w->config.proxy_url, "http://p:2");
    assert_text(w->config.tls_name, "name");
    assert_text(w->config.ns, "there");
    assert_text(w->config.token, "t");
    assert_text(w->config.user, "a");
    assert_text(w->config.password, "b");
    assert_text(w->config.as_user, "me");
    assert_text(w->config.as_uid, "7");
    assert_int_equal(w->config.as_groups.count, 2);
    assert_true(w->config.no_gzip && !w->config.insecure);
    assert_non_null(strstr(arena_text(&w->arena, w->config.source), "context \"x\" of /"));
}

TEST_F(World, w, certificates_come_from_data_or_files_beside_the_config) {
    file(w, "ca.crt", PEM);
    file(w, "key", PEM "key");
    load(w,
         config_file(w, "{server: 'https://h', certificate-authority: ca.crt}",
                     "{client-certificate-data: " PEM_BASE64 ", client-certificate: nowhere, client-key: key}"),
         "");
    assert_text(w->config.ca_pem, PEM);
    assert_text(w->config.certificate_pem, PEM);
    assert_text(w->config.key_pem, PEM "key");
}

TEST_F(World, w, plugins_are_read_with_all_they_have) {
    const KubeExec *exec = &w->config.exec;

    load(w,
         config_file(w,
                     "{server: 'https://h', certificate-authority-data: " PEM_BASE64
                     ", extensions: [{name: client.authentication.k8s.io/exec, extension: {region: r}}]}",
                     "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/aws, args: [eks, get-token], "
                     "env: [{name: A, value: b}], installHint: get it, provideClusterInfo: true}}"),
         "");
    assert_text(exec->command, arena_printf(&w->arena, "%s/./bin/aws", w->folder).ptr);
    assert_int_equal(exec->arguments.count, 2);
    assert_text(exec->arguments.items[1], "get-token");
    assert_text(exec->environment.items[0].name, "A");
    assert_text(exec->environment.items[0].value, "b");
    assert_text(exec->install_hint, "get it");
    assert_text(exec->cluster_json, "{\"server\":\"https://h\",\"certificate-authority-data\":\"" PEM_BASE64
                                    "\",\"config\":{\"region\":\"r\"}}");
}

TEST_F(World, w, another_context_is_chosen_by_name) {
    const char *path = file(w, "two",
                            "clusters: [{name: a, cluster: {server: 'https://a'}}, {name: b, cluster: {server: "
                            "'https://b'}}]\ncontexts: [{name: one, context: {cluster: a}}, {name: two, context: "
                            "{cluster: b}}]\ncurrent-context: one\n");

    load(w, path, "");
    assert_text(w->config.server, "https://a");
    load(w, path, "two");
    assert_text(w->config.server, "https://b");
    fails(w, path, "three", ERR_NOT_FOUND, "no context \"three\"");
}

TEST_F(World, w, the_files_of_the_environment_complete_each_other) {
    const char *one = file(w, "one",
                           "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n"
                           "users: [{name: u, user: {token: first}}]\n");

    folder(w, "sub");
    file(w, "sub/ca.crt", PEM);
    file(w, "sub/two",
         "clusters: [{name: c, cluster: {server: 'https://c', certificate-authority: ca.crt}}]\n"
         "users: [{name: u, user: {token: second}}]\ncurrent-context: y\n");
    setenv("KUBECONFIG", arena_printf(&w->arena, "%s:/nowhere/at/all::%s/sub/two", one, w->folder).ptr, 1);
    load(w, "", "");
    assert_text(w->config.token, "first");
    assert_text(w->config.server, "https://c");
    assert_text(w->config.ca_pem, PEM); // beside the file that names it
    setenv("KUBECONFIG", "/nowhere/at/all", 1);
    fails(w, "", "", ERR_NOT_FOUND, "/nowhere/at/all");
}

TEST_F(World, w, the_home_folder_is_searched_last) {
    fails(w, "", "", ERR_NOT_FOUND, "KUBERNETES_SERVICE_HOST is not set");
    folder(w, ".kube");
    file(w, ".kube/config",
         "clusters: [{name: c, cluster: {server: 'https://home'}}]\ncontexts: [{name: x, context: {cluster: "
         "c}}]\ncurrent-context: x\n");
    load(w, "", "");
    assert_text(w->config.server, "https://home");
}

TEST_F(World, w, a_pod_uses_its_service_account) {
    Slice account = slice_of(w->folder);

    assert_int_equal(kube_config_in_cluster(&w->arena, account, &w->config, &w->err), ERR_NOT_FOUND);
    setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    assert_int_equal(kube_config_in_cluster(&w->arena, account, &w->config, &w->err), ERR_NOT_FOUND);
    file(w, "token", "t");
    file(w, "ca.crt", PEM);
    file(w, "namespace", "kube-system\n");
    assert_int_equal(kube_config_in_cluster(&w->arena, account, &w->config, &w->err), OK);
    assert_text(w->config.server, "https://[fd00::1]:443");
    assert_text(w->config.ns, "kube-system");
    assert_text(w->config.ca_pem, PEM);
    assert_text(w->config.token_file, arena_printf(&w->arena, "%s/token", w->folder).ptr);
    setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
    assert_int_equal(kube_config_in_cluster(&w->arena, account, &w->config, &w->err), OK);
    assert_text(w->config.server, "https://10.0.0.1:443");
}

TEST_F(World, w, complaints_name_file_and_field) {
    static const struct {
        const char *cluster, *user, *text;
    } bad[] = {
        {"{}", "{}", "config:3: server: expected the URL"},
        {"{server: 5}", "{}", "server: expected a string"},
        {"{server: 'ftp://h'}", "{}", "server: expected a URL that starts with https:// or http://"},
        {"{server: 'https://h', proxy-url: 'x://h'}", "{}", "proxy-url: expected a URL"},
        {"{server: 'https://h', insecure-skip-tls-verify: sure}", "{}",
         "insecure-skip-tls-verify: expected true or false"},
        {"{server: 'https://h', insecure-skip-tls-verify: true, certificate-authority-data: " PEM_BASE64 "}", "{}",
         "cannot be true while a certificate-authority is given"},
        {"{server: 'https://h', certificate-authority-data: '%%%'}", "{}", "certificate-authority-data: not base64"},
        {"{server: 'https://h', certificate-authority-data: Zm9v}", "{}", "certificate-authority-data: expected PEM"},
        {"{server: 'https://h'}", "{client-certificate-data: " PEM_BASE64 "}", "client-key: expected the key"},
        {"{server: 'https://h'}", "{client-key-data: " PEM_BASE64 "}", "client-certificate: expected the certificate"},
        {"{server: 'https://h'}", "{auth-provider: {name: gcp}}", "auth-provider: Kubernetes removed these"},
        {"{server: 'https://h'}", "{exec: {apiVersion: client.authentication.k8s.io/v1}}", "exec.command: expected"},
        {"{server: 'https://h'}", "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}",
         "exec.apiVersion: expected client.authentication.k8s.io/v1"},
        {"{server: 'https://h'}", "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, args: [1]}}",
         "args: expected a string"},
        {"{server: 'https://h'}", "{as: \"me\\r\\nX-Remote-User: root\"}", "as: expected no control characters"},
        {"{server: 'https://h'}", "{as: me, as-groups: [\"a\\nb\"]}", "as-groups: expected no control characters"},
        {"{server: 'https://h'}", "{as: me, as-user-extra: {scopes: [view]}}", "as-user-extra: not supported"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fails(w, config_file(w, bad[i].cluster, bad[i].user), "", ERR_INVALID, bad[i].text);
    fails(w, config_file(w, "{server: 'https://h', certificate-authority: gone.crt}", "{}"), "", ERR_NOT_FOUND,
          "gone.crt");
    fails(w, file(w, "list", "[1]"), "", ERR_INVALID, "not a kubeconfig");
    fails(w, file(w, "empty", ""), "", ERR_INVALID, "no kubeconfig");
    fails(w, file(w, "none", "clusters: []"), "", ERR_NOT_FOUND, "current-context");
    fails(w, file(w, "dangling", "contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x"), "", ERR_NOT_FOUND,
          "no cluster \"c\"");
    fails(w, "/nowhere/config", "", ERR_NOT_FOUND, "/nowhere/config");
}

TEST_F(World, w, no_complaint_tells_a_secret) {
    fails(w, config_file(w, "{server: 'https://h'}", "{token: [hunter2], client-key-data: 'hunter2!'}"), "",
          ERR_INVALID, "");
    assert_null(strstr(w->err.text, "hunter2"));
}
