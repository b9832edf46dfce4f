// TOML documents: sections, keys, arrays and inline tables.
//
// A table can be opened by a heading, by dotted keys, as a section above another one, or inline, and what may still be
// added to it depends on which: so the document is first a tree of nodes that know it, in whose place the Values come
// at the end.
#include "text/toml/toml.h"

#include "base/map.h"
#include "text/document.h"
#include "text/quote.h"
#include "text/toml/toml_scalar.h"

typedef enum { NODE_SCALAR, NODE_TABLE, NODE_ARRAY, NODE_SECTIONS /* of [[…]] */ } NodeKind;

// How a table came to be.
typedef enum {
    TABLE_ABOVE,  // above a section: a heading may still open it
    TABLE_HEADED, // by a heading
    TABLE_DOTTED, // by dotted keys, which may add to it
    TABLE_INLINE, // nothing is added
} TableOrigin;

typedef struct Node Node;
typedef struct {
    Slice key;
    uint32_t line;
    Node *node;
} NodeMember;

struct Node {
    NodeKind kind;
    TableOrigin origin;
    uint32_t line, depth;
    Value scalar;
    Vec(NodeMember) members; // NODE_TABLE; of the others the elements, without keys
    IndexMap index;          // of the members, by hash
};

static Node *node_new(TomlReader *reader, NodeKind kind, TableOrigin origin, uint32_t depth) {
    Node *node = arena_new(reader->arena, Node);

    node->kind = kind;
    node->origin = origin;
    node->line = reader->line;
    node->depth = depth;
    return node;
}

static Node *find(const Node *table, Slice key) {
    uint64_t hash = slice_hash(key);
    uint32_t cursor = 0, at;

    while ((at = index_map_next(&table->index, hash, &cursor)) != INDEX_NONE) {
        if (slice_eq(table->members.items[at].key, key))
            return table->members.items[at].node;
    }
    return NULL;
}

static void add(TomlReader *reader, Node *table, Slice key, Node *node) {
    index_map_add(reader->arena, &table->index, slice_hash(key), table->members.count);
    vec_push(reader->arena, &table->members, (NodeMember){key, reader->line, node});
}

static ErrCode check_depth(const TomlReader *reader, uint32_t depth) {
    if (depth < TOML_DEPTH_MAX)
        return OK;
    return err_set(reader->err, ERR_TOO_LARGE, "TOML, line %u: nested deeper than %d", reader->line, TOML_DEPTH_MAX);
}

// --- white space and line ends

static void skip_blanks(TomlReader *reader) {
    while (toml_peek(reader, 0) == ' ' || toml_peek(reader, 0) == '\t')
        reader->at++;
}

static bool at_end(const TomlReader *reader) {
    return reader->at >= reader->text.len;
}

// Skips a comment up to the end of its line.
static ErrCode skip_comment(TomlReader *reader) {
    if (toml_peek(reader, 0) != '#')
        return OK;
    for (; !at_end(reader); reader->at++) {
        char c = toml_peek(reader, 0);

        if (c == '\n' || (c == '\r' && toml_peek(reader, 1) == '\n'))
            return OK;
        if (((unsigned char)c < 0x20 && c != '\t') || c == 0x7f)
            return toml_fail(reader, "a control character in a comment");
    }
    return OK;
}

// Skips a line break. False: there is none.
static bool skip_newline(TomlReader *reader) {
    size_t len = toml_peek(reader, 0) == '\r' ? 2 : 1;

    if (toml_peek(reader, len - 1) != '\n')
        return false;
    reader->at += len;
    reader->line++;
    return true;
}

// Blanks, comments and line breaks, as between the elements of an array.
static ErrCode skip_lines(TomlReader *reader) {
    do {
        skip_blanks(reader);
        TRY(skip_comment(reader));
    } while (skip_newline(reader));
    return OK;
}

static ErrCode expect_line_end(TomlReader *reader) {
    skip_blanks(reader);
    TRY(skip_comment(reader));
    if (at_end(reader) || skip_newline(reader))
        return OK;
    return toml_fail(reader, "expected the end of the line, got %s", quote(slice_from(reader->text, reader->at)).text);
}

// --- keys

static bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static ErrCode read_key(TomlReader *reader, Slice *ret_key) {
    size_t start = reader->at;

    if (toml_peek(reader, 0) == '"' || toml_peek(reader, 0) == '\'')
        return toml_read_string(reader, true, ret_key);
    while (is_bare(toml_peek(reader, 0)))
        reader->at++;
    if (reader->at == start)
        return toml_fail(reader, "expected a key, got %s", quote(slice_from(reader->text, start)).text);
    *ret_key = arena_slice(reader->arena, slice_first(slice_from(reader->text, start), reader->at - start));
    return OK;
}

// Reads a key and the dot behind it; ret_last: there is none.
static ErrCode read_step(TomlReader *reader, Slice *ret_key, bool *ret_last) {
    skip_blanks(reader);
    TRY(read_key(reader, ret_key));
    skip_blanks(reader);
    *ret_last = toml_peek(reader, 0) != '.';
    reader->at += !*ret_last;
    return OK;
}

// --- values

static ErrCode read_pair(TomlReader *reader, Node *table);
static ErrCode read_value(TomlReader *reader, uint32_t depth, Node **ret_node);

static ErrCode read_array(TomlReader *reader, uint32_t depth, Node **ret_node) {
    Node *array = node_new(reader, NODE_ARRAY, TABLE_INLINE, depth);

    reader->at++;
    TRY(skip_lines(reader));
    while (toml_peek(reader, 0) != ']') {
        NodeMember *element = vec_add(reader->arena, &array->members);

        TRY(read_value(reader, depth + 1, &element->node));
        TRY(skip_lines(reader));
        if (toml_peek(reader, 0) == ',')
            reader->at++;
        else if (toml_peek(reader, 0) != ']')
            return toml_fail(reader, "expected ',' or ']' in an array");
        TRY(skip_lines(reader));
    }
    reader->at++;
    *ret_node = array;
    return OK;
}

// What dotted keys opened in an inline table is closed with it.
static void close_table(Node *table) {
    table->origin = TABLE_INLINE;
    for (vec_each(NodeMember, member, &table->members)) {
        if (member->node->kind == NODE_TABLE && member->node->origin == TABLE_DOTTED)
            close_table(member->node);
    }
}

static ErrCode read_inline_table(TomlReader *reader, uint32_t depth, Node **ret_node) {
    Node *table = node_new(reader, NODE_TABLE, TABLE_DOTTED, depth);
    bool more;

    reader->at++;
    skip_blanks(reader);
    more = toml_peek(reader, 0) != '}';
    while (more) {
        TRY(read_pair(reader, table));
        skip_blanks(reader);
        more = toml_peek(reader, 0) == ',';
        if (!more && toml_peek(reader, 0) != '}')
            return toml_fail(reader, "expected ',' or '}' in an inline table");
        reader->at += more;
    }
    reader->at++;
    close_table(table);
    *ret_node = table;
    return OK;
}

static ErrCode read_value(TomlReader *reader, uint32_t depth, Node **ret_node) {
    Node *node;

    TRY(check_depth(reader, depth));
    switch (toml_peek(reader, 0)) {
    case '[':
        return read_array(reader, depth, ret_node);
    case '{':
        return read_inline_table(reader, depth, ret_node);
    case '"':
    case '\'':
        node = node_new(reader, NODE_SCALAR, TABLE_INLINE, depth);
        node->scalar.kind = VALUE_STRING;
        TRY(toml_read_string(reader, false, &node->scalar.text));
        *ret_node = node;
        return OK;
    default:
        node = node_new(reader, NODE_SCALAR, TABLE_INLINE, depth);
        TRY(toml_read_word(reader, &node->scalar));
        *ret_node = node;
        return OK;
    }
}

// --- pairs

// What a table has under the key; a table, where there is nothing.
static ErrCode find_or_add(TomlReader *reader, Node *table, Slice key, TableOrigin origin, Node **ret_inner) {
    *ret_inner = find(table, key);
    if (*ret_inner)
        return OK;
    TRY(check_depth(reader, table->depth + 1));
    *ret_inner = node_new(reader, NODE_TABLE, origin, table->depth + 1);
    add(reader, table, key, *ret_inner);
    return OK;
}

// The table that a dotted key leads into, made where it is not there.
static ErrCode enter_dotted(TomlReader *reader, Node *table, Slice key, Node **ret_inner) {
    Node *inner;

    TRY(find_or_add(reader, table, key, TABLE_DOTTED, &inner));
    if (inner->kind != NODE_TABLE || inner->origin != TABLE_DOTTED)
        return toml_fail(reader, "%s is in line %u already, and nothing can be added to it", quote(key).text,
                         inner->line);
    *ret_inner = inner;
    return OK;
}

// key = value, into the table.
static ErrCode read_pair(TomlReader *reader, Node *table) {
    const Node *known;
    Node *value;
    bool last;
    Slice key = {0};

    TRY(read_step(reader, &key, &last));
    while (!last) {
        TRY(enter_dotted(reader, table, key, &table));
        TRY(read_step(reader, &key, &last));
    }
    if (toml_peek(reader, 0) != '=')
        return toml_fail(reader, "expected '=' behind the key %s", quote(key).text);
    reader->at++;
    skip_blanks(reader);
    known = find(table, key);
    if (known)
        return toml_fail(reader, "%s is in line %u already", quote(key).text, known->line);
    TRY(read_value(reader, table->depth + 1, &value));
    add(reader, table, key, value);
    return OK;
}

// --- sections

// The table that a step of a heading leads into.
static ErrCode enter_above(TomlReader *reader, Node *table, Slice key, Node **ret_inner) {
    Node *inner;

    TRY(find_or_add(reader, table, key, TABLE_ABOVE, &inner));
    if (inner->kind == NODE_SECTIONS)
        inner = vec_last(&inner->members)->node;
    if (inner->kind != NODE_TABLE || inner->origin == TABLE_INLINE)
        return toml_fail(reader, "%s, from line %u, is no table that sections can be in", quote(key).text, inner->line);
    *ret_inner = inner;
    return OK;
}

// [a.b]
static ErrCode open_section(TomlReader *reader, Node *table, Slice key, Node **ret_section) {
    Node *section = find(table, key);

    if (!section) {
        TRY(check_depth(reader, table->depth + 1));
        section = node_new(reader, NODE_TABLE, TABLE_HEADED, table->depth + 1);
        add(reader, table, key, section);
    } else if (section->kind != NODE_TABLE || section->origin != TABLE_ABOVE) {
        return toml_fail(reader, "%s is in line %u already", quote(key).text, section->line);
    }
    section->origin = TABLE_HEADED;
    *ret_section = section;
    return OK;
}

// [[a.b]]
static ErrCode add_section(TomlReader *reader, Node *table, Slice key, Node **ret_section) {
    Node *sections = find(table, key);
    NodeMember *element;

    if (!sections) {
        TRY(check_depth(reader, table->depth + 2));
        sections = node_new(reader, NODE_SECTIONS, TABLE_HEADED, table->depth + 1);
        add(reader, table, key, sections);
    } else if (sections->kind != NODE_SECTIONS) {
        return toml_fail(reader, "%s, from line %u, is no list of sections", quote(key).text, sections->line);
    }
    element = vec_add(reader->arena, &sections->members);
    element->node = node_new(reader, NODE_TABLE, TABLE_HEADED, table->depth + 2);
    *ret_section = element->node;
    return OK;
}

static ErrCode read_heading(TomlReader *reader, Node *root, Node **ret_section) {
    bool element = toml_peek(reader, 1) == '[', last;
    Node *table = root;
    Slice key = {0};

    reader->at += element ? 2 : 1;
    TRY(read_step(reader, &key, &last));
    while (!last) {
        TRY(enter_above(reader, table, key, &table));
        TRY(read_step(reader, &key, &last));
    }
    if (toml_peek(reader, 0) != ']' || (element && toml_peek(reader, 1) != ']'))
        return toml_fail(reader, "expected %s behind the heading", element ? "]]" : "]");
    reader->at += element ? 2 : 1;
    return element ? add_section(reader, table, key, ret_section) : open_section(reader, table, key, ret_section);
}

static ErrCode read_document(TomlReader *reader, Node *root) {
    Node *section = root;

    TRY(skip_lines(reader));
    while (!at_end(reader)) {
        if (toml_peek(reader, 0) == '[')
            TRY(read_heading(reader, root, &section));
        else
            TRY(read_pair(reader, section));
        TRY(expect_line_end(reader));
        TRY(skip_lines(reader));
    }
    return OK;
}

// --- nodes to Values

// Recursive over the depth of the document.
static Value value_of(Arena *arena, const Node *node) {
    Value value = node->kind == NODE_TABLE ? value_map() : value_list();

    if (node->kind == NODE_SCALAR)
        value = node->scalar;
    for (vec_each(const NodeMember, member, &node->members)) {
        Value inner = value_of(arena, member->node);

        if (node->kind == NODE_TABLE)
            vec_push(arena, &value.map, (ValueMember){member->key, member->line, inner});
        else
            vec_push(arena, &value.list, inner);
    }
    value.line = node->line;
    return value;
}

ErrCode toml_parse(Arena *arena, Slice text, Value *ret_document, Err *err) {
    TomlReader reader = {.arena = arena, .text = text, .line = 1, .err = err};
    Node *root = node_new(&reader, NODE_TABLE, TABLE_HEADED, 0);
    size_t bad;

    if (text.len > TOML_BYTES_MAX)
        return err_set(err, ERR_TOO_LARGE, "TOML: more than %d bytes", TOML_BYTES_MAX);
    if (!utf8_valid(text, &bad))
        return err_set(err, ERR_INVALID, "TOML, line %u: bytes that are not UTF-8", line_of(text, bad));
    if (slice_starts_with(text, SLICE("\xef\xbb\xbf")))
        reader.at = 3;
    TRY(read_document(&reader, root));
    *ret_document = value_of(arena, root);
    return OK;
}
