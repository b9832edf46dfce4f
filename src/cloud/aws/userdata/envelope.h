// The MIME message in which AL2 and AL2023 get their user data: the user's parts, then tenon's. Reference aws.md 5.5.
#pragma once

#include "cloud/aws/userdata/userdata.h"
#include "text/mime.h"

#define SHELL_SCRIPT_TYPE "text/x-shellscript; charset=\"us-ascii\""
#define NODE_CONFIG_TYPE  "application/node.eks.aws"

// Adds the user's own user data: the parts of a message with their headers, sorted by name; else one part. What is no
// message is a shell script, or, where `node_configs`, a NodeConfig if it is a map in YAML. Empty text adds nothing.
// ERR_INVALID, ERR_TOO_LARGE: as mime_read.
ErrCode envelope_add_custom(Arena *arena, Slice custom, bool node_configs, MimePartVec *parts, Err *err);

void envelope_add(Arena *arena, MimePartVec *parts, Slice type, Slice body);

// The message, in `arena`.
Slice envelope_write(Arena *arena, const MimePartVec *parts);
