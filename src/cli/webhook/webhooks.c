// Server and thread of the webhooks.
#include "cli/webhook/webhooks.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "base/time.h"
#include "cli/webhook/hook_bundles.h"
#include "legacy/admission/admission.h"
#include "net/server.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

struct Webhooks {
    WebhooksConfig config;
    pthread_t thread;
    pthread_mutex_t lock;  // guards the following members
    pthread_cond_t wakeup; // signalled when `over` changes
    bool over;
    uint16_t port;
    // The thread's.
    AdmissionHook hooks[ADMISSION_HOOKS]; // each its own number: what a route hands to the server's threads
    Server *server;                       // NULL: nothing is served yet
    Arena serving_arena;                  // of `serving`
    Certificate serving;
    Mono settles_at; // when the next certificate may be served; {0}: none waits
    char failure[ERR_TEXT_MAX];
};

// --- answering, on the server's threads

static void answer(void *self, const ServerRequest *request, ServerReply *reply) {
    const AdmissionHook *hook = self;
    Arena arena = {0};
    Err why;
    ErrCode code = admission_answer(&arena, *hook, server_body(request), &reply->body, &why);

    if (code == OK) {
        reply->content_type = "application/json";
    } else {
        reply->status = code == ERR_TOO_LARGE ? 413 : 400;
        buffer_printf(&reply->body, "%s\n", why.text);
    }
    arena_free(&arena);
}

static ErrCode serve(Webhooks *webhooks, const Certificate *certificate, Err *err) {
    ServerIdentity identity = {certificate->certificate_pem, certificate->key_pem};
    ServerOptions options = {.threads = WEBHOOKS_THREADS, .body_max = ADMISSION_BYTES_MAX, .identity = &identity};
    ServerRoute routes[ADMISSION_HOOKS];

    for (int i = 0; i < ADMISSION_HOOKS; i++) {
        webhooks->hooks[i] = (AdmissionHook)i;
        routes[i] = (ServerRoute){admission_path(webhooks->hooks[i]), answer, &webhooks->hooks[i]};
    }
    return server_start_with(routes, ADMISSION_HOOKS, &(ServerPlace){SLICE(""), webhooks->config.port}, &options,
                             &webhooks->server, err);
}

// --- the log

static void say(const Webhooks *webhooks, LogLevel level, const char *message, const char *key, Slice value) {
    json_log_say(webhooks->config.log, clock_system_wall_ns(), level, message, key, value, NULL);
}

// A failure is said once, until it is another one or over.
static void say_failure(Webhooks *webhooks, const char *what, const char *why) {
    char failure[ERR_TEXT_MAX];

    snprintf(failure, sizeof failure, "%s: %.900s", what, why);
    if (strcmp(failure, webhooks->failure) != 0)
        say(webhooks, LOG_ERROR, "cannot keep the webhooks", "error", slice_of(failure));
    memcpy(webhooks->failure, failure, sizeof failure);
}

static void say_served(const Webhooks *webhooks) {
    char port[8];

    snprintf(port, sizeof port, "%u", server_port(webhooks->server));
    say(webhooks, LOG_INFO, "serving webhooks", "port", slice_of(port));
}

// --- the certificate

static bool is_served(const Webhooks *webhooks, const Certificate *certificate) {
    return webhooks->server && slice_eq(webhooks->serving.certificate_pem, certificate->certificate_pem) &&
           slice_eq(webhooks->serving.key_pem, certificate->key_pem);
}

static void remember(Webhooks *webhooks, const Certificate *certificate) {
    arena_free(&webhooks->serving_arena);
    webhooks->serving_arena = (Arena){0};
    webhooks->serving.certificate_pem = arena_slice(&webhooks->serving_arena, certificate->certificate_pem);
    webhooks->serving.key_pem = arena_slice(&webhooks->serving_arena, certificate->key_pem);
    webhooks->settles_at = (Mono){0};
}

static bool begin(Webhooks *webhooks, const Certificate *certificate) {
    Err why;

    if (serve(webhooks, certificate, &why) != OK) {
        say_failure(webhooks, "serving", why.text);
        return false;
    }
    remember(webhooks, certificate);
    pthread_mutex_lock(&webhooks->lock);
    webhooks->port = server_port(webhooks->server);
    pthread_mutex_unlock(&webhooks->lock);
    say_served(webhooks);
    if (webhooks->config.served)
        webhooks->config.served(webhooks->config.self);
    return true;
}

// Whether the certificate that is served is trusted by what the configurations have now.
static bool is_trusted(const Webhooks *webhooks, const Certificate *next) {
    Certificate served = {webhooks->serving.key_pem, webhooks->serving.certificate_pem, next->authority_pem};
    CertificateRequest any = {.from_s = INT64_MAX};
    int64_t until_s;

    return certificate_is_sound(&served, &any, &until_s);
}

// Waits until the new authority has settled, unless the certificate that is served is not trusted anyway.
static bool change(Webhooks *webhooks, const Certificate *next) {
    Mono now = clock_system_mono();
    Err why;

    if (!webhooks->settles_at.ns && is_trusted(webhooks, next))
        webhooks->settles_at = mono_after(now, webhooks->config.settle_ns);
    if (webhooks->settles_at.ns > now.ns)
        return false;
    if (server_renew(webhooks->server, &(ServerIdentity){next->certificate_pem, next->key_pem}, &why) != OK) {
        say_failure(webhooks, "serving another certificate", why.text);
        return false;
    }
    remember(webhooks, next);
    say(webhooks, LOG_INFO, "serving webhooks with another certificate", NULL, SLICE(""));
    return true;
}

// One look. Returns whether everything is as it should be.
static bool look(Webhooks *webhooks, Arena *arena) {
    const WebhooksConfig *config = &webhooks->config;
    KubeError error = {0};
    HookSecret secret;
    uint32_t written;
    bool kept;

    if (hook_secret_keep(config->kube, arena, &config->service, clock_system_wall_ns() / NS_PER_S, &secret, &error) !=
        OK) {
        say_failure(webhooks, "the Secret of their certificate", error.err.text);
        return false;
    }
    if (secret.made)
        say(webhooks, LOG_INFO, "made a certificate for webhooks", NULL, SLICE(""));
    kept = hook_bundles_keep(config->kube, arena, &config->service, secret.certificate.authority_pem, &written,
                             &error) == OK;
    if (!kept)
        say_failure(webhooks, "their configurations", error.err.text);
    if (!webhooks->server)
        return begin(webhooks, &secret.certificate) && kept;
    return kept && (is_served(webhooks, &secret.certificate) || change(webhooks, &secret.certificate));
}

// --- the thread

// Sleeps; false: the thread is to end.
static bool rest(Webhooks *webhooks, int64_t rest_ns) {
    struct timespec at = timespec_of_ns(mono_after(clock_system_mono(), rest_ns).ns);
    bool over;

    pthread_mutex_lock(&webhooks->lock);
    while (!webhooks->over && pthread_cond_timedwait(&webhooks->wakeup, &webhooks->lock, &at) == 0) {
    }
    over = webhooks->over;
    pthread_mutex_unlock(&webhooks->lock);
    return !over;
}

static void *keep_looking(void *context) {
    Webhooks *webhooks = context;
    bool good;

    do {
        Arena arena = {0};

        good = look(webhooks, &arena);
        if (good)
            webhooks->failure[0] = '\0';
        arena_free(&arena);
    } while (rest(webhooks, good ? webhooks->config.look_ns : webhooks->config.retry_ns));
    return NULL;
}

static void discard(Webhooks *webhooks) {
    server_stop(webhooks->server);
    arena_free(&webhooks->serving_arena);
    pthread_cond_destroy(&webhooks->wakeup);
    pthread_mutex_destroy(&webhooks->lock);
    free(webhooks);
}

static ErrCode check_names(const HookService *service, Err *err) {
    if (!service->ns.len || service->ns.len > HOOK_NAME_MAX || !service->service.len ||
        service->service.len > HOOK_NAME_MAX)
        return err_set(err, ERR_INVALID,
                       "webhooks need a Service and its namespace, of at most %d bytes each: set --karpenter-service "
                       "and --leader-election-namespace",
                       HOOK_NAME_MAX);
    return OK;
}

static int64_t time_or(int64_t time_ns, int64_t preset_s) {
    return time_ns ? time_ns : preset_s * NS_PER_S;
}

ErrCode webhooks_start(const WebhooksConfig *config, Webhooks **ret_webhooks, Err *err) {
    Webhooks *webhooks;
    pthread_condattr_t attributes;
    ErrCode code;

    TRY(check_names(&config->service, err));
    webhooks = NEW(Webhooks);
    webhooks->config = *config;
    webhooks->config.look_ns = time_or(config->look_ns, WEBHOOKS_LOOK_S);
    webhooks->config.retry_ns = time_or(config->retry_ns, WEBHOOKS_RETRY_S);
    webhooks->config.settle_ns = time_or(config->settle_ns, WEBHOOKS_SETTLE_S);
    pthread_mutex_init(&webhooks->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&webhooks->wakeup, &attributes);
    pthread_condattr_destroy(&attributes);
    code = thread_start(&webhooks->thread, "webhooks", 0, keep_looking, webhooks, err);
    if (code == OK)
        *ret_webhooks = webhooks;
    else
        discard(webhooks);
    return code;
}

void webhooks_stop(Webhooks *webhooks) {
    if (!webhooks)
        return;
    pthread_mutex_lock(&webhooks->lock);
    webhooks->over = true;
    pthread_cond_signal(&webhooks->wakeup);
    pthread_mutex_unlock(&webhooks->lock);
    pthread_join(webhooks->thread, NULL);
    discard(webhooks);
}

uint16_t webhooks_port(Webhooks *webhooks) {
    uint16_t port;

    pthread_mutex_lock(&webhooks->lock);
    port = webhooks->port;
    pthread_mutex_unlock(&webhooks->lock);
    return port;
}
