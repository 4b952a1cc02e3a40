"""What the notification log says a table looked like after each event: the oracle for readers.

A state is (stamp, column comment) or None for absent: tests write the same stamp to both places, so
that an answer mixed from two versions shows itself.

Ids are not positions: on Derby, 3.1 servers give one id to two events when writers race (the select
that should lock the sequence locks nothing there). Such twins are counted; of one name, they are
taken to have happened in either order.
"""
import base64
import gzip
import json
from collections import Counter, defaultdict

STAMP = "stamp"


def decode(event):
    text = event.message
    if (event.messageFormat or "").startswith("gzip"):
        text = gzip.decompress(base64.b64decode(text)).decode()
    return json.loads(text)


def _state_of_image(image):
    """From a Table in Thrift-JSON."""
    table = json.loads(image)
    parameters = table.get("9", {}).get("map", ["", "", 0, {}])[3]
    columns = table["7"]["rec"].get("1", {}).get("lst", ["rec", 0])[2:]
    comment = columns[0].get("3", {}).get("str") if columns else None
    return table["1"]["str"].lower(), (parameters.get(STAMP), comment)


def state_of_table(table):
    """From a typed Table."""
    columns = table.sd.cols or []
    return (table.parameters or {}).get(STAMP), columns[0].comment if columns else None


class History:
    """The states of the tables of one database, by table name, in the order of the log.

    A position is a number of states of one name that were in force before: 0 before the first.
    """

    def __init__(self, events, db):
        self.states = defaultdict(list)
        self.by_stamp = {}
        self.contradictions = 0
        self.id_counts = Counter(event.eventId for event in events)
        self.twins = len(events) - len(self.id_counts)
        for event in events:
            if event.dbName == db and event.tableName:
                self._add(event)

    def _add(self, event):
        message = decode(event)
        if event.eventType == "DROP_TABLE":
            self._put(event, event.tableName.lower(), None)
        elif event.eventType == "CREATE_TABLE":
            self._put(event, *_state_of_image(message["tableObjJson"]), is_create=True)
        elif event.eventType == "ALTER_TABLE":
            before, _ = _state_of_image(message["tableObjBeforeJson"])
            after, state = _state_of_image(message["tableObjAfterJson"])
            if before != after:
                self._put(event, before, None)
            self._put(event, after, state, is_create=before != after)

    def _put(self, event, name, state, is_create=False):
        known = self.states[name]
        was_present = bool(known) and known[-1][1] is not None
        if is_create == was_present:
            self.contradictions += 1
        known.append((event.eventId, state))
        if state is not None:
            self.by_stamp[state[0]] = len(known)

    def drop_after(self, name, event_id):
        """Position of the first drop that is not older than an event, or None."""
        for position, (event, state) in enumerate(self.states[name], 1):
            if event >= event_id and state is None:
                return position
        return None

    def _with_twins(self, name, position):
        """The first position whose event has the same id."""
        known = self.states[name]
        while position > 1 and known[position - 2][0] == known[position - 1][0]:
            position -= 1
        return position

    def explain(self, name, observed, not_before):
        """The first position from `not_before` on at which the name looked as observed, or None."""
        states = [None] + [state for _, state in self.states[name]]
        for position in range(self._with_twins(name, not_before), len(states)):
            if states[position] == observed:
                return position
        return None

    def hides_a_twin(self, name, observed, not_before):
        """The name looked so a little earlier, and every event since then shares its id with one
        that is not among them.

        Whoever had read the log up to that id, through the other event, could not know of these:
        what the log tells late is beyond any reader of the log until it has been seen.
        """
        known = self.states[name]
        for position in range(max(not_before - 3, 1), not_before):
            since = Counter(event for event, _ in known[position:not_before])
            if known[position - 1][1] == observed and \
                    all(self.id_counts[event] > count for event, count in since.items()):
                return True
        return False

    def is_torn(self, name, observed):
        """Both halves were written at some time, but never together."""
        if observed is None or observed[0] == observed[1]:
            return False
        return any(state and observed[0] == state[0] for _, state in self.states[name])
