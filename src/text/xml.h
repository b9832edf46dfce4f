// XML texts as events. expat is used only here (xml.c).
//
// What web services answer: elements and character data. Attributes, comments and processing instructions are skipped,
// names lose their prefix ("aws:Code" is Code). A document type declaration is refused, and with it every entity but
// XML's own five: nothing expands.
#pragma once

#include "base/err.h"
#include "base/slice.h"

// Who is told. Slices are valid during the call.
typedef struct {
    void *context;
    // An element begins. False: nothing is told of it, nor of what is in it.
    bool (*open)(void *context, Slice name);
    // An element that was opened ends. `text`: its character data, of an element with children what follows the last.
    // Not OK: reading ends with that code; `err` says why.
    ErrCode (*close)(void *context, Slice name, Slice text, Err *err);
} XmlSink;

// Bounds; {0} means the defaults.
typedef struct {
    size_t bytes_max;      // of the document; 64 MiB
    uint32_t depth_max;    // nesting; 64
    uint32_t elements_max; // in the document, skipped ones included; 5 million
} XmlLimits;

// Reads one document. Memory: expat's, and the longest character data. O(length). ERR_INVALID: not well-formed, or it
// has a document type; the text names the line. ERR_TOO_LARGE: a limit. On an error the sink was told what stands
// before it.
ErrCode xml_read(Slice text, const XmlLimits *limits, const XmlSink *sink, Err *err);
