"""The database's description of a table, view or query: columns, types, key and base tables."""

import json
from collections import namedtuple

from columns import Unreadable, columns_of, quoted

#: A column's type: its base type's name, the SQL to cast to it, and what decides about its cells.
Type = namedtuple("Type", "name cast precision scale length labels collation")
#: The order of a text column: `tag` is a language's order that the host knows, too.
Collation = namedtuple("Collation", "is_bytes is_deterministic tag")

BYTES = Collation(True, True, None)
#: Types of a key that the host holds as a number.
KEY_INTEGERS = {"int2", "int4", "int8"}
#: Types whose values a cursor can hold and whose equality is exact.
KEY_TYPES = KEY_INTEGERS | {
    "text",
    "varchar",
    "bpchar",
    "name",
    "uuid",
    "numeric",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "bool",
    "oid",
    "inet",
    "cidr",
    "bytea",
}


def plain(text):
    """SQL whose percent signs are no parameters, for statements with parameters."""
    return text.replace("%", "%%")


class Source:
    """A table or query: `sql` is what follows FROM, with the alias `s`."""

    def __init__(self, database, connection, settings):
        self.name = settings.get("table") or "query"
        self.version = connection.server_version
        self.relations = {}  # base tables: oid to (schema, name, kind)
        self.is_table = "table" in settings
        cursor = connection.cursor()
        if self.is_table:
            self.find_table(cursor, settings["table"])
        else:
            self.oid = None
            self.sql = f"({plain(settings['query'].strip().rstrip(';'))}\n) AS s"
        cursor.execute(self.ready(f"SELECT * FROM {self.sql} LIMIT 0"))
        self.description = list(cursor.description)
        names = [column.name for column in self.description]
        for name in names:
            if names.count(name) > 1:
                raise Unreadable(f"two columns are called “{name}”; give one of them another name with AS")
        cursor.execute("SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()")
        self.is_utf8 = cursor.fetchone()[0] == "UTF8"
        cursor.execute("SELECT EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu')")
        self.folds = cursor.fetchone()[0] and self.is_utf8
        self.find_types(cursor, names)
        series = [name.strip() for name in settings.get("series", "").split(",") if name.strip()]
        for name in series:
            if name not in names:
                raise Unreadable(f"unknown column “{name}”", "series")
        self.columns = []
        for name in names:
            self.columns += columns_of(name, self.types[name], name not in self.required, self.is_utf8, series)
        self.by_name = {}
        for column in self.columns:
            if column.name in self.by_name:
                raise Unreadable(
                    f"the column “{column.name}” is needed for the order of another one; give it another name"
                )
            self.by_name[column.name] = column
        self.find_key(cursor, settings.get("key"))
        for part in self.key:
            column = self.by_name.get(part.name)
            if column is not None and column.kind == "integer":
                column.look["format"] = "plain"  # a number by which rows are known has no separators
        self.find_relations(cursor)

    @staticmethod
    def ready(sql):
        """A statement without parameters."""
        return sql.replace("%%", "%")

    def find_table(self, cursor, name):
        cursor.execute(
            "SELECT c.oid, n.nspname, c.relname, c.relkind::text FROM pg_class c JOIN pg_namespace n ON "
            "n.oid = c.relnamespace "
            "WHERE c.oid = coalesce(to_regclass(%s), to_regclass(quote_ident(%s)))",
            [name, name],
        )
        found = cursor.fetchone()
        if found is None or found[3] not in "rvmfp":
            raise Unreadable(
                f"unknown table or view “{name}” (write it as SCHEMA.NAME when it is in no schema of "
                f"the search path)"
            )
        self.oid, self.schema, self.table, self.relkind = found
        self.full_name = f"{quoted(self.schema)}.{quoted(self.table)}"
        self.sql = f"{self.full_name} AS s"

    def find_types(self, cursor, names):
        oids = list({column.type_code for column in self.description})
        cursor.execute(
            """SELECT t.oid, t.typname, n.nspname, t.typtype::text,
            ARRAY(SELECT enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY enumsortorder)
            FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = ANY(%s)""",
            [oids],
        )
        known = {row[0]: row[1:] for row in cursor.fetchall()}
        collations = self.find_collations(
            cursor,
            [
                column.name
                for column in self.description
                if known[column.type_code][0] in ("text", "varchar") and self.is_utf8
            ],
        )
        self.types = {}
        for column in self.description:
            name, schema, kind, labels = known[column.type_code]
            is_own = schema != "pg_catalog"
            self.types[column.name] = Type(
                # A type of the same name in another schema is another type.
                f"{schema}.{name}" if is_own else name,
                f"{quoted(schema)}.{quoted(name)}",
                (
                    column.precision
                    if name == "numeric" and column.precision is not None and 0 < column.precision <= 1_000
                    else None
                ),
                column.scale if name == "numeric" else None,
                (
                    column.internal_size
                    if name == "varchar" and column.internal_size is not None and column.internal_size > 0
                    else None
                ),
                labels if kind == "e" else [],
                collations.get(column.name, BYTES),
            )
        self.required = set()
        if self.is_table and self.relkind in "rfp":
            cursor.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s AND attnum > 0 AND attnotnull", [self.oid]
            )
            self.required = {row[0] for row in cursor.fetchall()}

    def find_collations(self, cursor, names):
        """The collations of text columns; a query's are those of its expressions."""
        if not names:
            return {}
        what = ", ".join(f"pg_collation_for(s.{quoted(name)})" for name in names)
        cursor.execute(self.ready(f"SELECT {what} FROM (VALUES (1)) AS v LEFT JOIN {self.sql} ON false"))
        found = dict(zip(names, cursor.fetchone()))
        locale = (
            "colllocale" if self.version >= 170_000 else "colliculocale" if self.version >= 150_000 else "collcollate"
        )
        cursor.execute(f"""SELECT quote_ident(n.nspname) || '.' || quote_ident(collname), quote_ident(collname),
              collprovider::text,
            coalesce({locale}, collcollate), collisdeterministic
            FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace""".replace("%", "%%"))
        known = {}
        for full, short, provider, place, deterministic in cursor.fetchall():
            known[full] = (provider, place, deterministic)
            known.setdefault(short, known[full])
        if self.version >= 150_000:
            default = "datlocale" if self.version >= 170_000 else "daticulocale"
            cursor.execute(
                f"SELECT datlocprovider::text, coalesce({default}, datcollate) FROM pg_database WHERE "
                f"datname = current_database()"
            )
        else:
            cursor.execute("SELECT 'c', datcollate FROM pg_database WHERE datname = current_database()")
        known['"default"'] = known["default"] = (*cursor.fetchone(), True)
        return {
            name: collation_of(*known.get(collation, ("c", collation or "", True)))
            for name, collation in found.items()
        }

    def find_key(self, cursor, setting):
        if setting is not None:
            names = [name.strip() for name in setting.split(",")] if setting not in self.types else [setting]
            for name in names:
                if name not in self.types:
                    raise Unreadable(f"unknown column “{name}”", "key")
        else:
            names = []
            if self.is_table:
                cursor.execute(
                    """SELECT array_agg(a.attname::text ORDER BY k.place) FROM pg_index i
                    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(number, place)
                    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
                    WHERE i.indrelid = %s AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND
                      i.indexprs IS NULL
                      AND k.place <= i.indnkeyatts
                    GROUP BY i.indexrelid, i.indisprimary HAVING bool_and(a.attnotnull)
                    ORDER BY i.indisprimary DESC, count(*), i.indexrelid LIMIT 1""",
                    [self.oid],
                )
                found = cursor.fetchone()
                names = found[0] if found else []
            if not names:
                raise Unreadable(
                    "it has no primary key: name the column, or several with commas, whose values differ "
                    "in each row",
                    "key",
                )
        self.key = []
        for name in names:
            type_ = self.types[name]
            if type_.name not in KEY_TYPES and not type_.labels:
                raise Unreadable(
                    f"the column “{name}” of type {type_.name} is not usable as a key; choose one of whole numbers, "
                    f"texts or uuids",
                    "key",
                )
            self.key.append(KeyPart(name, f"s.{quoted(name)}", type_))
        self.key_kind = "integer" if len(names) == 1 and self.types[names[0]].name in KEY_INTEGERS else "text"

    def find_relations(self, cursor):
        """The base tables that the rows come from, as the planner sees them."""
        cursor.execute("EXPLAIN (VERBOSE, FORMAT JSON) " + self.ready(f"SELECT * FROM {self.sql}"))
        plan = cursor.fetchone()[0]
        found = set()
        collect(plan if isinstance(plan, list) else json.loads(plan), found)
        if self.oid is not None and self.relkind in "rpmf":
            found.add((self.schema, self.table))
        for schema, name in found:
            cursor.execute(
                "SELECT c.oid, c.relkind::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE n.nspname = %s AND c.relname = %s",
                [schema, name],
            )
            row = cursor.fetchone()
            if row is None:
                continue
            self.relations[row[0]] = (schema, name, row[1])
            cursor.execute(
                """SELECT c.oid, n.nspname, c.relname, c.relkind::text FROM pg_class c JOIN pg_namespace n ON
                  n.oid = c.relnamespace
                WHERE c.oid IN (SELECT relid FROM pg_partition_ancestors(%s::oid))""",
                [row[0]],
            )
            for oid, *relation in cursor.fetchall():
                self.relations[oid] = tuple(relation)


class KeyPart:
    """A column of the key as the last term of every order."""

    def __init__(self, name, raw, type_):
        self.name, self.raw = name, raw
        self.cast = type_.cast if type_.labels else type_.name
        self.ordered = self.normal = raw
        if type_.name in ("text", "varchar"):
            self.cast = "text"
            if not type_.collation.is_bytes and not type_.collation.is_deterministic:
                self.ordered = self.normal = f'{raw} COLLATE "C"'
        self.may_be_empty = False
        self.filled, self.empty = "true", "false"


def collect(plan, found):
    if isinstance(plan, list):
        for part in plan:
            collect(part, found)
    elif isinstance(plan, dict):
        if "Relation Name" in plan:
            found.add((plan["Schema"], plan["Relation Name"]))
        for part in plan.values():
            collect(part, found)


def collation_of(provider, place, deterministic):
    if provider in ("c", "b", "d"):
        return Collation(place.upper().replace("UTF8", "UTF-8") in ("C", "POSIX", "C.UTF-8"), deterministic, None)
    return Collation(False, deterministic, tag_of(place))


def tag_of(place):
    """The host's name of an ICU order, None when it has none.

    It is a language, with `-u-kn` for runs of digits as numbers.
    """
    language, _, extensions = place.replace("_", "-").partition("-u-")
    parts = [part for part in extensions.split("-") if part and part != "true"]
    if "@" in place or any(
        part not in ("kn", "co", "phonebk", "trad", "pinyin", "stroke", "zhuyin") for part in parts
    ):
        return None
    # The root order is that of English.
    language = "en" if language in ("und", "", "root") else language
    numeric = "kn" in parts
    parts = [part for part in parts if part != "kn"] + (["kn"] if numeric else [])
    return language + ("-u-" + "-".join(parts) if parts else "")


def indexes_hint(source, order):
    """The statement that makes an index for an order, if its table can have one."""
    if not source.is_table or source.relkind not in "rpm":
        return ""
    words = ", ".join(term.ordered.removeprefix("s.") + (" DESC" if term.descending else "") for term in order)
    return source.ready(f"; CREATE INDEX ON {source.full_name} ({words}) would serve it")
