// The current credential, and its renewal.
#include "kube/rest/credentials.h"

#include "base/alloc.h"
#include "base/check.h"
#include "kube/config/config_file.h"
#include "kube/rest/plugin.h"
#include "net/base64.h"

#include <pthread.h>

enum { TOKEN_FILE_EVERY_S = 60, BEFORE_THE_END_S = 10, PLUGIN_REST_S = 10 };

struct Credentials {
    const KubeConfig *config;
    HttpClient *client;
    int64_t plugin_max_ns;
    CredentialsClock clock;
    pthread_mutex_t lock; // guards the following members
    Arena arena;          // of `current`; freed at each renewal
    Credential current;
    Mono renew, ends; // of `current`: when to renew it, and until when it is valid; {0}: at once, not valid any more
    Mono plugin_failed, plugin_refused;
    Err failure; // last failure of the plugin
};

static Mono now_of(const Credentials *credentials) {
    return credentials->clock.now(credentials->clock.context);
}

Credentials *credentials_new(const KubeConfig *config, HttpClient *client, int64_t plugin_max_ns,
                             CredentialsClock clock) {
    Credentials *credentials = NEW(Credentials);

    credentials->config = config;
    credentials->client = client;
    credentials->plugin_max_ns = plugin_max_ns;
    credentials->clock = clock;
    pthread_mutex_init(&credentials->lock, NULL);
    return credentials;
}

void credentials_free(Credentials *credentials) {
    if (!credentials)
        return;
    pthread_mutex_destroy(&credentials->lock);
    arena_free(&credentials->arena);
    free(credentials);
}

// Sets the Authorization header. A token must not contain line breaks.
static ErrCode bearer(Arena *arena, Slice token, const char *where, Credential *credential, Err *err) {
    for (size_t i = 0; i < token.len; i++) {
        if ((unsigned char)token.ptr[i] <= ' ' || token.ptr[i] == 0x7f)
            return err_set(err, ERR_INVALID, "%s: a token has no blanks and no line breaks", where);
    }
    credential->authorization = arena_printf(arena, "Bearer %.*s", SLICE_ARG(token));
    return OK;
}

static ErrCode from_file(Arena *arena, const KubeConfig *config, Credential *credential, Err *err) {
    const char *path = arena_text(arena, config->token_file);
    Slice text;

    TRY(config_read_file(arena, path, &text, err));
    text = slice_trim(text);
    if (!text.len)
        return err_set(err, ERR_INVALID, "%s: expected a token, got an empty file", path);
    return bearer(arena, text, path, credential, err);
}

// A new credential and its times.
typedef struct {
    Credential credential;
    Mono renew, ends;
} Fresh;

static ErrCode from_plugin(Arena *arena, const Credentials *credentials, Fresh *fresh, Err *err) {
    const KubeExec *exec = &credentials->config->exec;
    PluginCredential plugin;

    TRY(plugin_run(arena, exec, credentials->client, credentials->plugin_max_ns, &plugin, err));
    if (plugin.token.len)
        TRY(bearer(arena, plugin.token, arena_text(arena, exec->command), &fresh->credential, err));
    if (plugin.certificate_pem.len)
        fresh->credential.identity = (HttpIdentity){plugin.certificate_pem, plugin.key_pem};
    if (plugin.ends_ns) {
        int64_t left_ns = plugin.ends_ns - credentials->clock.wall_ns(credentials->clock.context);

        fresh->ends = mono_after(now_of(credentials), left_ns);
        fresh->renew = mono_after(fresh->ends, -BEFORE_THE_END_S * NS_PER_S);
    }
    return OK;
}

static bool is_from_plugin(const KubeConfig *config) {
    return !config->token_file.len && !config->token.len && !config->user.len && config->exec.command.len;
}

// Makes a credential from the first that is configured of token file, token, user and password; and besides them the
// client certificate, or the plugin.
static ErrCode make(Arena *arena, const Credentials *credentials, Fresh *fresh, Err *err) {
    const KubeConfig *config = credentials->config;
    Credential *credential = &fresh->credential;

    fresh->renew = fresh->ends = MONO_END;
    credential->identity = (HttpIdentity){config->certificate_pem, config->key_pem};
    if (config->token_file.len) {
        fresh->renew = mono_after(now_of(credentials), TOKEN_FILE_EVERY_S * NS_PER_S);
        return from_file(arena, config, credential, err);
    }
    if (config->token.len)
        return bearer(arena, config->token, "the kubeconfig's token", credential, err);
    if (config->user.len) {
        Slice pair = arena_printf(arena, "%.*s:%.*s", SLICE_ARG(config->user), SLICE_ARG(config->password));

        credential->authorization = arena_printf(arena, "Basic %.*s", SLICE_ARG(base64_encode(arena, pair)));
        return OK;
    }
    return is_from_plugin(config) ? from_plugin(arena, credentials, fresh, err) : OK;
}

static bool rests(const Credentials *credentials, Mono since) {
    return mono_since(now_of(credentials), since) < PLUGIN_REST_S * NS_PER_S;
}

static ErrCode renew(Credentials *credentials, Err *err) {
    Fresh fresh = {.credential.generation = credentials->current.generation + 1};
    Arena arena = {0};
    ErrCode code;

    if (rests(credentials, credentials->plugin_failed))
        return err_set(err, credentials->failure.code, "%s", credentials->failure.text);
    code = make(&arena, credentials, &fresh, err);
    if (code != OK) {
        arena_free(&arena);
        if (is_from_plugin(credentials->config)) {
            credentials->plugin_failed = now_of(credentials);
            credentials->failure = *err;
        }
        return code;
    }
    arena_free(&credentials->arena);
    credentials->arena = arena;
    credentials->current = fresh.credential;
    credentials->renew = fresh.renew;
    credentials->ends = fresh.ends;
    credentials->plugin_failed = (Mono){0};
    return OK;
}

ErrCode credentials_get(Credentials *credentials, Arena *arena, Credential *ret_credential, Err *err) {
    const Credential *current = &credentials->current;
    Err failure = {0};
    ErrCode code = OK;

    pthread_mutex_lock(&credentials->lock);
    if (mono_reached(now_of(credentials), credentials->renew))
        code = renew(credentials, &failure);
    if (code == OK || !mono_reached(now_of(credentials), credentials->ends)) {
        *ret_credential = (Credential){.authorization = arena_slice(arena, current->authorization),
                                       .identity = {arena_slice(arena, current->identity.certificate_pem),
                                                    arena_slice(arena, current->identity.key_pem)},
                                       .generation = current->generation};
        code = OK;
    }
    pthread_mutex_unlock(&credentials->lock);
    return code == OK ? OK : err_set(err, code, "%s", failure.text);
}

bool credentials_refused(Credentials *credentials, uint64_t generation) {
    const KubeConfig *config = credentials->config;
    bool again = config->token_file.len || is_from_plugin(config);

    if (!again)
        return false;
    pthread_mutex_lock(&credentials->lock);
    if (credentials->current.generation == generation) {
        again = !rests(credentials, credentials->plugin_refused);
        if (again)
            credentials->renew = credentials->ends = (Mono){0};
        if (again && is_from_plugin(config))
            credentials->plugin_refused = now_of(credentials);
    }
    pthread_mutex_unlock(&credentials->lock);
    return again;
}
