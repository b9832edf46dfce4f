// XML texts as events, from expat's.
#include "text/xml.h"

#include "base/buffer.h"
#include "base/check.h"

#include <expat.h>

enum { BYTES_MAX_DEFAULT = 64 << 20, XML_DEPTH_MAX_DEFAULT = 64, ELEMENTS_MAX_DEFAULT = 5000000 };
enum { PIECE = 1 << 20 }; // expat takes lengths as int

typedef struct {
    XML_Parser parser;
    XmlLimits limits;
    const XmlSink *sink;
    Buffer text; // character data since the last tag
    uint32_t depth, elements;
    uint32_t skipped_from; // depth of the element that the sink left out; 0: none
    ErrCode code;          // why reading was stopped
    Err *err;
} XmlReader;

static void stop(XmlReader *reader, ErrCode code) {
    reader->code = code;
    (void)XML_StopParser(reader->parser, XML_FALSE);
}

static unsigned long line_now(const XmlReader *reader) {
    return (unsigned long)XML_GetCurrentLineNumber(reader->parser);
}

static Slice without_prefix(const char *name) {
    const char *colon = strrchr(name, ':');

    return slice_of(colon && colon[1] ? colon + 1 : name);
}

static void XMLCALL on_open(void *context, const XML_Char *name, const XML_Char **attributes) {
    XmlReader *reader = context;

    (void)attributes;
    if (reader->code != OK)
        return;
    if (++reader->depth > reader->limits.depth_max) {
        stop(reader, err_set(reader->err, ERR_TOO_LARGE, "XML nested deeper than %u (line %lu)",
                             reader->limits.depth_max, line_now(reader)));
        return;
    }
    if (++reader->elements > reader->limits.elements_max) {
        stop(reader, err_set(reader->err, ERR_TOO_LARGE, "XML of more than %u elements (line %lu)",
                             reader->limits.elements_max, line_now(reader)));
        return;
    }
    reader->text.len = 0;
    if (!reader->skipped_from && !reader->sink->open(reader->sink->context, without_prefix(name)))
        reader->skipped_from = reader->depth;
}

static void XMLCALL on_close(void *context, const XML_Char *name) {
    XmlReader *reader = context;
    ErrCode code;

    if (reader->code != OK)
        return;
    if (!reader->skipped_from) {
        code =
            reader->sink->close(reader->sink->context, without_prefix(name), buffer_slice(&reader->text), reader->err);
        if (code != OK)
            stop(reader, code);
    } else if (reader->skipped_from == reader->depth) {
        reader->skipped_from = 0;
    }
    reader->text.len = 0;
    reader->depth--;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int len) {
    XmlReader *reader = context;

    if (reader->code == OK && !reader->skipped_from)
        buffer_append(&reader->text, (Slice){text, (size_t)len});
}

static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset) {
    XmlReader *reader = context;

    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    if (reader->code == OK)
        stop(reader, err_set(reader->err, ERR_INVALID, "XML with a document type declaration, which is refused"));
}

// Feeds the text piece by piece.
static ErrCode feed(XmlReader *reader, Slice text) {
    bool is_last;

    do {
        Slice piece = slice_first(text, PIECE);
        enum XML_Status status;

        text = slice_from(text, piece.len);
        is_last = slice_is_empty(text);
        status = XML_Parse(reader->parser, piece.ptr, (int)piece.len, is_last);
        if (reader->code != OK)
            return reader->code;
        if (status != XML_STATUS_OK)
            return err_set(reader->err, ERR_INVALID, "not XML: %s (line %lu)",
                           XML_ErrorString(XML_GetErrorCode(reader->parser)), line_now(reader));
    } while (!is_last);
    return OK;
}

static XmlLimits limits_or_defaults(const XmlLimits *limits) {
    XmlLimits all = limits ? *limits : (XmlLimits){0};

    if (!all.bytes_max)
        all.bytes_max = BYTES_MAX_DEFAULT;
    if (!all.depth_max)
        all.depth_max = XML_DEPTH_MAX_DEFAULT;
    if (!all.elements_max)
        all.elements_max = ELEMENTS_MAX_DEFAULT;
    return all;
}

ErrCode xml_read(Slice text, const XmlLimits *limits, const XmlSink *sink, Err *err) {
    XmlReader reader = {.limits = limits_or_defaults(limits), .sink = sink, .err = err};
    ErrCode code;

    if (text.len > reader.limits.bytes_max)
        return err_set(err, ERR_TOO_LARGE, "XML of %zu bytes, more than %zu", text.len, reader.limits.bytes_max);
    reader.parser = XML_ParserCreate(NULL);
    CHECK(reader.parser, "out of memory for an XML parser");
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, on_open, on_close);
    XML_SetCharacterDataHandler(reader.parser, on_text);
    XML_SetStartDoctypeDeclHandler(reader.parser, on_doctype);
    code = feed(&reader, text);
    XML_ParserFree(reader.parser);
    buffer_free(&reader.text);
    return code;
}
