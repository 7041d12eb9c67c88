"""A server whose answers and faults a test chooses."""

import http.server
import threading
import time


class Answer:
    """One response: a body, or pieces sent one after another, with faults.

    One that `is_held` is not sent before the server closes.
    """

    def __init__(self, body=b"", status=200, kind="application/json", headers=(), cut=None, pieces=None, is_held=False):
        self.body = body if isinstance(body, bytes) else body.encode()
        self.status, self.kind, self.headers = status, kind, dict(headers)
        self.cut, self.pieces, self.is_held = cut, pieces, is_held


class Server:
    """Serves `answer`, an Answer or a function of the request, at every path."""

    def __init__(self, answer=None, port=0, context=None):
        self.answer = answer
        self.requests = []
        self.news = threading.Condition()
        self.closing = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with outer.news:
                    outer.requests.append((self.path, dict(self.headers)))
                    outer.news.notify_all()
                answer = outer.answer(self) if callable(outer.answer) else outer.answer
                if answer.is_held:
                    outer.closing.wait()
                self.close_connection = True
                try:
                    self.send_response(answer.status)
                    for name, value in {"Content-Type": answer.kind, "Connection": "close", **answer.headers}.items():
                        self.send_header(name, value)
                    if answer.pieces is None and "Content-Length" not in answer.headers:
                        self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    if answer.pieces is None:
                        self.wfile.write(answer.body[: answer.cut])
                    else:
                        for piece in answer.pieces:
                            self.wfile.write(piece)
                            self.wfile.flush()
                except (BrokenPipeError, ConnectionResetError):
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/jobs"

    def until(self, is_done, patience=120):
        """Waits for a condition on the requests."""
        end = time.monotonic() + patience
        with self.news:
            while not is_done(self.requests):
                if not self.news.wait(max(0, end - time.monotonic())) and time.monotonic() >= end:
                    raise AssertionError(f"waited in vain; requests {self.requests[-3:]}")

    def close(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()
