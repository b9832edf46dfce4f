// The chain: which source of credentials the settings mean. Behaviour: reference aws.md 8, in the SDK's order: keys of
// the environment, a web identity, the profile, a container, the instance.
#pragma once

#include "aws/credentials/source.h"

// Chooses; nothing is asked of anybody yet. ERR_INVALID: settings that are half there, contradict each other, or want
// what tenon does not do (programs, single sign-on); the message names the variable or property.
ErrCode aws_chain_choose(const AwsSourceMakings *makings, AwsSource **ret_source, Err *err);
