"""How the little web's pages look: one plain frame for all sites, with a colour and a menu of their own."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from msgspec import Struct

from halflife.littleweb.wire import Reply

STYLE = """
body{font:17px/1.6 Georgia,serif;margin:0;color:#222;background:#fbfaf7}
header{background:var(--c);color:#fff;padding:14px 0}
header div,main,footer{max-width:760px;margin:auto;padding:0 20px}
header b{font:600 21px system-ui,sans-serif}
nav{font:15px system-ui,sans-serif;padding-top:4px}
nav a{color:#fff;margin-right:16px;text-decoration:none;border-bottom:1px solid #fff8}
h1{font:600 29px/1.25 system-ui,sans-serif;margin:28px 0 10px}
h2{font:600 20px system-ui,sans-serif;margin:26px 0 6px}
main a{color:var(--c)}
figure{margin:18px 0}figcaption{font-size:14px;color:#666}
table{border-collapse:collapse;font:15px system-ui,sans-serif}
td{padding:6px 16px 6px 0;vertical-align:top;border-bottom:1px solid #e5e1d8}
footer{font:13px system-ui,sans-serif;color:#777;padding:26px 20px}
""".strip().replace("\n", "")


# As long as such lines are: a page of few words would be about whatever it mentions once.
CLOSING = (
    "A page of the little web, a handful of made-up sites that live on one machine. People, places and numbers are "
    "invented, and any likeness is chance. You may copy what you like and link to what you find. No scripts, no "
    "cookies, no advertisements; letters are answered on Sunday afternoons."
)


class Look(Struct, frozen=True):
    """What the pages of one site share."""

    name: str
    colour: str
    menu: tuple[tuple[str, str], ...] = ()  # (address, label)
    closing: str = CLOSING


def html_page(look: Look, title: str, body: str, head: str = "") -> str:
    """A whole page. `title` is plain text; `body` and `head` are markup."""
    menu = "".join(link(href, label) for href, label in look.menu)
    nav = f"<nav>{menu}</nav>" if menu else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - {look.name}</title>'
        f'<meta name="viewport" content="width=device-width"><style>:root{{--c:{look.colour}}}{STYLE}</style>'
        f"{head}</head>\n<body><header><div><b>{look.name}</b>{nav}</div></header>\n"
        f"<main><h1>{escape(title)}</h1>\n{body}\n</main>\n<footer>{look.closing}</footer></body></html>\n"
    )


def page_reply(look: Look, title: str, body: str, head: str = "") -> Reply:
    return Reply(html_page(look, title, body, head).encode())


def link(href: str, label: str, rel: str = "") -> str:
    mark = f' rel="{rel}"' if rel else ""
    return f'<a href="{escape(href)}"{mark}>{escape(label)}</a>'


def paragraphs(texts: Iterable[str]) -> str:
    """Paragraphs of plain text."""
    return "\n".join(f"<p>{escape(text)}</p>" for text in texts)


def link_list(links: Iterable[tuple[str, str]]) -> str:
    return "<ul>" + "".join(f"<li>{link(href, label)}</li>\n" for href, label in links) + "</ul>"


def text_reply(text: str, content_type: str = "text/plain; charset=utf-8") -> Reply:
    return Reply(text.encode(), content_type=content_type)


def redirect(location: str, status: int = 302) -> Reply:
    body = f"<!DOCTYPE html><title>Moved</title><p>This page is now {link(location, 'over there')}.</p>"
    return Reply(body.encode(), status, headers=(("Location", location),))


def not_found(look: Look, status: int = 404) -> Reply:
    body = paragraphs(["There is no page at this address.", "It may have been moved, or there never was one."])
    return Reply(html_page(look, "Page not found", body).encode(), status)
