// Credential plugins: starting the process, reading and parsing its output.
#include "kube/rest/plugin.h"

#include "kube/kube.h"
#include "text/duration.h"
#include "text/json.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_BYTES_MAX = 1 << 20, LOOK_MS = 5, POLL_MS = 100 };
static bool is_set(const KubeExec *exec, const char *variable) {
    size_t len = strcspn(variable, "=");

    if (slice_eq((Slice){variable, len}, SLICE("KUBERNETES_EXEC_INFO")))
        return true;
    for (vec_each(const KubeConfigVariable, own, &exec->environment)) {
        if (slice_eq((Slice){variable, len}, own->name))
            return true;
    }
    return false;
}

// tenon's environment, the plugin's variables, and KUBERNETES_EXEC_INFO.
static char **environment_of(Arena *arena, const KubeExec *exec) {
    bool has_cluster = exec->cluster_json.len > 0;
    Vec(char *) list = {0};
    Slice info;

    for (char **variable = environ; *variable; variable++) {
        if (!is_set(exec, *variable))
            vec_push(arena, &list, *variable);
    }
    for (vec_each(const KubeConfigVariable, own, &exec->environment)) {
        Slice text = arena_printf(arena, "%.*s=%.*s", SLICE_ARG(own->name), SLICE_ARG(own->value));

        vec_push(arena, &list, (char *)arena_copy(arena, text.ptr, text.len + 1));
    }
    info = arena_printf(arena,
                        "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":\"%.*s\",\"spec\":{"
                        "%s%.*s%s\"interactive\":false}}",
                        SLICE_ARG(exec->api_version), has_cluster ? "\"cluster\":" : "", SLICE_ARG(exec->cluster_json),
                        has_cluster ? "," : "");
    vec_push(arena, &list, (char *)arena_copy(arena, info.ptr, info.len + 1));
    vec_push(arena, &list, NULL);
    return list.items;
}

static char **arguments_of(Arena *arena, const KubeExec *exec) {
    Vec(char *) list = {0};

    vec_push(arena, &list, (char *)arena_copy(arena, arena_text(arena, exec->command), exec->command.len + 1));
    for (vec_each(const Slice, argument, &exec->arguments))
        vec_push(arena, &list, (char *)arena_copy(arena, arena_text(arena, *argument), argument->len + 1));
    vec_push(arena, &list, NULL);
    return list.items;
}

// Resets the signals, which tenon's threads block, and makes a process group, which can be killed as a whole.
static void set_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, defaults;

    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &defaults);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

// Starts the plugin with its output in a pipe. Returns an errno, or 0.
static int spawn(Arena *arena, const KubeExec *exec, pid_t *ret_pid, int *ret_output) {
    char **arguments = arguments_of(arena, exec), **environment = environment_of(arena, exec);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int ends[2], failed;

    if (pipe2(ends, O_CLOEXEC))
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    set_attributes(&attributes);
    failed = posix_spawnp(ret_pid, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed)
        close(ends[0]);
    else
        *ret_output = ends[0];
    return failed;
}

// Time limits of a run.
typedef struct {
    HttpClient *client;
    Mono until;
} Patience;

static bool is_over(const Patience *patience) {
    return mono_reached(clock_system_mono(), patience->until) ||
           (patience->client && http_client_is_over(patience->client));
}

// Reads the output to its end. OK, ERR_TIMEOUT, ERR_TOO_LARGE, ERR_IO.
static ErrCode read_output(int output, const Patience *patience, Buffer *text) {
    char block[4096];

    while (text->len <= OUTPUT_BYTES_MAX) {
        struct pollfd ready = {.fd = output, .events = POLLIN};
        ssize_t got;

        if (is_over(patience))
            return ERR_TIMEOUT;
        if (poll(&ready, 1, POLL_MS) <= 0)
            continue;
        got = read(output, block, sizeof block);
        if (got == 0)
            return OK;
        if (got < 0 && errno != EINTR)
            return ERR_IO;
        if (got > 0)
            buffer_append(text, (Slice){block, (size_t)got});
    }
    return ERR_TOO_LARGE;
}

ErrCode plugin_read(Arena *arena, const KubeExec *exec, Slice text, PluginCredential *ret_credential, Err *err) {
    DocumentVec documents = {0};
    PluginCredential credential = {0};
    WarningVec warnings = {0};
    const Value *root;
    Slice ends;

    // The text is a secret, so the parser's message is not passed on.
    if (json_parse(arena, exec->command, text, NULL, &documents, &warnings, NULL) != OK || documents.count != 1)
        return err_set(err, ERR_INVALID, "credential plugin %.*s: expected one JSON document",
                       SLICE_ARG(exec->command));
    root = &documents.items[0].root;
    if (!slice_eq_text(kube_text(root, "kind", NULL), "ExecCredential") ||
        !slice_eq(kube_text(root, "apiVersion", NULL), exec->api_version))
        return err_set(err, ERR_INVALID, "credential plugin %.*s: expected an ExecCredential of %.*s",
                       SLICE_ARG(exec->command), SLICE_ARG(exec->api_version));
    credential.token = kube_text(root, "status", "token", NULL);
    credential.certificate_pem = kube_text(root, "status", "clientCertificateData", NULL);
    credential.key_pem = kube_text(root, "status", "clientKeyData", NULL);
    ends = kube_text(root, "status", "expirationTimestamp", NULL);
    if (!credential.certificate_pem.len != !credential.key_pem.len ||
        (!credential.token.len && !credential.certificate_pem.len))
        return err_set(err, ERR_INVALID,
                       "credential plugin %.*s: expected status.token, or clientCertificateData and clientKeyData",
                       SLICE_ARG(exec->command));
    // Times from 2262 on overflow int64 nanoseconds: never.
    if (ends.len && slice_cmp(slice_first(ends, 4), SLICE("2262")) < 0 &&
        time_parse(ends, &credential.ends_ns, NULL) != OK)
        return err_set(err, ERR_INVALID, "credential plugin %.*s: status.expirationTimestamp is not a time",
                       SLICE_ARG(exec->command));
    *ret_credential = credential;
    return OK;
}

// Waits for the process to end, which may be later than the end of its output.
static ErrCode await_end(pid_t pid, const Patience *patience, int *ret_status) {
    for (;;) {
        pid_t ended = waitpid(pid, ret_status, WNOHANG);

        if (ended == pid)
            return OK;
        if (ended < 0 && errno != EINTR)
            return ERR_IO;
        if (is_over(patience))
            return ERR_TIMEOUT;
        poll(NULL, 0, LOOK_MS);
    }
}

// Ends the run. `code`: result of reading the output.
static ErrCode finish(const KubeExec *exec, pid_t pid, ErrCode code, const Patience *patience, Err *err) {
    int status = 0;

    if (code == OK)
        code = await_end(pid, patience, &status);
    if (code != OK) {
        kill(-pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    if (code == ERR_TIMEOUT)
        return err_set(err, code, "credential plugin %.*s: took too long and was killed; run it by hand to see why",
                       SLICE_ARG(exec->command));
    if (code != OK)
        return err_set(err, ERR_IO, "credential plugin %.*s: its output cannot be read", SLICE_ARG(exec->command));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return OK;
    return err_set(err, ERR_IO, "credential plugin %.*s: failed with %s %d; run it by hand to see why",
                   SLICE_ARG(exec->command), WIFEXITED(status) ? "exit code" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

ErrCode plugin_run(Arena *arena, const KubeExec *exec, HttpClient *client, int64_t timeout_ns,
                   PluginCredential *ret_credential, Err *err) {
    const Patience patience = {client, mono_after(clock_system_mono(), timeout_ns)};
    Buffer text = {0};
    int output = -1, failed;
    ErrCode code;
    pid_t pid = -1;

    failed = spawn(arena, exec, &pid, &output);
    if (failed)
        return err_set(err, failed == ENOENT ? ERR_NOT_FOUND : ERR_IO, "credential plugin %.*s: %s%s%.*s",
                       SLICE_ARG(exec->command), strerror(failed), exec->install_hint.len ? "; " : "",
                       SLICE_ARG(exec->install_hint));
    code = read_output(output, &patience, &text);
    close(output);
    code = finish(exec, pid, code, &patience, err);
    if (code == OK)
        code = plugin_read(arena, exec, buffer_slice(&text), ret_credential, err);
    if (text.bytes)
        explicit_bzero(text.bytes, text.capacity);
    buffer_free(&text);
    return code;
}
