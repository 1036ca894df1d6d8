"""Charsets: which one the bytes are in, and the same text in UTF-8.

The order is the browsers': byte order mark, Content-Type, declaration in the markup, then UTF-8 if it is valid, else
the likeliest of the old encodings. Labels mean what they mean to browsers: "latin-1" and "ascii" are windows-1252,
"gb2312" is gb18030. Two departures, both because a crawler meets more wrong labels than a reader does:

- A declared charset in which much of the text is invalid is not believed.
- Nor is any other where the bytes are valid UTF-8: servers send such labels without knowing. For the encodings of
  many bytes it takes a few characters to be sure of that.

The guess counts, for each old encoding, how many of its characters are the usual ones of its languages. What it gets
wrong: a short text in a Central European or Turkish encoding may be taken for a neighbour's.
"""

from __future__ import annotations

import re
from codecs import utf_8_decode

DECLARED_BYTES = 4096  # where a declaration in the markup is looked for; browsers stop at 1024, but pages put it later
SAMPLE_BYTES = 4096  # of the foreign bytes that a guess is made from: 2 ms at the most
ERRORS_SHARE_MAX = 0.05  # of the foreign characters that may be invalid in a charset that is believed
SURE_CHARACTERS = 12  # that are valid UTF-8 and not of ASCII: no other charset has so many by chance
ERRORS_FREE = 3  # so many cost a declared charset nothing: a text cut short, a stray byte
USUAL_SHARE_MIN = 0.55  # of the foreign characters that must be usual ones for a guess

BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
BARE_UTF16 = ((b"<\0", "utf-16le"), (b"\0<", "utf-16be"))  # markup without a byte order mark
BARE_UTF16_BYTES = 8  # of which every second is NUL, when it is that
LABEL = r"""\s*=\s*["']?\s*([A-Za-z0-9_:.()+-]{1,40})"""
IN_HEADER = re.compile("charset" + LABEL, re.I)
IN_MARKUP = re.compile(rf"<meta\s[^>]{{0,500}}?charset{LABEL}|<\?xml\s[^>]{{0,200}}?encoding{LABEL}".encode(), re.I)

# What labels mean to browsers, wherever that is not the name itself.
MEANING = {
    "utf-8": "utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 cp65001 utf8mb4",
    "windows-1252": "ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso_8859-1 iso_8859-1:1987 iso88591 latin1 latin-1 "
    "l1 cp819 ibm819 iso-ir-100 csisolatin1 x-user-defined",
    "windows-1254": "iso-8859-9 iso8859-9 iso_8859-9 latin5 l5",
    "windows-874": "iso-8859-11 iso8859-11 tis-620 dos-874 cp874",
    "iso-8859-2": "latin2 l2 csisolatin2",
    "iso-8859-7": "greek greek8",
    "iso-8859-5": "cyrillic",
    "iso-8859-6": "arabic",
    "iso-8859-8": "iso-8859-8-i hebrew visual logical",
    "iso-8859-15": "latin9 latin-9 l9",
    "koi8-r": "koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "ibm866": "866 cp866",
    "macintosh": "mac x-mac-roman",
    "x-mac-cyrillic": "x-mac-ukrainian",
    "gb18030": "gb2312 gb_2312-80 gbk x-gbk cp936 chinese csgb2312 iso-ir-58",
    "big5": "big5-hkscs cn-big5 x-x-big5 csbig5",
    "shift_jis": "shift-jis sjis x-sjis ms_kanji windows-31j ms932 cp932",
    "euc-jp": "x-euc-jp eucjp",
    "iso-2022-jp": "csiso2022jp",
    "euc-kr": "euckr ks_c_5601-1987 ks_c_5601-1989 ksc5601 korean windows-949 cp949",
    "utf-16le": "utf-16 unicode ucs-2 iso-10646-ucs-2",
    "utf-16be": "unicodefffe",
}
LABELS = {label: name for name, labels in MEANING.items() for label in (name, *labels.split())}
for _number in range(1250, 1259):
    LABELS |= dict.fromkeys((f"windows-{_number}", f"cp{_number}", f"x-cp{_number}"), f"windows-{_number}")
for _number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16):
    LABELS |= dict.fromkeys((f"iso8859-{_number}", f"iso_8859-{_number}"), f"iso-8859-{_number}")
    LABELS[f"iso-8859-{_number}"] = f"iso-8859-{_number}"

# Python's codecs, where it knows a charset under another name or a fuller relative of it.
CODECS = {
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "windows-874": "cp874",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
}
MANY_BYTES = frozenset([
    "utf-8", "utf-16le", "utf-16be", "gb18030", "big5", "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr",
])  # fmt: skip

# The usual characters of the languages of an old encoding, and how much a character of theirs is worth: where two
# encodings make sense of the same bytes, the one in which they would be rarer by chance wins. Compiled when needed: that
# takes ten milliseconds.
CYRILLIC = "[\u0430-\u044f\u0451]"
GUESSES = (
    ("windows-1252", "[àâäåæçèéêëìíîïñòóôöøùúûüßœáãõÄÖÜÉ‘’“”–—…«»°©®€¿¡\xa0]", 0.8),
    ("windows-1250", "[áéíóúýčďěňřšťůžąćęłńśźżäöüőű„”–\xa0]", 0.78),
    ("windows-1251", CYRILLIC, 1.0),
    ("koi8-r", CYRILLIC, 1.0),
    ("ibm866", "[\u0431-\u044f\u0451]", 1.0),  # its "a" is the blank that does not break of all others
    ("windows-1253", "[\u03ac-\u03ce]", 1.0),
    ("windows-1255", "[\u05d0-\u05ea]", 1.0),
    ("windows-1256", "[\u0621-\u064a]", 0.95),
    ("windows-874", "[\u0e01-\u0e4e]", 0.95),
    ("shift_jis", "[\u3001\u3002\u3040-\u30ff\u4e00-\u9fff]", 1.0),
    ("euc-jp", "[\u3001\u3002\u3040-\u30ff\u4e00-\u9fff]", 1.0),
    ("euc-kr", "[\uac00-\ud7a3]", 1.0),
    ("gb18030", "[\u3001\u3002\u4e00-\u9fa5\uff0c\uff1a]", 0.95),
    ("big5", "[\u3001\u3002\u4e00-\u9fff\uff0c\uff1a]", 0.9),
)
LATIN = frozenset(["windows-1252", "windows-1250"])
# A letter of another alphabet does not stand behind one of ASCII, nor often alone: that is Latin with accents, quotes
# or blanks that are not ASCII.
STRANGE = re.compile("[A-Za-z][^\x00-\x7f]|(?<![^\x00-\x7f])[^\x00-\x7f](?![^\x00-\x7f])")
FOREIGN = re.compile(rb"[\x00-\x7f]{0,2}[\x80-\xff][\x00-\xff]?")


def in_utf8(body: bytes, content_type: str) -> tuple[bytes, str]:
    """The text in UTF-8, and the charset it was in. Never raises: what is invalid becomes U+FFFD."""
    for bom, name in BOMS:
        if body.startswith(bom):
            return _as_utf8(body[len(bom) :], name), name
    if name := _bare_utf16(body):
        return _as_utf8(body, name), name
    declared = _declared(body, content_type)
    if is_utf8(body) and (not declared or declared[0] not in MANY_BYTES or _is_surely_utf8(body, declared[0])):
        plain = body.isascii() and bool(declared)
        return body, declared[0] if plain else "utf-8"
    for name in declared:
        if believable(body, name):
            return _as_utf8(body, name), name
    name = guessed(body)
    return _as_utf8(body, name), name


def _as_utf8(body: bytes, name: str) -> bytes:
    return body.decode(CODECS.get(name, name), "replace").encode("utf-8", "replace")


def _declared(body: bytes, content_type: str) -> list[str]:
    """The charsets that the header and the markup name, as far as browsers know them."""
    names = []
    if (match := IN_HEADER.search(content_type)) and (name := LABELS.get(match[1].lower())):
        names.append(name)
    if not names or names[0] != "utf-8":
        match_in_markup = IN_MARKUP.search(body, 0, DECLARED_BYTES)
        if match_in_markup:
            name = LABELS.get((match_in_markup[1] or match_in_markup[2]).decode().lower(), "")
            # Whoever can read this is not reading UTF-16.
            names.append("utf-8" if name.startswith("utf-16") else name)
    return [name for name in names if name]


def _bare_utf16(body: bytes) -> str:
    """The UTF-16 that this markup is in, when it begins like that and no byte order mark says so."""
    for mark, name in BARE_UTF16:
        if body.startswith(mark) and not body[mark.index(0) : BARE_UTF16_BYTES : 2].strip(b"\0"):
            return name
    return ""


def is_utf8(body: bytes) -> bool:
    """Whether all of it is valid UTF-8."""
    if body.isascii():
        return True
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_surely_utf8(body: bytes, label: str) -> bool:
    """Whether valid UTF-8 is that in spite of a label that says something else."""
    return label == "utf-8" or _foreign(body.decode()) >= SURE_CHARACTERS


def believable(body: bytes, name: str) -> bool:
    """Whether the bytes can be in that charset, but for a few."""
    if name.startswith("utf-16") and b"\0" not in body:
        return False  # markup has characters of ASCII, and they have a NUL there
    text = body.decode(CODECS.get(name, name), "replace")
    return text.count("\ufffd") <= max(ERRORS_FREE, ERRORS_SHARE_MAX * _foreign(text))


def guessed(body: bytes) -> str:
    """The charset in which the foreign characters are most like those of a language."""
    sample = _sample(body)
    text = utf_8_decode(sample, "replace", False)[0]
    if text.count("\ufffd") <= ERRORS_SHARE_MAX * _foreign(text):
        return "utf-8"  # damaged, cut short or but ASCII
    best, best_score = GUESSES[0][0], 0.0
    for name, usual, worth in GUESSES:
        text = sample.decode(CODECS.get(name, name), "replace")
        strange = 0 if name in LATIN else len(STRANGE.findall(text))
        share = (len(re.findall(usual, text)) - strange - text.count("\ufffd")) / max(1, _foreign(text))
        if share >= USUAL_SHARE_MIN and share * worth >= best_score:  # later ones have fewer usual characters
            best, best_score = name, share * worth
    return best


def _sample(body: bytes) -> bytes:
    """The foreign bytes with their neighbours."""
    pieces, size = [], 0
    for match in FOREIGN.finditer(body):
        pieces.append(match[0])
        size += len(match[0])
        if size >= SAMPLE_BYTES:
            break
    return b"".join(pieces)


def _foreign(text: str) -> int:
    """How many characters are not of ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))
