// Keys that do not change: of the environment, or written in a profile.
#pragma once

#include "aws/credentials/source.h"

// Copies the keys. `name` is a constant.
AwsSource *aws_static_source_new(const char *name, const AwsKeys *keys);
