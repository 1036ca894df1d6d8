"""Which charset bytes are in."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.page.charset import CODECS, DECLARED_BYTES, GUESSES, LABELS, MANY_BYTES, SURE_CHARACTERS, in_utf8

TEXTS = {
    "windows-1252": "Die Müllabfuhr fährt häufig über die Brücke; l’été à la forêt, où naît la rivière – voilà.",
    "windows-1250": "Příliš žluťoučký kůň úpěl ďábelské ódy. Zażółć gęślą jaźń, więc śpiewaj łagodnie.",
    "windows-1251": "Солнечная энергия и ветер дают свет каждому дому в деревне.",
    "koi8-r": "Солнечная энергия и ветер дают свет каждому дому в деревне.",
    "ibm866": "Солнечная энергия и ветер дают свет каждому дому в деревне.",
    "windows-1253": "Η ηλιακή ενέργεια και ο άνεμος δίνουν φως σε κάθε σπίτι του χωριού.",
    "windows-1255": "אנרגיה סולארית ורוח נותנות אור לכל בית בכפר הקטן ליד הים",
    "windows-1256": "الطاقة الشمسية والرياح تعطي النور لكل بيت في القرية الصغيرة",
    "windows-874": "พลังงานแสงอาทิตย์และลมให้แสงสว่างแก่ทุกบ้านในหมู่บ้าน",
    "shift_jis": "太陽光と風のエネルギーは、村のすべての家に光を与えています。",
    "euc-jp": "太陽光と風のエネルギーは、村のすべての家に光を与えています。",
    "euc-kr": "태양 에너지와 바람은 마을의 모든 집에 빛을 줍니다.",
    "gb18030": "太阳能和风力为村里的每一座房子提供照明，这是很重要的。",
    "big5": "太陽能和風力為村裡的每一座房子提供照明，這是很重要的。",
}


def encoded(name: str, text: str | None = None) -> bytes:
    return (TEXTS[name] if text is None else text).encode(CODECS.get(name, name))


def read(body: bytes, content_type: str = "") -> tuple[str, str]:
    text, name = in_utf8(body, content_type)
    return text.decode(), name


# -- which word counts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "content_type", "name"),
    [
        # a byte order mark before all
        (b"\xef\xbb\xbf<meta charset=koi8-r>\xc3\xbc", "text/html; charset=windows-1251", "utf-8"),
        ("\ufeffü".encode("utf-16-le"), "text/html; charset=utf-8", "utf-16le"),
        ("\ufeffü".encode("utf-16-be"), "text/html; charset=utf-16le", "utf-16be"),
        # then the header
        (b"<meta charset=koi8-r>\xd3\xcf", "text/html; charset=windows-1251", "windows-1251"),
        (b"\xd3\xcf", "text/html;CHARSET = 'Windows-1251'", "windows-1251"),
        (b"\xd3\xcf", 'text/html; x=y; charset="windows-1251"; z', "windows-1251"),
        # then the markup
        (b"<meta charset=koi8-r>\xd3\xcf", "text/html", "koi8-r"),
        (b"<META a='b' Charset='KOI8-R'>\xd3\xcf", "text/html; charset=no-such-thing", "koi8-r"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">\xd3\xcf', "", "koi8-r"),
        (b'<?xml version="1.0" encoding="koi8-r"?>\xd3\xcf', "", "koi8-r"),
        (b" " * (DECLARED_BYTES - 22) + b"<meta charset=koi8-r>\xd3\xcf", "", "koi8-r"),
        (b"<meta charset=>f\xfcr", "", "windows-1252"),
        (b"<meta charset=utf-16><p>\xc3\xbc", "", "utf-8"),  # whoever can read this is not reading UTF-16
        # then what it looks like
        ("ü".encode(), "", "utf-8"),
        (b"<p>\xfc", "", "windows-1252"),
        (b"la porte \xe0 c\xf4t\xe9", "", "windows-1252"),
        (b"he is \xe0 la carte", "", "windows-1252"),
        (b"End.\xa0 Next. \xa0\xa0Last", "", "windows-1252"),
        (b"\x93So\x94, it\x92s \x93good\x94", "", "windows-1252"),
        (b"<li>\xdcber \xa9 2024", "", "windows-1252"),
        (b" " * DECLARED_BYTES + b"<meta charset=koi8-r>" + encoded("windows-1251"), "", "windows-1251"),
        (b"", "", "utf-8"),
        (b"plain", "", "utf-8"),
        (b"plain", "text/plain; charset=us-ascii", "windows-1252"),
        (b"plain", "text/plain; charset=utf-8", "utf-8"),
    ],
)
def test_who_is_believed(body: bytes, content_type: str, name: str) -> None:
    assert read(body, content_type)[1] == name


@pytest.mark.parametrize("size", [4, 5, 200])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("content_type", ["", "text/html; charset=utf-8", "text/html; charset=utf-16"])
def test_utf_16_without_a_mark(size: int, codec: str, content_type: str) -> None:
    text = "<p>" + "ü" * size
    assert read(text.encode(codec), content_type) == (text, codec.replace("-16-", "-16"))


@pytest.mark.parametrize("label", ["utf-16", "UTF-16LE", "unicode"])
def test_a_label_of_utf_16_on_a_text(label: str) -> None:
    body = "Über allen Gipfeln".encode("utf-16-le")
    assert read(body, f"text/plain; charset={label}") == ("Über allen Gipfeln", "utf-16le")
    assert read("Über allen Gipfeln".encode(), f"text/plain; charset={label}") == ("Über allen Gipfeln", "utf-8")


@pytest.mark.parametrize(
    "name", ["windows-1252", "windows-1251", "iso-8859-2", "koi8-r", "gb18030", "shift_jis", "big5", "euc-kr"]
)
def test_utf_8_is_known_in_spite_of_its_label(name: str) -> None:
    text = "Größenmaße für ältere Öfen: 太陽光と風のエネルギー" * 3
    assert read(text.encode(), f"text/html; charset={name}") == (text, "utf-8")
    assert read(f"<meta charset={name}>{text}".encode()) == (f"<meta charset={name}>{text}", "utf-8")


def test_few_characters_that_may_be_either_are_what_the_label_says() -> None:
    body = "指".encode("gb18030")
    assert read(body * 3, "text/html; charset=gb2312") == ("指" * 3, "gb18030")
    assert read(body * 3) == (body.decode() * 3, "utf-8")
    assert read(body * SURE_CHARACTERS, "text/html; charset=gb2312") == (body.decode() * SURE_CHARACTERS, "utf-8")


def test_a_charset_in_which_much_is_invalid_is_not_believed() -> None:
    russian = TEXTS["windows-1251"]
    assert read(encoded("windows-1251"), "text/html; charset=utf-8") == (russian, "windows-1251")
    assert (
        read(b"<meta charset=windows-1251>" + encoded("windows-1251"), "text/html; charset=utf-8")[1] == "windows-1251"
    )
    # One stray byte is no reason.
    assert read("Größe".encode() + b"\xff", "text/html; charset=utf-8") == ("Größe\ufffd", "utf-8")
    assert read("Größe".encode() * 20 + b"\xff") == ("Größe" * 20 + "\ufffd", "utf-8")


# -- what labels mean --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["iso-8859-1", "ISO_8859-1", "latin1", "us-ascii", "ascii", "cp1252", "windows-1252"])
def test_latin_1_is_windows_1252(label: str) -> None:
    assert read(b"\x80 \x93caf\xe9\x94 \x85", f"text/html; charset={label}") == ("€ “café” …", "windows-1252")


@pytest.mark.parametrize("raw", range(0xA0, 0x100))
def test_the_upper_half_of_windows_1252_is_that_of_latin_1(raw: int) -> None:
    assert read(b"\xff\xfd\x80" + bytes([raw]), "x; charset=latin1")[0] == "ÿý€" + chr(raw)


@pytest.mark.parametrize(
    ("label", "raw", "text"),
    [
        ("gb2312", "㐀鎔".encode("gb18030"), "㐀鎔"),
        ("gbk", "镕".encode("gbk"), "镕"),
        ("shift-jis", b"\x87\x40", "①"),
        ("ks_c_5601-1987", "똠".encode("cp949"), "똠"),
        ("iso-8859-9", b"\xfe\x80", "ş€"),
        ("tis-620", b"\xa1\x80", "ก€"),
        ("iso-8859-8-i", b"\xe0", "א"),
        ("cp866", b"\x80", "А"),
        ("mac", b"\x8a", "ä"),
        ("latin2", b"\xb1", "ą"),
        ("iso8859-15", b"\xa4", "€"),
        ("big5", b"\xa4\xa4", "中"),
        ("iso-2022-jp", "中".encode("iso2022_jp"), "中"),
    ],
)
def test_labels_mean_what_they_mean_to_browsers(label: str, raw: bytes, text: str) -> None:
    assert read(b"<p>" + raw, f"text/html; charset={label}")[0] == f"<p>{text}"


def test_every_label_has_a_decoder() -> None:
    assert set(LABELS) >= {"utf-8", "utf8", "iso-8859-2", "windows-1258", "koi8-u", "gbk"}
    for name in {*LABELS.values(), *MANY_BYTES, *(guess[0] for guess in GUESSES)}:
        assert codecs.lookup(CODECS.get(name, name))
        assert LABELS[name] == name


# -- guesses -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("label", ["", "no-such-thing", "utf-8"])
def test_the_charset_of_a_sentence_is_guessed(name: str, label: str) -> None:
    content_type = f"text/html; charset={label}" if label else ""
    markup = f'<html><body class="x"><p>{TEXTS[name]}</p>\n<p>and some English</p></body></html>'
    assert read(encoded(name, markup), content_type) == (markup, name)


def test_the_charset_of_a_long_text_is_guessed_from_its_beginning() -> None:
    text = TEXTS["koi8-r"] * 500
    assert read(encoded("koi8-r", text)) == (text, "koi8-r")


def test_noise_is_something() -> None:
    assert read(bytes(range(128, 256)))[1] in LABELS


labels = st.sampled_from(
    sorted({*LABELS, "no-such-thing", "utf-7", "hz-gb-2312", "rot13", "base64", "idna", "undefined"})
)


@given(st.binary(max_size=200), labels, labels)
def test_any_bytes_with_any_label_become_text(body: bytes, label: str, declared: str) -> None:
    for content_type in ("", f"text/html; charset={label}"):
        for whole in (body, f"<meta charset={declared}>".encode() + body):
            text, name = in_utf8(whole, content_type)
            text.decode()
            assert name in LABELS


@given(st.text(min_size=SURE_CHARACTERS), labels)
def test_utf_8_with_a_mark_is_never_misread(text: str, label: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    assert read(b"\xef\xbb\xbf" + text.encode(), f"text/html; charset={label}") == (text, "utf-8")


@given(st.text(max_size=100))
def test_what_is_declared_rightly_is_read(text: str) -> None:
    markup = f'<?xml version="1.0" encoding="utf-8"?><p>{text.encode("utf-8", "replace").decode()}</p>'
    assert read(markup.encode()) == (markup, "utf-8")
    for name in ("gb18030", "utf-16le", "utf-16be"):
        assert read(markup.encode(name), f"text/xml; charset={name}")[0] == markup
