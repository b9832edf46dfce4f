// A State in tests: objects given as YAML, and the answers as short texts.
#pragma once

#include "harness/test.h"
#include "state/state.h"

typedef struct {
    State *state;
    Arena arena; // texts and trees
    KubeRevision revision;
    StateChange change; // the last one
} Mirror;

Mirror *mirror_new(void);
void mirror_free(Mirror *mirror);

// One object of a YAML text in flow style, made with printf. The test fails when it is none.
__attribute__((format(printf, 2, 3))) Value mirror_object(Mirror *mirror, const char *format, ...);

// Puts the object in (with the next revision when it gives none), or takes it out. Whether anything changed.
bool mirror_put(Mirror *mirror, KubeKind kind, const Value *object);
bool mirror_take(Mirror *mirror, KubeKind kind, const Value *object);
// Both steps at once.
#define mirror_add(mirror, kind, ...)                                                                                  \
    do {                                                                                                               \
        Value object_ = mirror_object((mirror), __VA_ARGS__);                                                          \
                                                                                                                       \
        assert_true(mirror_put((mirror), (kind), &object_));                                                           \
    } while (0)
#define mirror_remove(mirror, kind, ...)                                                                               \
    do {                                                                                                               \
        Value object_ = mirror_object((mirror), __VA_ARGS__);                                                          \
                                                                                                                       \
        assert_true(mirror_take((mirror), (kind), &object_));                                                          \
    } while (0)

Symbol mirror_symbol(Mirror *mirror, const char *text);
// The object of that name; ns NULL: of a cluster-wide kind.
Handle mirror_find(Mirror *mirror, KubeKind kind, const char *ns, const char *name);
// "a b c": the names of handles in their order; "" when there are none.
const char *mirror_names(Mirror *mirror, KubeKind kind, const HandleVec *handles);
// {"cpu":"1"}
const char *mirror_resources(Mirror *mirror, const Resources *list);
