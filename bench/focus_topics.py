"""Twelve topics, and which pages of the three sets are about them. Data only.

The rule was fixed before anything was measured: a page is relevant when its path is in the list, whatever its text
says. A path that ends in "/" stands for everything below it, "*" for any characters. Nothing here is seen by a scorer.
The first six topics were used to choose the constants of the default mode; the others were not looked at until that
was done.
"""

from __future__ import annotations

import re
from fnmatch import translate
from typing import NamedTuple


class FocusTopic(NamedTuple):
    """What is typed, and which pages are about it: paths in each set."""

    text: str
    tuning: bool
    python: tuple[str, ...]
    cpp: tuple[str, ...]
    java: tuple[str, ...]

    def rule(self) -> dict[str, re.Pattern[str]]:
        """For each set, a pattern that its relevant paths match."""
        return {"python": _pattern(self.python), "cpp": _pattern(self.cpp), "java": _pattern(self.java)}


def _pattern(paths: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(f"{path}*" if path.endswith("/") else path) for path in paths))


TOPICS = (
    FocusTopic(
        "regular expressions",
        True,
        ("library/re.html", "howto/regex.html"),
        ("en/cpp/regex/", "en/cpp/regex.html"),
        ("java.base/java/util/regex/",),
    ),
    FocusTopic(
        "file system paths",
        True,
        ("library/pathlib.html", "library/os.path.html", "library/shutil.html", "library/glob.html",
         "library/fnmatch.html", "library/tempfile.html", "library/filesys.html", "library/filecmp.html",
         "library/fileinput.html", "library/linecache.html", "library/stat.html"),
        ("en/cpp/filesystem/", "en/cpp/filesystem.html", "en/cpp/experimental/fs/", "en/cpp/experimental/fs.html",
         "en/cpp/header/filesystem.html"),
        ("java.base/java/nio/file/", "java.base/java/io/File.html", "java.base/java/io/class-use/File.html"),
    ),
    FocusTopic(
        "xml parsing",
        True,
        ("library/xml*.html", "library/pyexpat.html", "library/markup.html", "library/html.parser.html"),
        ("none",),
        ("java.xml/", "jdk.xml.dom/"),
    ),
    FocusTopic(
        "memory allocation",
        True,
        ("c-api/memory.html", "c-api/allocation.html", "c-api/gcsupport.html", "library/gc.html",
         "library/tracemalloc.html", "library/weakref.html"),
        ("en/cpp/memory/", "en/cpp/memory.html", "en/c/memory/", "en/c/memory.html", "en/cpp/header/memory.html",
         "en/cpp/header/memory_resource.html", "en/cpp/experimental/memory_resource/", "en/cpp/language/new.html",
         "en/cpp/language/delete.html"),
        ("java.base/java/lang/ref/", "java.management/java/lang/management/Memory*.html"),
    ),
    FocusTopic(
        "sound audio midi",
        True,
        ("library/audioop.html", "library/wave.html", "library/aifc.html", "library/sunau.html", "library/mm.html",
         "library/ossaudiodev.html", "library/sndhdr.html", "library/winsound.html", "library/chunk.html"),
        ("none",),
        ("java.desktop/javax/sound/", "java.desktop/java/applet/AudioClip.html",
         "java.desktop/java/applet/class-use/AudioClip.html"),
    ),
    FocusTopic(
        "date time calendar",
        True,
        ("library/datetime.html", "library/calendar.html", "library/time.html", "library/zoneinfo.html",
         "c-api/datetime.html"),
        ("en/cpp/chrono/", "en/cpp/chrono.html", "en/c/chrono/", "en/c/chrono.html", "en/cpp/header/chrono.html",
         "en/cpp/header/ctime.html"),
        ("java.base/java/time/", "java.base/java/util/*Calendar.html", "java.base/java/util/*Calendar.*.html",
         "java.base/java/util/class-use/*Calendar.html", "java.base/java/util/Date.html",
         "java.base/java/util/class-use/Date.html", "java.base/java/util/*TimeZone.html",
         "java.base/java/util/class-use/*TimeZone.html"),
    ),
    FocusTopic(
        "threads concurrency",
        False,
        ("library/threading.html", "library/_thread.html", "library/multiprocessing*.html", "library/queue.html",
         "library/concurrent*.html", "library/asyncio*.html", "library/contextvars.html", "library/concurrency.html"),
        ("en/cpp/thread/", "en/cpp/thread.html", "en/c/thread/", "en/c/thread.html", "en/cpp/atomic/",
         "en/cpp/atomic.html", "en/c/atomic/", "en/c/atomic.html", "en/cpp/header/thread.html",
         "en/cpp/header/mutex.html", "en/cpp/header/atomic.html", "en/cpp/header/future.html"),
        ("java.base/java/util/concurrent/", "java.base/java/lang/Thread*.html",
         "java.base/java/lang/class-use/Thread*.html", "java.base/java/lang/Runnable.html",
         "java.base/java/lang/class-use/Runnable.html", "java.base/java/lang/InheritableThreadLocal.html"),
    ),
    FocusTopic(
        "random numbers",
        False,
        ("library/random.html", "library/secrets.html"),
        ("en/cpp/numeric/random/", "en/cpp/numeric/random.html", "en/c/numeric/random/", "en/c/numeric/random.html",
         "en/cpp/header/random.html", "en/cpp/experimental/rand*"),
        ("java.base/java/util/*Random*.html", "java.base/java/util/class-use/*Random*.html",
         "java.base/java/util/random/", "java.base/java/security/SecureRandom*.html",
         "java.base/java/security/class-use/SecureRandom*.html"),
    ),
    FocusTopic(
        "cryptography keys signatures",
        False,
        ("library/crypto.html", "library/hashlib.html", "library/hmac.html", "library/secrets.html",
         "library/crypt.html"),
        ("none",),
        ("java.base/java/security/", "java.base/javax/crypto/", "java.xml.crypto/", "java.smartcardio/"),
    ),
    FocusTopic(
        "network sockets",
        False,
        ("library/socket*.html", "library/ipc.html", "library/internet.html", "library/ssl.html",
         "library/select*.html", "library/asyncio-stream.html", "library/asyncio-protocol.html", "howto/sockets.html",
         "library/http*.html", "library/urllib*.html", "library/ftplib.html", "library/smtplib.html",
         "library/ipaddress.html"),
        ("none",),
        ("java.base/java/net/", "java.base/javax/net/", "java.net.http/", "jdk.httpserver/", "jdk.net/",
         "java.base/java/nio/channels/*Socket*", "java.base/java/nio/channels/class-use/*Socket*"),
    ),
    FocusTopic(
        "sql database",
        False,
        ("library/sqlite3.html", "library/dbm.html", "library/persistence.html"),
        ("none",),
        ("java.sql/", "java.sql.rowset/"),
    ),
    FocusTopic(
        "compression zip archive",
        False,
        ("library/zlib.html", "library/gzip.html", "library/bz2.html", "library/lzma.html", "library/zipfile.html",
         "library/tarfile.html", "library/archiving.html", "library/zipapp.html", "library/zipimport.html"),
        ("none",),
        ("java.base/java/util/zip/", "java.base/java/util/jar/", "jdk.zipfs/", "jdk.jartool/"),
    ),
)  # fmt: skip
