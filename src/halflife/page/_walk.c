/* The walk of walk.py over lexbor's own tree, without a Python object for each node: a fifteenth of the time.

   What it finds must be what walk.py finds, node for node; tests/page/test_walk.py holds the two equal. The tree belongs to
   selectolax, whose module exports lexbor's functions: `bind` looks them up there by name. Nodes are only ever handed to those
   functions, never looked into, so nothing here depends on how lexbor lays them out. The tree, which is of UTF-8, must not
   change or go away during a call; the caller holds it. No recursion, every buffer grows before it is written to, and what a
   page can have without end (links, elements, words of links that are not in the text) has its limit. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { BEFORE = 1, AFTER = 2, ANCHOR = 4, ELEMENT = 8, GONE = 16, CONCEALING = 32, WORDS = 64, SHUT = 128 };
enum { OUTSIDE = -1, CONCEALED = -2 };
enum { IS_ELEMENT = 1, IS_TEXT = 3 };
/* For the words of one link or title that are not in the text: */
enum { LOOKED_INTO_MAX = 1000 /* nodes */, WORDS_MAX = 4000 /* characters */ };

typedef void Node;
typedef const unsigned char Text;

static struct {
    Node *(*first_child)(Node *);
    Node *(*next)(Node *);
    Node *(*parent)(Node *);
    uintptr_t (*tag)(Node *);
    int (*type)(Node *);
    Text *(*text)(Node *, size_t *);
    Text *(*free_text)(Node *, Text *);
    Node *(*first_attribute)(Node *);
    Node *(*next_attribute)(Node *);
    Text *(*attribute_name)(Node *, size_t *);
    Text *(*attribute_value)(Node *, size_t *);
} lexbor;
static uintptr_t image_tag;

static const struct { const char *name; void *place; } FUNCTIONS[] = {
    {"lxb_dom_node_first_child_noi", &lexbor.first_child},
    {"lxb_dom_node_next_noi", &lexbor.next},
    {"lxb_dom_node_parent_noi", &lexbor.parent},
    {"lxb_dom_node_tag_id_noi", &lexbor.tag},
    {"lxb_dom_node_type_noi", &lexbor.type},
    {"lxb_dom_node_text_content", &lexbor.text},
    {"lxb_dom_document_destroy_text_noi", &lexbor.free_text},
    {"lxb_dom_element_first_attribute_noi", &lexbor.first_attribute},
    {"lxb_dom_element_next_attribute_noi", &lexbor.next_attribute},
    {"lxb_dom_attr_qualified_name", &lexbor.attribute_name},
    {"lxb_dom_attr_value_noi", &lexbor.attribute_value},
};

/* -- buffers --------------------------------------------------------------------------------------------------------------- */

typedef struct { unsigned char *bytes; size_t length, room; } Buffer;

/* Room for so many more bytes; 0 when there is no memory. */
static int reserve(Buffer *buffer, size_t more)
{
    if (more > PY_SSIZE_T_MAX / 4 - buffer->length) {
        PyErr_NoMemory();
        return 0;
    }
    size_t least = buffer->length + more;
    if (least <= buffer->room)
        return 1;
    size_t room = least * 2 < 4096 ? 4096 : least * 2;
    void *bytes = PyMem_Realloc(buffer->bytes, room);
    if (bytes == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    buffer->bytes = bytes;
    buffer->room = room;
    return 1;
}

static int append(Buffer *buffer, const void *bytes, size_t length)
{
    if (!reserve(buffer, length))
        return 0;
    if (length)
        memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return 1;
}

/* For Py_BuildValue, which makes None of no bytes at all. */
static const char *as_bytes(const Buffer *buffer)
{
    return buffer->bytes != NULL ? (const char *)buffer->bytes : "";
}

static PyObject *decoded(Text *bytes, size_t length)
{
    return PyUnicode_DecodeUTF8(bytes ? (const char *)bytes : "", (Py_ssize_t)length, "replace");
}

/* -- white space ----------------------------------------------------------------------------------------------------------- */

/* How many bytes the white space takes that `at` begins with, 0 for none: what str.split() splits at. */
static inline size_t white_length(Text *at, size_t left)
{
    unsigned char first = at[0];
    if (first < 0x80)
        return first == ' ' || (first >= 9 && first <= 13) || (first >= 0x1C && first <= 0x1F);
    if (first == 0xC2)
        return left > 1 && (at[1] == 0x85 || at[1] == 0xA0) ? 2 : 0;
    if (left < 3 || (first != 0xE1 && first != 0xE2 && first != 0xE3))
        return 0;
    unsigned char second = at[1], third = at[2];
    if (first == 0xE1)
        return second == 0x9A && third == 0x80 ? 3 : 0;
    if (first == 0xE3)
        return second == 0x80 && third == 0x80 ? 3 : 0;
    if (second == 0x81)
        return third == 0x9F ? 3 : 0;
    return second == 0x80 && (third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF) ? 3 : 0;
}

static int is_blank(Text *bytes, size_t length)
{
    for (size_t at = 0, white; at < length; at += white)
        if (!(white = white_length(bytes + at, length - at)))
            return 0;
    return 1;
}

/* -- the walk -------------------------------------------------------------------------------------------------------------- */

typedef struct { /* what its attributes say of an element: where it leads, and whether it is not shown */
    Text *href, *rel;
    size_t href_length, rel_length;
    int hides;
} Said;

typedef struct { /* a link or another element that means something */
    Node *node;
    uintptr_t tag;
    int is_link, hidden; /* hidden: 0, OUTSIDE or CONCEALED */
    Said said; /* of a link */
    size_t links_before, start_bytes, start, end; /* start and end in characters */
} Found;

typedef struct { size_t depth, found; } Open;

typedef struct {
    Node *document; /* whose memory texts are copied to; NULL when there is none */
    const unsigned char *kinds;
    size_t kinds_length;
    Buffer text, found, open; /* bytes, Found, Open */
    size_t characters, links, links_max, links_cut, elements, elements_max;
    char white; /* what stands before the next word: 0, ' ' or '\n' */
} Walk;

/* Words go into the text with one white character between them, and a newline where a block begins or ended. */
static int flow(Walk *walk, Text *bytes, size_t length)
{
    if (!reserve(&walk->text, length + 1))
        return 0;
    unsigned char *out = walk->text.bytes + walk->text.length;
    size_t characters = walk->characters;
    char white = walk->white;
    for (size_t at = 0; at < length;) {
        size_t skipped = white_length(bytes + at, length - at);
        if (skipped) {
            if (!white)
                white = ' ';
            at += skipped;
            continue;
        }
        if (white) {
            if (out != walk->text.bytes) {
                *out++ = (unsigned char)white;
                characters++;
            }
            white = 0;
        }
        size_t begin = at; /* of a run of letters, digits and the like, which nearly all text is */
        while (at < length && bytes[at] > ' ' && bytes[at] < 0x7F)
            *out++ = bytes[at++];
        characters += at - begin;
        if (at == begin) {
            characters += (bytes[at] & 0xC0) != 0x80;
            *out++ = bytes[at++];
        }
    }
    walk->text.length = (size_t)(out - walk->text.bytes);
    walk->characters = characters;
    walk->white = white;
    return 1;
}

static unsigned kind_of(const Walk *walk, uintptr_t tag)
{
    return tag < walk->kinds_length ? walk->kinds[tag] : 0;
}

/* The attribute of this name, NULL for none. */
static Node *attribute_node(Node *node, const char *name)
{
    size_t wanted = strlen(name), length;
    for (Node *each = lexbor.first_attribute(node); each != NULL; each = lexbor.next_attribute(each)) {
        Text *its = lexbor.attribute_name(each, &length);
        if (its != NULL && length == wanted && memcmp(its, name, wanted) == 0)
            return each;
    }
    return NULL;
}

static Text *attribute(Node *node, const char *name, size_t *length)
{
    Node *found = attribute_node(node, name);
    *length = 0;
    return found != NULL ? lexbor.attribute_value(found, length) : NULL;
}

/* Whether `bytes` begin with this text, which is in small letters, whatever the case of theirs. */
static int begins(Text *bytes, size_t length, const char *text)
{
    size_t wanted = strlen(text);
    if (length < wanted)
        return 0;
    for (size_t at = 0; at < wanted; at++)
        if ((bytes[at] >= 'A' && bytes[at] <= 'Z' ? bytes[at] + 32 : bytes[at]) != text[at])
            return 0;
    return 1;
}

static size_t behind_blanks(Text *bytes, size_t length, size_t at)
{
    while (at < length && (bytes[at] == ' ' || (bytes[at] >= 9 && bytes[at] <= 13)))
        at++;
    return at;
}

/* Whether a style says display: none. */
static int is_display_none(Text *style, size_t length)
{
    for (size_t at = 0; at + 12 <= length; at++) {
        if (!begins(style + at, length - at, "display"))
            continue;
        size_t colon = behind_blanks(style, length, at + 7);
        if (colon < length && style[colon] == ':') {
            size_t value = behind_blanks(style, length, colon + 1);
            if (begins(style + value, length - value, "none"))
                return 1;
        }
    }
    return 0;
}

static int is_hidden(Text *value, size_t length)
{
    return value == NULL || length != 11 || !begins(value, length, "until-found");
}

/* One pass over an element's attributes, for each costs a call or two. */
static Said attributes_say(Node *node)
{
    Said said = {0};
    for (Node *each = lexbor.first_attribute(node); each != NULL; each = lexbor.next_attribute(each)) {
        size_t length = 0, value_length = 0;
        Text *name = lexbor.attribute_name(each, &length);
        if (name == NULL || length < 3 || length > 6)
            continue;
        if (length == 4 && memcmp(name, "href", 4) == 0) {
            said.href = lexbor.attribute_value(each, &said.href_length);
        } else if (length == 3 && memcmp(name, "rel", 3) == 0) {
            said.rel = lexbor.attribute_value(each, &said.rel_length);
        } else if (length == 6 && memcmp(name, "hidden", 6) == 0) {
            Text *value = lexbor.attribute_value(each, &value_length);
            said.hides |= is_hidden(value, value_length);
        } else if (length == 5 && memcmp(name, "style", 5) == 0) {
            Text *value = lexbor.attribute_value(each, &value_length);
            said.hides |= value != NULL && is_display_none(value, value_length);
        }
    }
    return said;
}

/* An href without its fragment, and without the white space around it. */
static void bare(Text **href, size_t *length)
{
    Text *fragment = *length ? memchr(*href, '#', *length) : NULL;
    if (fragment != NULL)
        *length = (size_t)(fragment - *href);
    while (*length && (*href)[0] <= ' ') {
        ++*href;
        --*length;
    }
    while (*length && (*href)[*length - 1] <= ' ')
        --*length;
}

/* Note an element that means something; it stays open until its end is reached. */
static int note(Walk *walk, Node *node, uintptr_t tag, const Said *said, int hidden, size_t depth)
{
    int is_link = said != NULL;
    if (is_link ? walk->links >= walk->links_max : walk->elements >= walk->elements_max) {
        walk->links_cut += is_link ? 1 : 0;
        return 1;
    }
    Open open = {depth, walk->found.length / sizeof(Found)};
    Found found = {
        .node = node, .tag = tag, .is_link = is_link, .hidden = hidden, .links_before = walk->links,
        .start_bytes = walk->text.length, .start = walk->characters, .end = walk->characters,
    };
    if (said != NULL)
        found.said = *said;
    walk->links += is_link ? 1 : 0;
    walk->elements += is_link ? 0 : 1;
    return append(&walk->found, &found, sizeof found) && (hidden || append(&walk->open, &open, sizeof open));
}

/* The end of an element is reached: where its words are in the text is known. */
static void settle(Walk *walk, size_t depth)
{
    if (!walk->open.length)
        return;
    Open *open = (Open *)(walk->open.bytes + walk->open.length) - 1;
    if (open->depth != depth)
        return;
    Found *found = (Found *)walk->found.bytes + open->found;
    if (walk->text.length > found->start_bytes) {
        unsigned char first = walk->text.bytes[found->start_bytes];
        found->start += first == ' ' || first == '\n';
        found->end = walk->characters;
    }
    walk->open.length -= sizeof(Open);
}

static int walk_tree(Walk *walk, Node *root, Node *body)
{
    size_t depth = 0, concealed_at = 0, body_at = 0; /* the depth of the outermost that conceals, and of the body */
    for (Node *node = root;;) {
        int type = lexbor.type(node), down = 1;
        depth++;
        if (type == IS_TEXT) {
            if (body_at && !concealed_at) {
                size_t length = 0;
                Text *text = lexbor.text(node, &length);
                if (text == NULL) {
                    PyErr_NoMemory();
                    return 0;
                }
                if (!flow(walk, text, length))
                    return 0;
            }
        } else if (type == IS_ELEMENT) {
            uintptr_t tag = lexbor.tag(node);
            unsigned kind = kind_of(walk, tag);
            if (node == body)
                body_at = depth;
            int shown = body_at && !concealed_at;
            Said said = attributes_say(node);
            int conceals = kind & CONCEALING || (kind & SHUT && attribute_node(node, "open") == NULL) ||
                           (said.hides && node != root && node != body);
            int hidden = concealed_at || conceals ? CONCEALED : body_at ? 0 : OUTSIDE;
            bare(&said.href, &said.href_length);
            if (shown && kind & BEFORE)
                walk->white = '\n';
            if (kind & ELEMENT && !note(walk, node, tag, NULL, hidden, depth))
                return 0;
            if (!(kind & ELEMENT) && kind & ANCHOR && said.href_length && !note(walk, node, tag, &said, hidden, depth))
                return 0;
            if (conceals && !concealed_at)
                concealed_at = depth;
            down = !(kind & GONE) || node == root;
        }
        Node *next = down ? lexbor.first_child(node) : NULL;
        while (next == NULL) {
            settle(walk, depth);
            if (concealed_at == depth)
                concealed_at = 0;
            if (body_at && !concealed_at && kind_of(walk, lexbor.tag(node)) & AFTER)
                walk->white = '\n';
            if (body_at == depth)
                body_at = 0;
            depth--;
            if (depth == 0)
                return 1;
            next = lexbor.next(node);
            if (next == NULL)
                node = lexbor.parent(node);
        }
        node = next;
    }
}

/* -- words that are not in the text ---------------------------------------------------------------------------------------- */

typedef struct { Buffer raw; size_t left; } Words; /* left: characters that it may still take */

static int take(Words *words, Text *bytes, size_t length)
{
    size_t at = 0;
    for (; at < length; at++)
        if ((bytes[at] & 0xC0) != 0x80 && words->left-- == 0) {
            words->left = 0;
            break;
        }
    return append(&words->raw, bytes, at);
}

/* The text in an element (images == 0), or what its images are called. */
static int look_into(const Walk *walk, Node *root, int images, Words *words)
{
    Node *node = root;
    for (int nodes = 0; nodes < LOOKED_INTO_MAX && words->left > 0; nodes++) {
        int type = lexbor.type(node), down = 1, fine = 1;
        size_t length = 0;
        if (type == IS_TEXT && !images) {
            Text *text = lexbor.text(node, &length);
            if (text == NULL) {
                PyErr_NoMemory();
                return 0;
            }
            fine = take(words, text, length);
            if (walk->document != NULL)
                lexbor.free_text(walk->document, text);
        } else if (type == IS_ELEMENT) {
            down = node == root || !(kind_of(walk, lexbor.tag(node)) & GONE);
            if (images && lexbor.tag(node) == image_tag) {
                Text *alt = attribute(node, "alt", &length);
                if (alt != NULL && !is_blank(alt, length))
                    fine = (!words->raw.length || take(words, (Text *)" ", 1)) && take(words, alt, length);
            }
        }
        if (!fine)
            return 0;
        Node *next = down ? lexbor.first_child(node) : NULL;
        while (next == NULL) {
            if (node == root)
                return 1;
            next = lexbor.next(node);
            if (next == NULL)
                node = lexbor.parent(node);
        }
        node = next;
    }
    return 1;
}

/* Begin anew. */
static void empty(Words *words)
{
    words->raw.length = 0;
    words->left = WORDS_MAX;
}

/* The words of a link that has none in the text: its own, what its pictures are called, or what it is called. */
static PyObject *link_words(const Walk *walk, const Found *found)
{
    static const char *const NAMES[] = {"title", "aria-label"};
    Words words = {.left = WORDS_MAX};
    int fine = !found->hidden || look_into(walk, found->node, 0, &words);
    if (fine && is_blank(words.raw.bytes, words.raw.length)) {
        empty(&words);
        fine = look_into(walk, found->node, 1, &words);
    }
    for (size_t place = 0; fine && place < 2 && is_blank(words.raw.bytes, words.raw.length); place++) {
        size_t length;
        Text *label = attribute(found->node, NAMES[place], &length);
        empty(&words);
        fine = label == NULL || take(&words, label, length);
    }
    PyObject *made = fine ? decoded(words.raw.bytes, words.raw.length) : NULL;
    PyMem_Free(words.raw.bytes);
    return made;
}

/* -- what comes of it ------------------------------------------------------------------------------------------------------ */

static PyObject *attributes_of(Node *node)
{
    PyObject *made = PyDict_New();
    for (Node *each = made ? lexbor.first_attribute(node) : NULL; each != NULL; each = lexbor.next_attribute(each)) {
        size_t length = 0;
        Text *bytes = lexbor.attribute_name(each, &length);
        PyObject *name = decoded(bytes, bytes == NULL ? 0 : length);
        length = 0;
        bytes = lexbor.attribute_value(each, &length);
        PyObject *value = bytes != NULL ? decoded(bytes, length) : Py_NewRef(Py_None);
        int set = name != NULL && value != NULL ? PyDict_SetItem(made, name, value) : -1;
        Py_XDECREF(name);
        Py_XDECREF(value);
        if (set < 0) {
            Py_DECREF(made);
            return NULL;
        }
    }
    return made;
}

typedef struct { PyObject *hrefs, *rels, *words; Buffer starts, ends; } Columns;

static int append_object(PyObject *list, PyObject *made)
{
    int failed = made == NULL || PyList_Append(list, made) < 0;
    Py_XDECREF(made);
    return !failed;
}

static int append_link(Columns *links, const Walk *walk, const Found *found)
{
    int is_nowhere = found->hidden || found->end <= found->start;
    int start = is_nowhere ? 0 : (int)found->start, end = is_nowhere ? 0 : (int)found->end;
    PyObject *rel = found->said.rel != NULL ? decoded(found->said.rel, found->said.rel_length) : Py_NewRef(Py_None);
    PyObject *words = is_nowhere ? link_words(walk, found) : PyUnicode_FromStringAndSize("", 0);
    int hrefs = append_object(links->hrefs, decoded(found->said.href, found->said.href_length));
    return append_object(links->rels, rel) & append_object(links->words, words) & hrefs &&
           append(&links->starts, &start, sizeof start) && append(&links->ends, &end, sizeof end);
}

/* (tag, parent's tag, links before it, start, end, words, attributes) */
static PyObject *made_element(const Walk *walk, const Found *found)
{
    Node *parent = lexbor.parent(found->node);
    uintptr_t parent_tag = parent != NULL ? lexbor.tag(parent) : 0;
    Py_ssize_t start = found->hidden ? found->hidden : (Py_ssize_t)found->start;
    Py_ssize_t end = found->hidden ? found->hidden : (Py_ssize_t)found->end;
    PyObject *words = NULL, *attributes = attributes_of(found->node);
    Words looked = {.left = WORDS_MAX};
    if (attributes != NULL &&
        (!(kind_of(walk, found->tag) & WORDS) || look_into(walk, found->node, 0, &looked)))
        words = decoded(looked.raw.bytes, looked.raw.length);
    PyMem_Free(looked.raw.bytes);
    if (words == NULL) {
        Py_XDECREF(attributes);
        return NULL;
    }
    return Py_BuildValue("(nnnnnNN)", (Py_ssize_t)found->tag, (Py_ssize_t)(parent_tag < walk->kinds_length ? parent_tag : 0),
                         (Py_ssize_t)found->links_before, start, end, words, attributes);
}

static PyObject *made_all(const Walk *walk)
{
    Columns links = {.hrefs = PyList_New(0), .rels = PyList_New(0), .words = PyList_New(0)};
    PyObject *text = decoded(walk->text.bytes, walk->text.length), *elements = PyList_New(0), *made = NULL;
    const Found *found = (const Found *)walk->found.bytes, *last = found + walk->found.length / sizeof(Found);
    int fine = text && elements && links.hrefs && links.rels && links.words;
    for (; fine && found < last; found++)
        fine = found->is_link ? append_link(&links, walk, found) : append_object(elements, made_element(walk, found));
    if (fine)
        made = Py_BuildValue("(O(OOy#y#O)On)", text, links.hrefs, links.rels, as_bytes(&links.starts),
                             (Py_ssize_t)links.starts.length, as_bytes(&links.ends), (Py_ssize_t)links.ends.length,
                             links.words, elements, (Py_ssize_t)walk->links_cut);
    Py_XDECREF(text);
    Py_XDECREF(elements);
    Py_XDECREF(links.hrefs);
    Py_XDECREF(links.rels);
    Py_XDECREF(links.words);
    PyMem_Free(links.starts.bytes);
    PyMem_Free(links.ends.bytes);
    return made;
}

/* -- the module ------------------------------------------------------------------------------------------------------------ */

/* The lexbor node that a selectolax node stands for. */
static Node *node_of(PyObject *wrapped)
{
    PyObject *place = PyObject_GetAttrString(wrapped, "mem_id");
    Node *node = place != NULL ? PyLong_AsVoidPtr(place) : NULL;
    Py_XDECREF(place);
    if (node == NULL && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "no node");
    return node;
}

/* Whether a page has one of the two references that must be resolved before lexbor sees them. */
static PyObject *has_long_reference(PyObject *module, PyObject *body)
{
    (void)module;
    char *bytes;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(body, &bytes, &length) < 0)
        return NULL;
    const char *end = bytes + length, *at = bytes;
    while (end - at >= 5 && (at = memchr(at, '&', (size_t)(end - at - 4))) != NULL) {
        if (at[1] == 'n' && (at[2] == 'G' || at[2] == 'L') && at[3] == 't' && at[4] == ';')
            Py_RETURN_TRUE;
        at++;
    }
    Py_RETURN_FALSE;
}

static PyObject *walk_(PyObject *module, PyObject *arguments)
{
    (void)module;
    Walk walk = {0};
    PyObject *root, *body;
    Node *root_node, *body_node;
    Py_ssize_t kinds_length, links_max, elements_max;
    const char *kinds;
    if (!PyArg_ParseTuple(arguments, "OOy#nn", &root, &body, &kinds, &kinds_length, &links_max, &elements_max) ||
        (root_node = node_of(root)) == NULL || (body_node = node_of(body)) == NULL)
        return NULL;
    if (lexbor.type == NULL || links_max < 0 || elements_max < 0) {
        PyErr_SetString(PyExc_ValueError, "not bound, or a limit below zero");
        return NULL;
    }
    walk.document = lexbor.parent(root_node);
    walk.kinds = (const unsigned char *)kinds;
    walk.kinds_length = (size_t)kinds_length;
    walk.links_max = (size_t)links_max;
    walk.elements_max = (size_t)elements_max;
    PyObject *made = walk_tree(&walk, root_node, body_node) ? made_all(&walk) : NULL;
    PyMem_Free(walk.text.bytes);
    PyMem_Free(walk.found.bytes);
    PyMem_Free(walk.open.bytes);
    return made;
}

static PyObject *bind(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *path;
    Py_ssize_t number;
    void *found[sizeof FUNCTIONS / sizeof *FUNCTIONS];
    if (!PyArg_ParseTuple(arguments, "yn", &path, &number))
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL)
        return PyErr_Format(PyExc_ImportError, "%s is not loaded", path);
    for (size_t place = 0; place < sizeof FUNCTIONS / sizeof *FUNCTIONS; place++) {
        found[place] = dlsym(library, FUNCTIONS[place].name);
        if (found[place] == NULL) {
            dlclose(library);
            return PyErr_Format(PyExc_ImportError, "%s has no %s", path, FUNCTIONS[place].name);
        }
    }
    for (size_t place = 0; place < sizeof FUNCTIONS / sizeof *FUNCTIONS; place++)
        memcpy(FUNCTIONS[place].place, &found[place], sizeof found[place]);
    image_tag = (uintptr_t)number;
    Py_RETURN_NONE;
}

static PyMethodDef METHODS[] = {
    {"bind", bind, METH_VARARGS,
     "Find lexbor's functions in the loaded library at a path, ImportError without one; and images have this tag number."},
    {"walk", walk_, METH_VARARGS, "See walk.py."},
    {"has_long_reference", has_long_reference, METH_O, "See walk.py."},
    {0},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "_walk", .m_doc = "The walk of walk.py in C.", .m_size = -1, .m_methods = METHODS,
};

PyMODINIT_FUNC PyInit__walk(void)
{
    return PyModule_Create(&MODULE);
}
