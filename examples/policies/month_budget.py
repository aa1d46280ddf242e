"""A budget per month: gangs of a namespace start until it has used up its GPU-hours.

What ran is kept in a file, so that a restart forgets nothing.

BUDGETS   {"team-a": 1000}: GPU-hours a month by namespace; others have no limit
RESOURCE  absent: nvidia.com/gpu
LEDGER    the file; absent: budget.sqlite
TOKEN     callers must have it as their bearer token; absent: anybody is answered
HOST      absent: 127.0.0.1
PORT      absent: 8090
"""

import hmac
import json
import math
import os
import sqlite3
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUDGETS = json.loads(os.environ.get("BUDGETS", "{}"))
RESOURCE = os.environ.get("RESOURCE", "nvidia.com/gpu")
TOKEN = os.environ.get("TOKEN", "")
LARGEST_BODY = 8 * 1024 * 1024
# Of what has ended since the last call so much counts, in seconds; what still runs counts in full.
LONGEST_GAP = 600
# A clock that is wrong by more costs no more.
LONGEST_TIME = 31 * 24 * 3600

LOCK = threading.Lock()
LEDGER = sqlite3.connect(os.environ.get("LEDGER", "budget.sqlite"), check_same_thread=False)
LEDGER.executescript(
    """
    pragma journal_mode = wal;
    pragma synchronous = normal;
    create table if not exists spent (
      cluster text, namespace text, month text, hours real, primary key (cluster, namespace, month));
    create table if not exists runs (cluster text, namespace text, gang text, amount real);
    create table if not exists seen (cluster text primary key, at real);
    """
)


def admit(request, cluster):
    """Whether the gangs of a group may start, by what their namespaces have spent."""
    now = time_of(request.get("at"))
    spent = follow(request.get("running") or [], cluster, now)
    for facts in request["gangs"]:
        namespace = facts["gang"]["namespace"]
        budget = BUDGETS.get(namespace)
        hours = spent.get(namespace, 0)
        if budget is None or hours < budget:
            continue
        turn = month_after(now)
        return {
            "verdict": "wait",
            "reason": "BudgetUsedUp",
            "message": f"budget of {namespace} is used up until {turn:%Y-%m-%d}:"
            f" {hours:.1f} of {budget} hours of {RESOURCE}",
            "askAgainSeconds": max(1, min(3600, (turn - now).total_seconds())),
        }
    return {"verdict": "allow"}


def follow(running, cluster, now):
    """Adds what ran since the last call; gives the hours of this month by namespace."""
    runs = {}
    for each in running:
        amount = float(each["requests"].get(RESOURCE, 0))
        if not math.isfinite(amount):
            raise ValueError(f"{RESOURCE} must be a number")
        key = (str(each["namespace"]), str(each.get("name", "")))
        runs[key] = runs.get(key, 0) + amount
    with LOCK, LEDGER:
        seen = LEDGER.execute("select at from seen where cluster = ?", [cluster]).fetchone()
        passed = now.timestamp() - seen[0] if seen else 0
        if passed > 0:
            ran = LEDGER.execute(
                "select namespace, gang, amount from runs where cluster = ?", [cluster]
            )
            for namespace, gang, before in ran.fetchall():
                stays = min(before, runs.get((namespace, gang), 0))
                spend(cluster, namespace, stays, seen[0], min(passed, LONGEST_TIME))
                spend(cluster, namespace, before - stays, seen[0], min(passed, LONGEST_GAP))
        # An answer to an older call changes nothing, unless the clock was set back.
        if passed >= 0 or passed < -LONGEST_GAP:
            LEDGER.execute("insert or replace into seen values (?, ?)", [cluster, now.timestamp()])
            LEDGER.execute("delete from runs where cluster = ?", [cluster])
            LEDGER.executemany(
                "insert into runs values (?, ?, ?, ?)",
                [[cluster, *key, amount] for key, amount in runs.items() if amount > 0],
            )
        return dict(
            LEDGER.execute(
                "select namespace, hours from spent where cluster = ? and month = ?",
                [cluster, f"{now:%Y-%m}"],
            ).fetchall()
        )


def spend(cluster, namespace, amount, began, seconds):
    """Writes down what ran for so long, in each month its own."""
    while amount > 0 and seconds > 0:
        start = datetime.fromtimestamp(began, timezone.utc)
        part = min(seconds, month_after(start).timestamp() - began)
        LEDGER.execute(
            "insert into spent values (?, ?, ?, ?)"
            " on conflict do update set hours = hours + excluded.hours",
            [cluster, namespace, f"{start:%Y-%m}", amount * part / 3600],
        )
        began, seconds = began + part, seconds - part


def month_after(time):
    """When the next month begins."""
    return datetime(time.year + time.month // 12, time.month % 12 + 1, 1, tzinfo=timezone.utc)


def time_of(text):
    """The time of a call; one that says none is asked now."""
    if text is None:
        return datetime.now(timezone.utc)
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)


class Policy(BaseHTTPRequestHandler):
    """Answers POST /v1/admit."""

    protocol_version = "HTTP/1.1"
    # An answer leaves in one packet.
    wbufsize = -1
    # A caller who says nothing keeps no thread, in seconds.
    timeout = 60

    def do_POST(self):
        said = self.headers.get("content-length") or "0"
        if not said.isdecimal():
            return self.answer(400, {"title": "Bad call"}, leave=1)
        length = int(said)
        authorization = self.headers.get("authorization", "")
        if TOKEN and not hmac.compare_digest(authorization.encode(), f"Bearer {TOKEN}".encode()):
            return self.answer(401, {"title": "A bearer token is needed"}, leave=length)
        if self.path != "/v1/admit":
            return self.answer(404, {"title": "No such stage"}, leave=length)
        if length > LARGEST_BODY:
            return self.answer(413, {"title": "The body is too large"}, leave=length)
        try:
            request = json.loads(self.rfile.read(length))
            cluster = self.headers.get("x-muster-cluster", "default")
            self.answer(200, admit(request, cluster))
        except (
            ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError
        ) as error:
            self.answer(400, {"title": "Bad call", "detail": str(error)[:200]})

    def answer(self, status, body, leave=0):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header(
            "content-type", "application/json" if status == 200 else "application/problem+json"
        )
        self.send_header("content-length", str(len(text)))
        if leave:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(text)
        self.wfile.flush()

    def refuse(self):
        self.answer(405, {"title": "A stage is asked by POST"})

    do_GET = do_PUT = do_DELETE = refuse

    def log_message(self, format, *args):
        pass


if __name__ == "__main__":
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8090")))
    server = ThreadingHTTPServer(address, Policy)
    print(f"listening: http://{address[0]}:{server.server_address[1]}", flush=True)
    server.serve_forever()
