// Run: runs of `tenon plan` in tests: texts in, output out.
#pragma once

#include "cli/plan.h"
#include "harness/test.h"
#include "text/value.h"

typedef struct Run Run;

// A Run with the KWOKNodeClass "default", with run_catalogue as its catalogue and without times.
Run *run_setup(void);
void run_teardown(Run *run);
FIXTURE(Run, run_setup, run_teardown);

// Three types of 2, 4 and 8 CPUs ("two" $0.10, "four" $0.20, "eight" $0.40 on-demand, spot at 60 %), zones a and b.
extern const char run_catalogue[];

// The options that a test may change before run_plan.
PlanOptions *run_options(Run *run);
// Adds a manifest; `text` must outlive the run.
void run_add(Run *run, const char *file, const char *text);
// Adds a file of the repository, by its path from there.
void run_add_file(Run *run, const char *path);

// Plans and returns the exit status. Earlier output is dropped.
int run_plan(Run *run);
const char *run_out(Run *run);
const char *run_messages(Run *run);
// Standard output as JSON (fails the test when it is not), or as the documents of a YAML stream.
const Value *run_json(Run *run);
DocumentVec run_yaml(Run *run);

// The text of a scalar below `value` by keys and list indexes ("nodeClaims 0 choice zone"); "(none)" when absent, "[]"
// and "{}" for empty lists and maps; a list of scalars is joined with spaces.
const char *value_path(Run *run, const Value *value, const char *path);

// The longest line in columns (UTF-8 characters).
size_t longest_line(const char *text);

#define assert_path(run, value, path, expected) assert_string_equal(value_path((run), (value), (path)), (expected))

// Manifests in flow style.
#define OBJECT(text) "---\n{" text "}\n"
#define POOL_WITH(name, spec, template)                                                                                \
    OBJECT("apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name ", uid: uid-" name "}, spec: {" spec  \
           "template: {" template "}}")
#define CLASS_REF  "nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}"
#define POOL(name) POOL_WITH(name, "", "spec: {" CLASS_REF ", requirements: []}")
// A pod that requests `cpu`; `spec` is empty or starts with a comma.
#define POD(name, cpu, spec)                                                                                           \
    OBJECT("apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {app: " name                                 \
           "}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: " cpu "}}}]" spec "}")
#define DEPLOYMENT(name, replicas, cpu, spec)                                                                          \
    OBJECT("apiVersion: apps/v1, kind: Deployment, metadata: {name: " name "}, spec: {replicas: " replicas             \
           ", selector: {matchLabels: {app: " name "}}, template: {metadata: {labels: {app: " name                     \
           "}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: " cpu "}}}]" spec "}}}")
