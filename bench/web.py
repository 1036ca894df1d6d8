"""Folders of pages behind nginx on loopback: one address for each set, one worker, a log that says what was had.

In: folders. Out: addresses, and for each stretch of time which paths were asked for, with which status.
Never: delays, compression, directory listings.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections import Counter
from pathlib import Path
from types import TracebackType

START_SECONDS_MAX = 10.0  # nginx is up in a tenth of a second; past this it will not come up
LOG_SECONDS_MAX = 10.0  # the log is written as answers end; this only bounds a wait that never should be one

CONFIG = """
daemon off;
worker_processes 1;
pid {home}/nginx.pid;
error_log {home}/error.log error;
events {{ worker_connections 4096; }}
http {{
    types {{ text/html html; text/css css; image/svg+xml svg; application/javascript js; }}
    default_type application/octet-stream;
    client_body_temp_path {home}/client; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
    sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_timeout 600s; keepalive_requests 100000000;
    open_file_cache max=40000 inactive=600s; open_file_cache_valid 600s;
    log_format seen escape=json '["$server_addr",$status,"$request_method",$bytes_sent,"$uri"]';
    access_log {home}/access.log seen;
{servers}
}}
"""


class Seen:
    """What the log says of one crawl: how often each page was had, and what else was asked for."""

    def __init__(self, lines: list[str]) -> None:
        self.pages: Counter[tuple[str, str]] = Counter()  # (address, path as the file system has it), 200 to a GET
        self.others: Counter[int] = Counter()  # everything else, by status
        self.sent_bytes = 0
        for line in lines:
            address, status, method, sent, path = json.loads(line)
            self.sent_bytes += sent
            if status == 200 and method == "GET":
                self.pages[address, path] += 1
            else:
                self.others[status] += 1


class Web:
    """nginx with one loopback address a folder: 127.0.0.11, .12 and so on, all on one high port."""

    def __init__(self, folders: list[Path]) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="halflife-bench-web-"))
        self.addresses = [f"127.0.0.{11 + number}" for number in range(len(folders))]
        self.port = _free_port(self.addresses)
        self._log = self.home / "access.log"
        self._offset = 0
        self._process = self._start(folders)

    def origin(self, number: int) -> str:
        """Where the folder of that number is served."""
        return f"http://{self.addresses[number]}:{self.port}"

    def forget(self) -> None:
        """What was asked for until now belongs to nobody."""
        self.seen()

    def seen(self) -> Seen:
        """What was asked for since the last time."""
        lines = self._lines_up_to_now()
        return Seen(lines)

    def _lines_up_to_now(self) -> list[str]:
        # One worker writes the log in the order of its answers: once a question of our own is in it, so is all before.
        mark = f"/{uuid.uuid4().hex}"
        try:
            urllib.request.urlopen(self.origin(0) + mark, timeout=LOG_SECONDS_MAX).close()
        except urllib.error.HTTPError as missing:
            missing.close()
        give_up = time.monotonic() + LOG_SECONDS_MAX
        while time.monotonic() < give_up:
            with self._log.open("rb") as log:
                log.seek(self._offset)
                new = log.read()
            before, found, _ = new.partition(mark.encode())
            if found and new.endswith(b"\n"):
                self._offset += len(new)
                return before.decode().splitlines()[:-1]  # the last is the beginning of the mark's own line
            time.sleep(0.01)
        raise RuntimeError(f"nginx does not write {self._log}")

    def _start(self, folders: list[Path]) -> subprocess.Popen[bytes]:
        # Started by root, nginx serves as nobody: its own folder must let it through to its temporary files.
        self.home.chmod(0o755)
        servers = "\n".join(
            f"    server {{ listen {address}:{self.port} reuseport backlog=1024; root {folder.resolve()}; }}"
            for address, folder in zip(self.addresses, folders, strict=True)
        )
        config = self.home / "nginx.conf"
        config.write_text(CONFIG.format(home=self.home, servers=servers))
        command = [nginx_path() or "nginx", "-p", str(self.home), "-c", str(config), "-e", str(self.home / "error.log")]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        give_up = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < give_up and process.poll() is None:
            try:
                for address in self.addresses:
                    socket.create_connection((address, self.port), timeout=1).close()
                return process
            except OSError:
                time.sleep(0.02)
        process.terminate()
        raise RuntimeError(f"nginx does not start: {(self.home / 'error.log').read_text(errors='replace').strip()}")

    def __enter__(self) -> Web:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def nginx_path() -> str | None:
    """Debian keeps nginx in /usr/sbin, which is on root's path only."""
    return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def _free_port(addresses: list[str]) -> int:
    for _ in range(20):
        with socket.create_server((addresses[0], 0)) as taken:
            port = int(taken.getsockname()[1])
        try:
            for address in addresses:
                socket.create_server((address, port)).close()
        except OSError:
            continue
        return port
    raise RuntimeError("no port is free on every loopback address of the sets")
