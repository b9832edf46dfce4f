// The credentials of the instance's role.
#pragma once

#include "aws/credentials/source.h"

AwsSource *aws_metadata_source_new(const AwsSourceMakings *makings);
