// MIME multipart messages, as cloud-init takes them for user data: several documents in one, each with its type.
//
// A message is a block of headers with the type multipart/… and a boundary, an empty line, and the parts, each behind a
// line of "--" and the boundary. Headers may come in any order and lines may end in CR LF. Bodies are kept as they are
// written, encodings too. Grammar: RFC 2045, 2046, as far as such messages go: no comments, no nested messages.
#pragma once

#include "base/buffer.h"
#include "base/err.h"
#include "base/vec.h"

enum { MIME_BYTES_MAX = 1 << 20, MIME_PARTS_MAX = 256, MIME_HEADERS_MAX = 64 };

typedef struct {
    Slice name, value; // the value without the white space around it, and on one line
} MimeHeader;
typedef Vec(MimeHeader) MimeHeaderVec;

typedef struct {
    MimeHeaderVec headers; // in the order of the part
    Slice body;            // without the line break before the next boundary
} MimePart;
typedef Vec(MimePart) MimePartVec;

// Whether the text, but for white space before it, begins as a message does: "MIME-Version:" or "Content-Type:".
bool mime_is_message(Slice text);

// Reads a message; white space around it does not count. The parts are in `arena` and in `text`. O(length).
// ERR_INVALID: a header without a colon, a type that is not multipart or has no boundary, no end after the last part;
// the text names the line. ERR_TOO_LARGE: over one of the bounds above.
ErrCode mime_read(Arena *arena, Slice text, MimePartVec *ret_parts, Err *err);

// The value of a header of the part, the case of letters aside; empty: absent. O(headers).
Slice mime_header(const MimePart *part, Slice name);

// Writes a message of the type multipart/mixed with line feeds alone: carriage returns of the parts are left out.
// `boundary` must not stand at the start of a line of a body. O(length).
void mime_write(Buffer *out, Slice boundary, const MimePartVec *parts);
