// Making complaints. Private to src/legacy.
#pragma once

#include "legacy/complaints.h"

typedef struct {
    Arena *arena;
    ComplaintVec *complaints;
} Judge;

// Adds a complaint about one path; takes printf's format for the path.
__attribute__((format(printf, 3, 4))) Complaint *complain(const Judge *judge, Slice message, const char *path, ...);
// About two paths that exclude each other.
void complain_both(const Judge *judge, Slice first, Slice second);
// "invalid value: <value>"
Slice invalid_value(Arena *arena, Slice value);
// "invalid key name "<key>""
Slice invalid_key(Arena *arena, Slice key);

// `texts` ends with NULL.
bool text_is_one_of(Slice text, const char *const *texts);

// Parts of the rules. `judge_provisioner`: how nodes come and go.
void judge_provisioner(const Judge *judge, const OldProvisioner *provisioner);
void judge_labels(const Judge *judge, const TextMap *labels);
void judge_taints(const Judge *judge, const OldProvisioner *provisioner);
void judge_requirements(const Judge *judge, const OldRequirementVec *requirements);
void judge_kubelet(const Judge *judge, const OldKubelet *kubelet);
// `place`: "spec.provider" for an AWSNodeTemplate, as upstream said it, "provider" for an inline one.
void judge_aws(const Judge *judge, const char *place, const OldAws *settings);
// What an AWSNodeTemplate has besides.
void judge_template(const Judge *judge, const OldAws *settings);
