"""A proxy between Playwright and Debian's Firefox, whose WebDriver BiDi is older than Playwright's.

It is started in place of Firefox, with the same arguments. It answers the commands that this
Firefox does not support and no test needs.
"""

import json
import os
import re
import subprocess
import sys
import threading

from websockets.sync.client import connect
from websockets.sync.server import serve

FIREFOX = os.environ.get("FIREFOX", "/usr/bin/firefox-esr")
# Color scheme and reduced motion are preferences of the whole browser; browsers.py sets them.
UNKNOWN = {"emulation.setMediaFeaturesOverride"}


def main():
    firefox = subprocess.Popen([FIREFOX, *sys.argv[1:]], stderr=subprocess.PIPE, text=True)
    for line in firefox.stderr:
        found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
        if found:
            break
        sys.stderr.write(line)
    else:
        sys.exit(firefox.wait())
    threading.Thread(target=firefox.stderr.read, daemon=True).start()
    with serve(lambda page: join(page, found.group(1)), "127.0.0.1", 0, max_size=None, compression=None) as door:
        threading.Thread(target=door.serve_forever, daemon=True).start()
        print(f"WebDriver BiDi listening on ws://127.0.0.1:{door.socket.getsockname()[1]}", file=sys.stderr, flush=True)
        status = firefox.wait()
    sys.exit(status)


def join(player, address):
    with connect(address + player.request.path, max_size=None, compression=None) as browser:
        threading.Thread(target=forward, args=(browser, player), daemon=True).start()
        for text in player:
            message = json.loads(text)
            if message.get("method") in UNKNOWN:
                player.send(json.dumps({"type": "success", "id": message["id"], "result": {}}))
            else:
                browser.send(text)


def forward(browser, player):
    for text in browser:
        player.send(text)


if __name__ == "__main__":
    main()
