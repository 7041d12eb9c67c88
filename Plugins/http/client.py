"""Requests with a time limit, a size limit and conditions; responses piece by piece."""

import base64
import email.utils
import http.client
import socket
import ssl
import time
import zlib
from urllib.parse import urljoin, urlsplit

REDIRECTS = 5
PIECE = 65_536
LONGEST_RETRY = 3_600  # seconds that a server may ask for


class Unavailable(Exception):
    """A request without a usable response. `pause` is the time that the server asks for."""

    def __init__(self, text, pause=None):
        super().__init__(text)
        self.pause = pause


class Response:
    """The head of a response, and its body piece by piece."""

    def __init__(self, connection, response, limit, deadline):
        self.connection, self.response, self.limit, self.deadline = connection, response, limit, deadline
        self.status = response.status
        self.type = response.getheader("Content-Type", "").split(";")[0].strip().lower()
        encoding = response.getheader("Content-Encoding", "identity").lower()
        if encoding not in ("identity", "gzip"):
            raise Unavailable(f"the response has the unknown encoding “{encoding[:40]}”")
        self.unpack = zlib.decompressobj(31) if encoding == "gzip" else None

    def close(self):
        self.connection.close()

    def pieces(self):
        """Yields the decoded bytes as they come; ends with the body."""
        size = 0
        while True:
            if self.deadline is not None:
                rest = self.deadline - time.monotonic()
                if rest <= 0:
                    raise Unavailable("the response has not ended in time: set timeout")
                self.connection.sock and self.connection.sock.settimeout(rest)
            try:
                piece = self.response.read1(PIECE)
            except (OSError, http.client.HTTPException) as error:
                raise Unavailable(reason(error)) from None
            if not piece:
                # A body that is cut off must not pass for a shorter list.
                if self.response.length:
                    raise Unavailable(f"the response was cut off: {self.response.length:,} bytes are missing")
                if self.unpack is not None and not self.unpack.eof:
                    raise Unavailable("the compressed response was cut off")
                return
            for part in self._unpacked(piece):
                size += len(part)
                if self.limit is not None and size > self.limit:
                    raise Unavailable(f"the response has more than {self.limit:,} bytes: set limit")
                yield part

    def _unpacked(self, piece):
        if self.unpack is None:
            yield piece
            return
        try:
            while piece:
                yield self.unpack.decompress(piece, PIECE)
                piece = self.unpack.unconsumed_tail
        except zlib.error as error:
            raise Unavailable(f"the compressed response is damaged: {error}") from None


def reason(error):
    """A failed connection in words."""
    if isinstance(error, (socket.timeout, TimeoutError)):
        return "no answer in time: set timeout"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {error.verify_message}; set ca if it is your own"
    if isinstance(error, ConnectionRefusedError):
        return "no server listens there"
    if isinstance(error, socket.gaierror):
        return "unknown host"
    if isinstance(error, http.client.IncompleteRead):
        return "the response was cut off"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return f"{type(error).__name__}: {error}"[:200]


def pause_of(header):
    """The seconds of a Retry-After header, or None."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(header).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return min(max(seconds, 0), LONGEST_RETRY) if seconds == seconds else None


class Client:
    """Requests to one address."""

    def __init__(self, options):
        self.options = options

    def get(self, headers, limit, is_endless=False):
        """Returns the response to GET after redirects. Raises Away unless it is 200 or 304."""
        url = self.options.url
        home = urlsplit(url)[:2]
        for _ in range(REDIRECTS + 1):
            response = self._request(url, headers, urlsplit(url)[:2] == home, limit, is_endless)
            if response.status in (200, 304):
                return response
            response.close()
            if response.status in (301, 302, 303, 307, 308):
                location = response.response.getheader("Location", "")
                url = urljoin(url, location)
                if (
                        urlsplit(url).scheme not in ("http", "https")
                        or (home[0] == "https" and urlsplit(url).scheme != "https")):
                    raise Unavailable(f"status {response.status} leads to “{location[:200]}”, which is not followed")
                continue
            raise Unavailable(
                f"status {response.status} {response.response.reason}".strip(),
                pause_of(response.response.getheader("Retry-After")),
            )
        raise Unavailable(f"more than {REDIRECTS} redirects")

    def _request(self, url, headers, is_home, limit, is_endless):
        options, parts = self.options, urlsplit(url)
        if parts.scheme == "https":
            connection = http.client.HTTPSConnection(
                parts.hostname, parts.port, timeout=options.timeout, context=options.context)
        else:
            connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=options.timeout)
        deadline = None if is_endless else time.monotonic() + options.timeout
        sent = {"User-Agent": "rowcast", "Accept-Encoding": "identity" if is_endless else "gzip", **headers}
        # Credentials and own headers are for the address of the settings only.
        if is_home:
            sent.update(options.headers)
            if options.token is not None:
                sent["Authorization"] = f"Bearer {options.token}"
            elif options.password is not None:
                pair = f"{options.user}:{options.password}".encode()
                sent["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
        try:
            connection.request("GET", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), headers=sent)
            return Response(connection, connection.getresponse(), limit, deadline)
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise Unavailable(reason(error)) from None
