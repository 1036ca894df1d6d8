"""XML as it comes, for readers that want a few elements of it: no tree, no DTD, no entity but those of characters.

expat reads as long as the document is well formed. From the place where it breaks, a plain scanner goes on: to it, a
tag is whatever stands between "<" and ">", and an end tag closes everything that was opened inside. Readers see no
difference. Names come in lower case with the prefix that the document uses; namespaces are not resolved, since every
second feed that has them forgets to declare one.

Nothing in a document makes it grow: a declared entity is a break like any other (so there is nothing to expand), and
what expat would hold - a tag, a comment, elements in each other - has limits.
"""

from __future__ import annotations

import re
from html import unescape
from xml.parsers import expat

TOKEN_CHARACTERS_MAX = 1024 * 1024  # of a tag, comment or CDATA section; expat 2.5 also reads it anew for every piece
PIECE_CHARACTERS = 64 * 1024  # given to expat at once
DEPTH_MAX = 200  # elements in each other; lists need 10, and the markup in their texts not many more
TOKENS_MAX = 4_000_000  # elements and entities: more than the 50 MB that a sitemap may have; takes about 4 s
SCANNED_COST = 4  # a token costs the scanner so many times as much
TAG_CHARACTERS_MAX = 16_384  # of a broken document's tag that are searched for attributes

NAME = re.compile(r"[A-Za-z_][^\s/>]{0,99}")
ATTRIBUTE = re.compile(r"""([A-Za-z_][\w:.-]{0,99})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
NO_ENTITY = re.compile(b"[<>;]")
ANGLE = re.compile("[<>]")
WHOLE = (("<![CDATA[", "]]>"), ("<!--", "-->"))  # what may have angles inside
# Characters that XML forbids and that documents have all the same.
FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], " ")
FORBIDDEN_FOUND = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
BEFORE = " \t\r\n\ufeff"  # may not stand before the XML declaration, and does


class _RefusedError(Exception):
    """The document wants what it does not get. Never leaves this file."""


class XmlStream:
    """Reads a document given in pieces. Readers override `opened`, `said` and `closed`."""

    def __init__(self) -> None:
        self.stack: list[str] = []  # the names of the elements that are open
        self._expat: expat.XMLParserType | None = self._parser()
        self._given = 0  # bytes that expat has
        self._held = b""  # the last of them, which it has not told of yet
        self._rest = ""  # what the scanner has not told of yet
        self._begun = False
        self._tokens_left = TOKENS_MAX

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; it is the last of the stack."""

    def said(self, text: str) -> None:
        """A piece of text."""

    def closed(self, name: str) -> None:
        """An element ends; it is the last of the stack for the last time."""

    def feed(self, text: str) -> None:
        """The next piece of the document."""
        if FORBIDDEN_FOUND.search(text):
            text = text.translate(FORBIDDEN)
        if not self._begun:
            text = text.lstrip(BEFORE)
            self._begun = bool(text)
        for start in range(0, len(text), PIECE_CHARACTERS):
            piece = text[start : start + PIECE_CHARACTERS]
            if self._tokens_left < 0:
                return
            if self._expat is None:
                self._scan(piece)
            else:
                self._parse(self._expat, piece.encode("utf-8", "replace"))

    def end(self) -> None:
        """There is no more. What is open stays open: `closed` is not told of it."""
        self._expat = None

    # -- while it is well formed ---------------------------------------------------------------------------------------

    def _parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate("utf-8")  # whatever the document declares: it was decoded before it came here
        parser.buffer_text = True
        parser.UseForeignDTD(True)  # makes "&nbsp;" an entity that is skipped and told of, not an error
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.said
        parser.SkippedEntityHandler = self._entity
        parser.EntityDeclHandler = self._refuse
        return parser

    def _parse(self, parser: expat.XMLParserType, data: bytes) -> None:
        recent = self._held + data
        first = self._given - len(self._held)
        self._given += len(data)
        try:
            parser.Parse(data, False)
            self._held = recent[max(0, parser.CurrentByteIndex - first) :]
            if len(self._held) <= TOKEN_CHARACTERS_MAX:
                return
            at = len(recent)
        except expat.ExpatError:
            at = _token_start(recent, parser.ErrorByteIndex - first)
        except _RefusedError:
            at = parser.CurrentByteIndex - first
        parser.buffer_text = False  # tells of what is in the buffer
        self._expat, self._held = None, b""
        self._scan(recent[max(0, at) :].decode("utf-8", "ignore"))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._tokens_left -= 1
        if len(self.stack) >= DEPTH_MAX or self._tokens_left < 0:
            raise _RefusedError
        name = name.lower()
        self.stack.append(name)
        self.opened(name, {key.lower(): value for key, value in attributes.items()} if attributes else attributes)

    def _end(self, _name: str) -> None:
        self.closed(self.stack[-1])
        self.stack.pop()

    def _entity(self, name: str, _is_parameter: bool) -> None:
        self._tokens_left -= 1
        if self._tokens_left < 0:
            raise _RefusedError
        self.said(unescape(f"&{name};"))

    def _refuse(self, *_declaration: object) -> None:
        raise _RefusedError

    # -- from the break on ---------------------------------------------------------------------------------------------

    def _scan(self, text: str) -> None:
        text, at = self._rest + text, 0
        while self._tokens_left >= 0 and (start := text.find("<", at)) >= 0:
            if start > at:
                self.said(unescape(text[at:start]))
            at = self._token(text, start)
            if at < 0:
                at = start
                break
        self._rest = text[at:]
        if len(self._rest) > TOKEN_CHARACTERS_MAX:
            self._rest = ""

    def _token(self, text: str, start: int) -> int:
        """Tell of the token that begins here; where the next one does, or -1 when this one has no end yet."""
        self._tokens_left -= SCANNED_COST
        for opening, closing in WHOLE:
            if text.startswith(opening, start):
                end = text.find(closing, start + len(opening))
                if end >= 0 and opening != "<!--":
                    self.said(text[start + len(opening) : end])
                return end + len(closing) if end >= 0 else -1
        angle = ANGLE.search(text, start + 1)
        if angle is None:
            return -1
        if angle[0] == "<":  # so the one before was meant as a character
            self.said(unescape(text[start : angle.start()]))
            return angle.start()
        self._tag(text[start + 1 : min(angle.start(), start + TAG_CHARACTERS_MAX)])
        return angle.end()

    def _tag(self, tag: str) -> None:
        name = NAME.match(tag.removeprefix("/"))
        if name is None:
            return
        if tag.startswith("/"):
            self._close(name[0].lower())
        elif len(self.stack) < DEPTH_MAX:
            attributes = {}
            for match in ATTRIBUTE.finditer(tag, name.end()):
                attributes[match[1].lower()] = unescape(match[2] or match[3] or match[4] or "")
            self.stack.append(name[0].lower())
            self.opened(self.stack[-1], attributes)
            if tag.endswith("/"):
                self._close(self.stack[-1])

    def _close(self, name: str) -> None:
        if name in self.stack:
            last = ""
            while last != name:
                last = self.stack[-1]
                self.closed(last)
                self.stack.pop()


def _token_start(recent: bytes, error: int) -> int:
    """Where the token begins that is wrong at that place: expat says where in it, and has told of all before it."""
    start = recent.rfind(b"&", 0, error)
    if start < 0 or NO_ENTITY.search(recent, start + 1, error):
        start = error
    tag = recent.rfind(b"<", 0, start + 1)
    return start if tag < 0 or b">" in recent[tag:start] else tag
