// INI texts, as the files of AWS's tools have them: sections, properties, and properties in properties.
//
//   [profile build]          a section; one that comes again goes on
//   region = us-east-1       a property; its name in lower case
//   services =               a property without a value has the indented ones below it
//     ec2 = …                a line that is indented below a value goes on with it, after a line feed
//   # or ;                   begin a comment, on a line of their own or after a space
#pragma once

#include "text/value.h"

enum {
    INI_BYTES_MAX = 1 << 20,
    INI_PROPERTIES_MAX = 10000,
    INI_CONTINUED_MAX = 4096
}; // the last: bytes of such a value

// Reads a text to a map of sections, which are maps of strings and, for properties in properties, of maps of strings.
// The last of two properties of a name counts. Everything is copied. O(length * properties). ERR_INVALID: a line that
// is none of these; the message names file and line, and repeats nothing of the text, which may be a secret.
// ERR_TOO_LARGE.
ErrCode ini_parse(Arena *arena, Slice file, Slice text, Value *ret_root, Err *err);
