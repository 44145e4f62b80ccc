# SPDX-License-Identifier: GPL-2.0-or-later
"""Serves the page of a drive that is watched, on the loopback address alone:
the page, and what it asks for again and again. There is nothing to write.

Knows nothing of where the numbers come from.
"""

import errno
import http.server
import threading
import time

from femu.common.asked import SettingsError
from femu.live import page

ADDRESS = '127.0.0.1'
LOWEST_PORT = 1024
# A page that has asked since then is still open.
OPEN_S = 3.0
# ... and is told of the end within this.
END_S = 2.0


def port_of(text):
    """LIVE=TEXT. Return: None if it is off, 0 for any free port, or a port."""
    if text in (None, '', '0'):
        return None
    if text == '1':
        return 0
    if text.isdigit() and LOWEST_PORT <= int(text) <= 65535:
        return int(text)
    raise SettingsError('LIVE=%s: must be 1, for any free port, or a port from '
                        '%d to 65535' % (text, LOWEST_PORT))


class Server:
    """A page for a Watched, from now until end()."""

    def __init__(self, port, watched):
        self._watched = watched
        self._asked_at_s = None
        handler = type('Handler', (_Handler,), {'owner': self})
        try:
            self._http = _Http((ADDRESS, port), handler)
        except OSError as error:
            raise SettingsError('LIVE=%d: %s' % (
                port, 'the port is in use: choose another one, or LIVE=1 for '
                'any that is free' if error.errno == errno.EADDRINUSE
                else error.strerror)) from error
        self.port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever,
                                        args=(0.1,), daemon=True)
        self._thread.start()

    @property
    def url(self):
        """What a browser is given."""
        return 'http://%s:%d/' % (ADDRESS, self.port)

    def data(self):
        """Somebody asks. Return: what there is to say, as JSON."""
        self._asked_at_s = time.monotonic()
        return self._watched.json()

    def end(self, text):
        """It has ended, TEXT says how: a page that is open is told."""
        is_open = self._asked_at_s is not None and \
            time.monotonic() - self._asked_at_s < OPEN_S
        self._watched.end(text, END_S if is_open else 0)
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(http.server.ThreadingHTTPServer):
    daemon_threads = False      # closed when all answers are given
    allow_reuse_address = False


class _Handler(http.server.BaseHTTPRequestHandler):
    owner = None
    timeout = END_S             # of who connects and asks for nothing

    def do_GET(self):
        """Answers."""
        # A name that leads here is another site's, which may not look in.
        host = self.headers.get('Host', '').rsplit(':', 1)[0]
        if host not in (ADDRESS, 'localhost'):
            self.send_error(403)
        elif self.path == '/':
            self._send('text/html; charset=utf-8', page.HTML)
        elif self.path == '/data':
            self._send('application/json', self.owner.data())
        else:
            self.send_error(404)

    def _send(self, kind, text):
        data = text.encode()
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(data)))
        self.send_header('Cache-Control', 'no-store')
        self.send_header('Content-Security-Policy', "default-src 'none'; "
                         "style-src 'unsafe-inline'; script-src "
                         "'unsafe-inline'; connect-src 'self'")
        self.end_headers()
        try:
            self.wfile.write(data)
        except OSError:
            pass                        # the browser has gone

    def log_message(self, format, *args):  # pylint: disable=W0622
        """Nothing is printed: standard error is the run's."""
