// The options of `tenon run` that are about AWS: held to what they may be, and as settings of the provider. Reference
// aws.md 9.
#pragma once

#include "cli/run/manager_options.h"
#include "cloud/aws/provider/provider.h"

// Decides on the provider where none is named, and checks what is for AWS if it is that; sets the gates. ERR_INVALID:
// the text names flag and variable, and what to set.
ErrCode aws_options_check(ManagerOptions *options, Err *err);

// The checks of single values, whatever the provider is.
ErrCode aws_options_check_values(const ManagerOptions *options, Err *err);

bool aws_options_are_used(const ManagerOptions *options); // the provider is AWS
// Of checked options. Texts are those of the options.
AwsProviderSettings aws_options_settings(const ManagerOptions *options);
