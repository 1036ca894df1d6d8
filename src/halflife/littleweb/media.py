"""Pictures, a sound, a film and a document, small and made by hand: what pages hold that is no page."""

from __future__ import annotations

import math
import struct
import zlib
from html import escape

from halflife.littleweb.wire import Reply

SOUND_HERTZ = 8000
ICON_PIXELS = 32


def picture(sky: str, panels: int, sun: tuple[int, int]) -> Reply:
    """A house on a hill, with so many panels on its roof."""
    glass = "".join(
        f'<path d="M{216 + 44 * at} 158h36l-14 50h-36z" fill="#1e3a5f" stroke="#8fa9c4"/>' for at in range(panels)
    )
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" width="640" height="320">'
        f'<rect width="640" height="320" fill="{sky}"/><circle cx="{sun[0]}" cy="{sun[1]}" r="36" fill="#f5b942"/>'
        f'<path d="M0 270q320-60 640 0v50H0z" fill="#8fae7b"/>'
        f'<rect x="200" y="215" width="250" height="75" fill="#e8d9c0"/>'
        f'<path d="M170 218l38-68h234l38 68z" fill="#9c4a33"/>{glass}'
        f'<rect x="300" y="240" width="34" height="50" fill="#6b4a35"/></svg>\n'
    )
    return Reply(drawing.encode(), content_type="image/svg+xml")


def icon() -> Reply:
    """A sun, as PNG."""
    middle = (ICON_PIXELS - 1) / 2
    rows = [
        b"\0" + bytes(1 if math.hypot(x - middle, y - middle) < middle * 0.8 else 0 for x in range(ICON_PIXELS))
        for y in range(ICON_PIXELS)
    ]
    head = struct.pack(">IIBBBBB", ICON_PIXELS, ICON_PIXELS, 8, 3, 0, 0, 0)  # 8 bits a pixel, colours by palette
    colours = bytes((0xFB, 0xFA, 0xF7, 0xF5, 0xB9, 0x42))
    chunks = (b"IHDR", head), (b"PLTE", colours), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b"")
    body = b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(name, data) for name, data in chunks)
    return Reply(body, content_type="image/png")


def hum(seconds: float = 0.5) -> Reply:
    """The hum of an inverter, as WAV."""
    count = int(SOUND_HERTZ * seconds)
    samples = bytes(round(128 + 30 * math.sin(math.tau * 100 * at / SOUND_HERTZ)) for at in range(count))
    form = struct.pack("<HHIIHH", 1, 1, SOUND_HERTZ, SOUND_HERTZ, 1, 8)  # plain samples, one channel, 8 bits
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", count) + samples
    return Reply(b"RIFF" + struct.pack("<I", len(body)) + body, content_type="audio/wav")


def film() -> Reply:
    """The first box of an MP4 file, without pictures: all that a crawler needs to tell what it is."""
    box = b"ftypisom\0\0\2\0isomiso2mp41"
    return Reply(struct.pack(">I", len(box) + 4) + box, content_type="video/mp4")


def document(lines: list[str]) -> Reply:
    """A PDF of one page. Lines are plain text without brackets."""
    text = "".join(f"({line}) Tj T* " for line in lines)
    drawing = f"BT /F1 16 Tf 60 760 Td 24 TL {text}ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(drawing)}>>stream\n{drawing}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj{content}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF\n"
    body += f"xref\n0 {size}\n0000000000 65535 f \n{table}{end}"
    return Reply(body.encode("latin-1"), content_type="application/pdf")


def figure(src: str, alt: str, caption: str) -> str:
    """Markup for a picture with a caption."""
    image = f'<img src="{escape(src)}" alt="{escape(alt)}" style="max-width:100%">'
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def _png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
