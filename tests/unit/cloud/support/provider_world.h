// A provider of AWS for tests of its market and its news: a script of answers, a clock that only moves when it is told
// to, a ConfigMap, and what was logged.
#pragma once

#include "aws/support/environment.h"
#include "aws/support/memory.h"
#include "base/buffer.h"
#include "cloud/aws/provider/classes.h"
#include "cloud/aws/provider/market.h"
#include "cloud/aws/provider/news.h"
#include "cloud/aws/provider/parts.h"
#include "cloud/support/class.h"

// What is answered to a request whose URL, headers and body contain the texts; `most` times (0: always).
typedef struct {
    const char *has, *and_has; // and_has NULL: nothing further
    MemoryReply reply;
    uint32_t most, used;
} Scripted;

typedef struct {
    MemoryTransport *memory;
    TestEnvironment *environment;
    AwsSession *session;
    TestClass *first; // owns the symbols; never a class of the provider
    Symbols *symbols;
    AwsProvider *provider;
    Arena arena;
    Vec(Scripted) script; // the first one that fits and is not used up
    Vec(ClassSnapshot *) snapshots;
    Vec(TestClass *) classes;
    Buffer log; // "message [subject] text\n"
    CloudError error;
    // The API server: one ConfigMap, whose data is that; NULL: there is none.
    Value *config_map;
    ErrCode kube_get_code, kube_patch_code; // failures
    uint32_t kube_gets, kube_patches, kube_creates;
} ProviderWorld;

// Settings of the provider; NULL: those that it has without any, with a queue "q" and cluster "c".
ProviderWorld *provider_world(const char *region, const AwsProviderSettings *settings);
void provider_world_free(ProviderWorld *w);
// Ends the provider and makes another, as after a restart.
void provider_world_restart(ProviderWorld *w);

void provider_script(ProviderWorld *w, const char *has, const char *body);
void provider_script_reply(ProviderWorld *w, Scripted scripted);
// Forgets the script.
void provider_script_end(ProviderWorld *w);
// How many requests contained the text.
uint32_t provider_asked(const ProviderWorld *w, const char *has);

// Publishes a class of that name: of the lines (as test_class) and a status with subnets in us-east-1a to c, whose
// zones have ids use1-az1 to az3, unless the lines have a status. Its images are those of the status. The snapshot.
const ClassSnapshot *provider_class(ProviderWorld *w, const char *name, const char *lines);

// An instance type of a class' list as it is now, "spot:a+b- on-demand:a+b- …" of the zones' last letters, and for a
// reservation "reserved:a+id=room". "?": no list. "-": no such type.
const char *provider_offers(ProviderWorld *w, const char *class_name, const char *type);

// A mark of an offering.
void provider_mark_offering(ProviderWorld *w, const char *capacity_type, const char *type, const char *zone);
Symbol provider_word(ProviderWorld *w, const char *text);
// Hands over a list of instances: "i-1 i-2:cr-1" of m5.large on spot in us-east-1a, the second one of a reservation.
void provider_listed(ProviderWorld *w, const char *instances);
CloudInstance provider_an_instance(ProviderWorld *w, Slice text);
// "spot_interrupted i-1 i-2; …" with "!" behind a repeated message.
const char *provider_messages(ProviderWorld *w, const CloudMessageVec *messages);
// Whether something was logged.
bool provider_logged(ProviderWorld *w, const char *text);
