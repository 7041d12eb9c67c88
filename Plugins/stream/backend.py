"""The interface between a table and a message system."""

from collections import namedtuple

#: A message. `place` describes its position for people, `key` is the subject or the key of Kafka,
#: `time` milliseconds since 1970, and `value` bytes, the fields of Redis as a dict, or None.
Message = namedtuple("Message", "place key time value is_delete")

#: Messages that left the stream before they were read. `count` is None if it is unknown. With
#: `reloads` the rows of a table with the latest values are read again.
Gap = namedtuple("Gap", "count text reloads")


class Unavailable(Exception):
    """The server is not reachable, refuses, or has no such stream; a later attempt may succeed."""


class Backend:
    """A stream that is read from a position on. All methods may raise `Unavailable`.

    - `connect()` connects, and returns at once if the connection is up.
    - `begin(newest)` moves to the first message that the table needs: the `newest`-th from the end, or
      with None the first that decides about the latest values.
    - `resume()` continues behind the last message that was read, and returns a `Gap` or None.
    - `read(timeout)` returns messages in order, at most some thousands; none after `timeout` seconds.
    - `is_caught_up()` is whether all messages that existed at `begin` were read.
    - `status()` returns how many messages are left to read, or None, and a list of gaps.
    - `earlier(key, place)` returns the last messages of a key before a place, if `begin` left them out.
    - `row_key(place)` is the key of a row of the newest messages.
    """

    name = ""
    key_kind = "text"
    key_title = "Key"

    def earlier(self, key, place):
        return []

    def row_key(self, place):
        return place

    def describe(self, place):
        """The position of a message in words."""
        return str(place)

    def close(self):
        pass
