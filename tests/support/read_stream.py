"""Random reads of one database: lists by pattern, type and filter, as clients write them and as no
client would. What they ask for is the test's to create: see `TABLES` and `partitions`."""
from thrift_binary import BOOL, I16, I32, STRING, List, Struct

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


class ReadStream:
    """`next()` is a (method, arguments) pair; the same ones for the same random numbers."""

    def __init__(self, rng, db, version):
        self._rng = rng
        self._db = db
        self._is_hive4 = version.startswith("4.")
        self._has_catalogs = not version.startswith("2.")

    def next(self):
        makers = [(self._by_filter, 10), (self._count, 3)]
        if self._is_hive4:
            makers.append((self._by_filter_req, 5))
        return self._rng.choices([maker for maker, _ in makers],
                                 [weight for _, weight in makers])[0]()

    # --- Names

    def _db_argument(self):
        if self._has_catalogs and self._rng.random() < 0.4:
            return f"@hive#{self._db}"
        return self._db.upper() if self._rng.random() < 0.1 else self._db

    def _partitioned(self):
        return self._rng.choice(["days", "days", "typed", "typed", "odd", "sloppy"])

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


__all__ = ["BOOL", "I32", "NAMES", "STRING", "TABLES", "List", "ReadStream", "partitions"]
