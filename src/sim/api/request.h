// Request: start, end and failures of a call of the API server.
#pragma once

#include "sim/api/server.h"

// Starts a call: takes the lock and marks the scratch memory. request_end undoes both.
Request request_start(ApiServer *server, KubeKind kind, KubeError *error);
void request_end(Request *request);

// A request inside the same call, about another object.
Request request_about(const Request *request, KubeKind kind, Slice key);
void request_name(Request *request, Slice ns, Slice name);

// The present time as "2026-11-21T05:00:00Z".
Slice request_now(const Request *request);
// The tree of an entry with its resourceVersion. Texts point into the entry's version, which lives until the end of the
// call: if the call replaces it, the history holds it.
Value request_open(const Request *request, const Entry *entry);

// Returns an entry's object to the caller; `ret_object` NULL: not wanted.
void request_answer(const Request *request, const Entry *entry, Arena *arena, Value *ret_object);

// Failures with Kubernetes' messages.
ErrCode fail_not_found(const Request *request);
ErrCode fail_conflict(const Request *request, const char *why);

// The object of that name has another uid than the precondition.
ErrCode fail_other_uid(const Request *request, Slice wanted, Slice uid);

// "Pod "x" is invalid: path: problem".
__attribute__((format(printf, 3, 4))) ErrCode fail_invalid(const Request *request, const char *path, const char *format,
                                                           ...);
__attribute__((format(printf, 2, 3))) ErrCode fail_forbidden(const Request *request, const char *format, ...);

#ifdef __clang_analyzer__ // as in base/err.h
#define fail_invalid(...)   ((void)fail_invalid(__VA_ARGS__), ERR_INVALID)
#define fail_forbidden(...) ((void)fail_forbidden(__VA_ARGS__), ERR_DENIED)
#endif

// The entry that the request names; else NotFound.
ErrCode request_find(const Request *request, Entry **ret_entry);

// Writes a new version of an existing object, or creates it (`entry` NULL), and updates the garbage collector's queues.
// `object` is the request's own tree.
ErrCode request_write(const Request *request, Entry *entry, Value *object, Entry **ret_entry);

// Removes an object, and updates the garbage collector's queues.
void request_remove(const Request *request, Entry *entry);
