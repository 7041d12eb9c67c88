"""Connections to PostgreSQL through libpq, and messages about them without passwords."""

import os
import re
import sys
import threading

import psycopg2
import psycopg2.extensions
from psycopg2.extras import LogicalReplicationConnection

psycopg2.extensions.register_type(psycopg2.extensions.UNICODE)

#: Session settings on which the forms of values depend.
SESSION = {
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "standard_conforming_strings": "on",
    "default_transaction_read_only": "on",
    # Compiling a page's statement takes longer than the page.
    "jit": "off",
}
LOST = (psycopg2.OperationalError, psycopg2.InterfaceError)


class Refusal(Exception):
    """A setting that the source cannot work with."""

    def __init__(self, setting, reason):
        super().__init__(reason)
        self.setting = setting


class Log:
    """Lines on standard error, which the host writes to its log.

    A message with a topic is written when it differs from the last one of this topic.
    """

    def __init__(self):
        self.logged = {}
        self.lock = threading.Lock()
        self.secrets = []

    def scrub(self, text):
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text

    def write(self, level, text, topic=None):
        with self.lock:
            if topic is not None:
                if self.logged.get(topic) == text:
                    return
                self.logged[topic] = text
                if len(self.logged) > 1_000:
                    self.logged.clear()
            print(f"{level}: {self.scrub(' '.join(text.split()))}", file=sys.stderr, flush=True)


class Database:
    """The connection parameters of the settings."""

    def __init__(self, settings, log):
        self.log = log
        self.timeout = settings.get("timeout", 30)
        for variable, setting in (("PGPASSFILE", "passfile"), ("PGSERVICEFILE", "servicefile")):
            if setting in settings:
                if not os.access(settings[setting], os.R_OK):
                    raise Refusal(setting, f"'{settings[setting]}' is not readable for this user")
                os.environ[variable] = settings[setting]
        self.words = {
            "connect_timeout": "10",
            "keepalives_idle": "15",
            "keepalives_interval": "5",
            "keepalives_count": "3",
            "fallback_application_name": "rowcast",
        }
        if "service" in settings:
            self.words["service"] = settings["service"]
        self.words.update(self.parsed(settings.get("dsn", "")))
        if self.words.get("password"):
            log.secrets.append(self.words["password"])

    @staticmethod
    def parsed(dsn):
        try:
            return psycopg2.extensions.parse_dsn(dsn) if dsn else {}
        except psycopg2.Error as error:
            # libpq quotes the part that it cannot read, which may be a password.
            option = re.search(r'invalid connection option "(\w{1,30})"', str(error))
            reason = f"unknown connection option “{option[1]}”" if option else "it cannot be parsed"
            raise Refusal(
                "dsn", f"{reason}; write it as 'host=db dbname=shop user=reader' or postgresql://reader@db/shop"
            ) from None

    def connect(self, replication=False):
        words = dict(self.words, client_encoding="UTF8")
        if replication:
            return psycopg2.connect(connection_factory=LogicalReplicationConnection, **words)
        connection = psycopg2.connect(**words)
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                session = dict(SESSION, statement_timeout=str(int(self.timeout * 1_000)))
                cursor.execute(
                    "SELECT " + ", ".join("set_config(%s, %s, false)" for _ in session),
                    [word for pair in session.items() for word in pair],
                )
            if connection.server_version < 130_000:
                raise Refusal(
                    "dsn", f"the server has version {connection.server_version // 10_000}; 13 or newer is needed"
                )
            connection.set_session(isolation_level="REPEATABLE READ", readonly=True, autocommit=False)
        except BaseException:
            connection.close()
            raise
        return connection

    def reason(self, error):
        """An error in one line, without secrets."""
        diagnostics = getattr(error, "diag", None)
        text = (getattr(diagnostics, "message_primary", None) or str(error)).strip() or type(error).__name__
        hint = getattr(diagnostics, "message_hint", None)
        return self.log.scrub(" ".join((text + (f" ({hint})" if hint else "")).split()))


def run(cursor, sql, values):
    """Executes a statement. Percent signs are doubled in `sql`, with or without parameters."""
    if values:
        cursor.execute(sql, values)
    else:
        cursor.execute(sql.replace("%%", "%"))
    return cursor
