"""A viewer without a browser: starts `slosh view`, speaks HTTP and WebSocket over plain sockets."""
import base64
import json
import os
import re
import socket
import struct
import subprocess
import time
import zlib

SLOSH = os.environ.get("SLOSH", "build/release/slosh")


class Server:
    """A `slosh view` process."""

    def __init__(self, *args):
        self.process = subprocess.Popen([SLOSH, "view", "--no-browser", "--port", "0", *args],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"open http://(\S+?):(\d+)/(?:\?token=([0-9a-f]+))?", line)
        assert found, f"no link: {line!r} {self.process.stderr.read() if not line else ''}"
        self.port, self.token = int(found[2]), found[3]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def alive(self):
        return self.process.poll() is None

    def resident(self):
        """Memory in use. Bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) * 1024

    def connect(self, timeout=20):
        s = socket.create_connection(("127.0.0.1", self.port), timeout)
        s.settimeout(timeout)
        return s

    def get(self, path, **headers):
        """(status, headers and body) of a GET."""
        s = self.connect()
        lines = {"Host": f"localhost:{self.port}", **headers}
        s.sendall(f"GET {path} HTTP/1.1\r\n".encode() +
                  "".join(f"{k}: {v}\r\n" for k, v in lines.items()).encode() + b"\r\n")
        data = b""
        while chunk := s.recv(65536):
            data += chunk
        s.close()
        return int(data.split()[1]), data


class Refused(Exception):
    """The server did not open a stream; args[0] is the status."""


class Viewer:
    """A WebSocket to a server."""

    def __init__(self, server, path=None, **headers):
        self.socket = server.connect()
        self.rest = b""
        path = path or "/stream" + (f"?token={server.token}" if server.token else "")
        lines = {"Host": f"localhost:{server.port}", "Upgrade": "websocket",
                 "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                 "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(), **headers}
        self.socket.sendall(f"GET {path} HTTP/1.1\r\n".encode() +
                            "".join(f"{k}: {v}\r\n" for k, v in lines.items()).encode() + b"\r\n")
        while b"\r\n\r\n" not in self.rest:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise Refused(0)
            self.rest += chunk
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        status = int(head.split()[1])
        if status != 101:
            raise Refused(status)

    def _take(self, n):
        while len(self.rest) < n:
            chunk = self.socket.recv(1 << 20)
            if not chunk:
                raise ConnectionError("closed")
            self.rest += chunk
        out, self.rest = self.rest[:n], self.rest[n:]
        return out

    def receive(self):
        """The next message: a dict (a text), or a Binary."""
        while True:
            first, second = self._take(2)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self._take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._take(8))[0]
            data = self._take(size)
            kind = first & 15
            if kind == 1:
                return json.loads(data)
            if kind == 2:
                return Binary(data)
            if kind == 8:
                raise ConnectionError("closed by the server")
            if kind == 9:
                self._send(10, data)

    def until(self, wanted, seconds=60):
        """The first message that `wanted` likes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = self.receive()
            if wanted(message):
                return message
        raise AssertionError("nothing of that kind came")

    def frame(self, wanted=lambda header: True, seconds=60):
        """Header of the next frame that `wanted` likes."""
        return self.until(lambda m: isinstance(m, Binary) and m.header["kind"] == "frame"
                          and wanted(m.header), seconds).header

    def state(self, wanted=lambda state: True, seconds=60):
        return self.until(lambda m: isinstance(m, dict) and m["type"] == "state" and wanted(m),
                          seconds)

    def _send(self, kind, data, mask=b"\1\2\3\4"):
        head = bytes([0x80 | kind])
        if len(data) < 126:
            head += bytes([0x80 | len(data)])
        elif len(data) < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(data))
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", len(data))
        self.socket.sendall(head + mask +
                            bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def say(self, text):
        self._send(1, text.encode() if isinstance(text, str) else json.dumps(text).encode())

    def send_binary(self, data):
        self._send(2, data)

    def close(self):
        self.socket.close()


class Binary:
    """A frame or a scene."""

    def __init__(self, data):
        assert data[:4] == b"SLSH"
        size = struct.unpack("<I", data[4:8])[0]
        self.header = json.loads(data[8:8 + size])
        self.bytes = len(data)
        self.packed = data[8 + size:]

    def arrays(self):
        raw = zlib.decompress(self.packed)
        assert len(raw) == self.header["raw"]
        return raw
