// An environment with an EC2NodeClass "default" that the cloud looks up.
#pragma once

#include "ctl/class/class.h"
#include "ctl/support/env.h"

#define EC2_REF "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}"

// Settings of a cloud that looks up EC2NodeClasses.
Settings class_settings(void);
// With `controller` and without a class; the cloud finds it ready, asks again after 5 minutes, and has a hash "77" of
// version v6.
TestEnv *class_env(const Controller *controller);
// Puts the class.
void class_put(TestEnv *env);
// Puts a NodeClaim "name" of the class, with more members of its metadata ("" or ", annotations: {…}").
void class_put_claim(TestEnv *env, const char *name, const char *metadata);
