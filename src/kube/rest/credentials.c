// The credential of the moment, and when to get another one.
#include "kube/rest/credentials.h"

#include "base/check.h"
#include "kube/config/config_parts.h"
#include "kube/rest/plugin.h"
#include "net/base64.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static const int64_t SECOND_NS = 1000000000;
enum { TOKEN_FILE_EVERY_S = 60, BEFORE_THE_END_S = 10 };

struct Credentials {
    const KubeConfig *config;
    pthread_mutex_t lock;
    Arena arena; // of what follows; freed with each renewal
    Credential current;
    int64_t renew_ns; // since 1970; 0: now
};

Credentials *credentials_new(const KubeConfig *config) {
    Credentials *credentials = calloc(1, sizeof *credentials);

    CHECK(credentials, "no memory for credentials");
    credentials->config = config;
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

static int64_t now_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

// A token may not carry anything that would end its header.
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

static ErrCode from_plugin(Arena *arena, const KubeConfig *config, Credential *credential, int64_t *ret_renew_ns,
                           Err *err) {
    PluginCredential plugin;

    TRY(plugin_run(arena, &config->exec, &plugin, err));
    if (plugin.token.len)
        TRY(bearer(arena, plugin.token, arena_text(arena, config->exec.command), credential, err));
    if (plugin.certificate_pem.len)
        credential->identity = (HttpIdentity){plugin.certificate_pem, plugin.key_pem};
    *ret_renew_ns = plugin.ends_ns ? plugin.ends_ns - BEFORE_THE_END_S * SECOND_NS : INT64_MAX;
    return OK;
}

// The first that is there: token file, token, user and password; and beside them the certificate, or the plugin.
static ErrCode make(Arena *arena, const KubeConfig *config, Credential *credential, int64_t *ret_renew_ns, Err *err) {
    *ret_renew_ns = INT64_MAX;
    credential->identity = (HttpIdentity){config->certificate_pem, config->key_pem};
    if (config->token_file.len) {
        *ret_renew_ns = now_ns() + TOKEN_FILE_EVERY_S * SECOND_NS;
        return from_file(arena, config, credential, err);
    }
    if (config->token.len)
        return bearer(arena, config->token, "the kubeconfig's token", credential, err);
    if (config->user.len) {
        Slice pair = arena_printf(arena, "%.*s:%.*s", SLICE_ARG(config->user), SLICE_ARG(config->password));

        credential->authorization = arena_printf(arena, "Basic %.*s", SLICE_ARG(base64_encode(arena, pair)));
        return OK;
    }
    if (config->exec.command.len)
        return from_plugin(arena, config, credential, ret_renew_ns, err);
    return OK;
}

static ErrCode renew(Credentials *credentials, Err *err) {
    Credential fresh = {.generation = credentials->current.generation + 1};
    int64_t renew_ns;
    Arena arena = {0};
    ErrCode code = make(&arena, credentials->config, &fresh, &renew_ns, err);

    if (code != OK) {
        arena_free(&arena);
        return code;
    }
    arena_free(&credentials->arena);
    credentials->arena = arena;
    credentials->current = fresh;
    credentials->renew_ns = renew_ns;
    return OK;
}

ErrCode credentials_get(Credentials *credentials, Arena *arena, Credential *ret_credential, Err *err) {
    const Credential *current = &credentials->current;
    ErrCode code = OK;

    pthread_mutex_lock(&credentials->lock);
    if (now_ns() >= credentials->renew_ns)
        code = renew(credentials, err);
    if (code == OK)
        *ret_credential = (Credential){.authorization = arena_slice(arena, current->authorization),
                                       .identity = {arena_slice(arena, current->identity.certificate_pem),
                                                    arena_slice(arena, current->identity.key_pem)},
                                       .generation = current->generation};
    pthread_mutex_unlock(&credentials->lock);
    return code;
}

bool credentials_refused(Credentials *credentials, uint64_t generation) {
    const KubeConfig *config = credentials->config;

    if (!config->token_file.len && (config->token.len || config->user.len || !config->exec.command.len))
        return false;
    pthread_mutex_lock(&credentials->lock);
    if (credentials->current.generation == generation)
        credentials->renew_ns = 0;
    pthread_mutex_unlock(&credentials->lock);
    return true;
}
