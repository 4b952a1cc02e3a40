"""Random reads of one database: lists by pattern, type and filter, as clients write them and as no
client would. What they ask for is the test's to create: see `TABLES` and `partitions`."""
from thrift_binary import I16, I32, STRING, List, Map, Struct

DEFAULT = "__HIVE_DEFAULT_PARTITION__"
# Table -> its partition keys.
TABLES = {
    "days": [("day", "string"), ("hour", "string")],
    "typed": [("p", "string"), ("q", "int"), ("d", "date")],
    "odd": [("p", "string")],
    "sloppy": [("q", "bigint"), ("d", "date")],
    "plain": [],
}
ODD_TEXTS = ["a", "A", "b", "ab", "a b", "a'b", 'a"b', "a\\b", "a%b", "a_b", "a.b", "é", "10", "2",
             "a/b", "a=b", "z}", "-a", "a-b", DEFAULT]
DATES = ["2023-12-31", "2024-01-01", "2024-01-31", "2024-02-01", "2024-02-29"]
NUMBERS = ["-5", "0", "1", "2", "10", "100"]
HOURS = [f"{hour:02}" for hour in (0, 1, 9, 10, 23)]
# Without partitions; some differ from others in what patterns take for something else.
NAMES = ["orders", "orders_old", "ordersxold", "lineitem", "x_1", "xa1", "x1"]


def partitions(table):
    """The values of the partitions to begin with."""
    if table == "days":
        return [[day, hour] for day in DATES for hour in HOURS]
    if table == "typed":
        return ([[p, q, d] for p in ("a", "b", "c-1") for q in NUMBERS[1:4] for d in DATES[:3]]
                + [["a", DEFAULT, "2024-01-01"], ["b", "1", DEFAULT], [DEFAULT, "2", "2024-01-31"],
                   ["b", "-5", "2024-02-29"], ["a", "100", "2023-12-31"]])
    if table == "odd":
        return [[text] for text in ODD_TEXTS]
    if table == "sloppy":
        return [["1", "2024-01-01"], ["01", "2024-01-01"], ["2", "2024-01-31"]]
    return []


VIEW = "view_of_days"
LIST_FILTERS = ['hive_filter_field_owner__ = "tester"',
                'hive_filter_field_params__EXTERNAL = "TRUE"',
                'hive_filter_field_params__kind <> "x"', 'hive_filter_field_owner__ like "t.*"',
                "hive_filter_field_last_access__ > 5", "junk"]


class ReadStream:
    """`next()` is a (method, arguments) pair; the same ones for the same random numbers."""

    def __init__(self, rng, db, version):
        self._rng = rng
        self._db = db
        self._is_hive4 = version.startswith("4.")
        self._has_catalogs = not version.startswith("2.")
        self._asked = []

    def next(self):
        # What has been asked before may be answered by what was kept of it.
        if self._asked and self._rng.random() < 0.3:
            return self._rng.choice(self._asked)
        makers = [(self._by_filter, 8), (self._count, 3), (self._names, 8), (self._lists, 6),
                  (self._schema, 4), (self._content, 4)]
        if self._is_hive4:
            makers += [(self._by_filter_req, 4), (self._newer, 3)]
        made = self._rng.choices([maker for maker, _ in makers],
                                 [weight for _, weight in makers])[0]()
        self._asked.append(made)
        return made

    # --- Names

    def _db_argument(self):
        if self._has_catalogs and self._rng.random() < 0.4:
            return f"@hive#{self._db}"
        return self._db.upper() if self._rng.random() < 0.1 else self._db

    def _partitioned(self):
        return self._rng.choice(["days", "days", "typed", "typed", "odd", "sloppy"])

    def _table(self):
        return self._rng.choice([*TABLES, "orders", VIEW, "nowhere"])

    def _pattern_of_names(self):
        return self._rng.choice(["*", ".*", "orders*", "ORDERS*", "*old", "o*s|line*", "x_1", "x.1",
                                 "x*1", "orders", "none*", "days|typed|odd", "ord.rs", "*_*",
                                 "orders.*", "[ox].*", "x%", "(?i)Orders", "view*", "*o*d*"])

    def _pattern_of_databases(self):
        db = self._db
        return self._rng.choice(["*", db, f"{db}|default", "def*", db.upper(), f"{db[:-1]}.",
                                 "none", f"{db[:1]}*", "[dt].*"])

    def _names(self):
        rng = self._rng
        shape = rng.random()
        if shape < 0.2:
            return "get_all_tables", Struct({1: self._db_argument()})
        if shape < 0.7:
            return "get_tables", Struct({1: self._db_argument(), 2: self._pattern_of_names()})
        pattern = self._pattern_of_databases()
        if self._has_catalogs and rng.random() < 0.5:
            pattern = f"@hive#{pattern}"
        return "get_databases", Struct({1: pattern})

    def _lists(self):
        rng = self._rng
        kinds = ["EXTERNAL_TABLE", "VIRTUAL_VIEW", "MANAGED_TABLE", "MATERIALIZED_VIEW"]
        shape = rng.random()
        if shape < 0.35:
            return "get_tables_by_type", Struct({1: self._db_argument(),
                                                 2: self._pattern_of_names(),
                                                 3: rng.choice(kinds)})
        if shape < 0.7:
            chosen = rng.choice([[], [], kinds[:1], kinds[1:2], kinds])
            db = rng.choice([self._db, self._db_argument(), f"{self._db}|default"])
            return "get_table_meta", Struct({1: db, 2: self._pattern_of_names(),
                                             3: List(chosen, STRING)})
        return "get_table_names_by_filter", Struct({1: self._db_argument(),
                                                    2: rng.choice(LIST_FILTERS),
                                                    3: I16(self._max())})

    # --- One table

    def _schema(self):
        names = {1: self._db_argument(), 2: self._table()}
        method = self._rng.choice(["get_fields", "get_schema"])
        if self._rng.random() < 0.3:
            return (f"{method}_with_environment_context",
                    Struct({**names, 3: Struct({1: Map({"key": "value"})})}))
        return method, Struct(names)

    def _content(self):
        rng = self._rng
        table = self._partitioned()
        shape = rng.random()
        if shape < 0.4:
            return "get_part_specs_by_filter", Struct(
                {1: self._db_argument(), 2: table, 3: self.filter(table), 4: I32(self._max())})
        if shape < 0.6:
            return "get_partitions_pspec", Struct({1: self._db_argument(), 2: table,
                                                   3: I32(self._max())})
        key = Struct(dict(enumerate(rng.choice(TABLES[table]), 1)))
        return "get_partition_values", Struct({1: Struct(
            {1: self._db, 2: table, 3: List([key]), 4: rng.random() < 0.7})})

    def _newer(self):
        """Of Hive 4."""
        rng = self._rng
        if rng.random() < 0.5:
            return rng.choice(["get_fields_req", "get_schema_req"]), Struct({1: Struct(
                {1: "hive", 2: self._db, 3: self._table()})})
        table = self._partitioned()
        return "get_partitions_with_specs", Struct({1: Struct(
            {1: "hive", 2: self._db, 3: table,
             7: Struct({1: List(rng.choice([["values"], ["values", "sd.location"], []]), STRING)}),
             8: Struct({})})})

    # --- Partitions by filter

    def _by_filter(self):
        table = self._partitioned()
        return "get_partitions_by_filter", Struct(
            {1: self._db_argument(), 2: table, 3: self.filter(table), 4: I16(self._max())})

    def _count(self):
        table = self._partitioned()
        return "get_num_partitions_by_filter", Struct(
            {1: self._db_argument(), 2: table, 3: self.filter(table)})

    def _by_filter_req(self):
        table = self._partitioned()
        fields = {2: self._db, 3: table, 4: self.filter(table)}
        if self._rng.random() < 0.5:
            fields[1] = "hive"
        if self._rng.random() < 0.5:
            fields[5] = I16(self._max())
        if self._rng.random() < 0.3:
            fields[6] = self._rng.random() < 0.5
        return "get_partitions_by_filter_req", Struct({1: Struct(fields)})

    def _max(self):
        return self._rng.choice([-1, -1, -1, -1, 1, 3, 1000])

    def filter(self, table):
        """A filter over the keys of a table; every so often one that is odd or none."""
        text = self._expression(TABLES[table], 0)
        if self._rng.random() < 0.06:
            text = self._rng.choice([f"{text} junk", f"not {text}", f"({text}", f"{text})",
                                     f"{text} and", "", " ", f"{text} && {text}",
                                     f"{text}\n", f"  {text}  "])
        return text

    def _expression(self, keys, depth):
        rng = self._rng
        if depth < 3 and rng.random() < 0.4:
            word = rng.choice(["and", "or", "AND", "OR"])
            parts = [self._expression(keys, depth + 1) for _ in range(rng.choice([2, 2, 3]))]
            text = f" {word} ".join(parts)
            return f"({text})" if rng.random() < 0.5 else text
        name, kind = rng.choice(keys)
        return self._comparison(name, kind)

    def _comparison(self, name, kind):
        rng = self._rng
        name = name.upper() if rng.random() < 0.1 else name
        name = f"`{name}`" if rng.random() < 0.02 else name
        shape = rng.random()
        if shape < 0.5:
            operator = rng.choice(["=", "=", "=", "!=", "<>", "<", "<=", ">", ">="])
            operator = "==" if rng.random() < 0.02 else operator
            sides = [name, self._literal(kind)]
            if rng.random() < 0.15:
                sides.reverse()
            space = rng.choice([" ", " ", ""])
            return f"{sides[0]}{space}{operator}{space}{sides[1]}"
        if shape < 0.65:
            return f"{name} like {self._quoted(self._pattern(kind))}"
        negated = rng.choice(["", "", "not "])
        if shape < 0.8:
            low, high = self._literal(kind), self._literal(kind)
            return f"{name} {negated}between {low} and {high}"
        literals = ", ".join(self._literal(kind) for _ in range(rng.choice([1, 2, 5])))
        return f"({name}) {negated}in ({literals})"

    def _literal(self, kind):
        rng = self._rng
        if rng.random() < 0.04:
            return rng.choice(["null", "1.5", "date '2024-01-01'", "DATE 2024-01-01", "2024-02-30",
                               "'2024-1-31'", "007", "99999999999999999999", '""', "+1", "- 1",
                               f'"{DEFAULT}"', '"a\\"b"', '"a "', "2024-01-01 00:00:00"])
        if kind == "date":
            day = rng.choice(DATES)
            return day if rng.random() < 0.5 else self._quoted(day)
        if kind != "string":
            return rng.choice(NUMBERS)
        return self._quoted(rng.choice(rng.choice([DATES, HOURS, ["a", "b", "c-1"], ODD_TEXTS])))

    def _quoted(self, text):
        quotes = [quote for quote in "'\"" if quote not in text]
        return (quote := self._rng.choice(quotes)) + text + quote

    def _pattern(self, kind):
        patterns = ["2024.*", "2024%", ".*", "%", "a", "a.*", "a%", "%b", ".*b", ".*01.*", "%01%",
                    "a_b", "a.b", "A.*", "a|b", "[ab]", "a-b", "a-.*", "2024-01-0_", "(?i)A", "a*"]
        return self._rng.choice(patterns) if kind == "string" else "2024%"


__all__ = ["NAMES", "TABLES", "VIEW", "ReadStream", "partitions"]
