"""A budget per month: gangs of a namespace start until it has used up its GPU-hours.

What ran is kept in a file, so that a restart forgets nothing.

BUDGETS   {"team-a": 1000}: GPU-hours a month by namespace; others have no limit
RESOURCE  absent: nvidia.com/gpu
LEDGER    the file; absent: budget.sqlite
PORT      on 127.0.0.1; absent: 8090
"""

import json
import os
import sqlite3
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUDGETS = json.loads(os.environ.get("BUDGETS", "{}"))
RESOURCE = os.environ.get("RESOURCE", "nvidia.com/gpu")
LARGEST_BODY = 8 * 1024 * 1024
# Nobody knows what ran while nobody asked for longer than that, in seconds.
LONGEST_GAP = 600

LOCK = threading.Lock()
LEDGER = sqlite3.connect(os.environ.get("LEDGER", "budget.sqlite"), check_same_thread=False)
LEDGER.executescript(
    """
    pragma journal_mode = wal;
    pragma synchronous = normal;
    create table if not exists spent (
      cluster text, namespace text, month text, hours real, primary key (cluster, namespace, month));
    create table if not exists running (cluster text, namespace text, amount real);
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
        turn = datetime(now.year + now.month // 12, now.month % 12 + 1, 1, tzinfo=timezone.utc)
        return {
            "verdict": "wait",
            "reason": "BudgetUsedUp",
            "message": f"budget of {namespace} is used up until {turn:%Y-%m-%d}:"
            f" {hours:.1f} of {budget} hours of {RESOURCE}",
            "askAgainSeconds": min(3600, (turn - now).total_seconds()),
        }
    return {"verdict": "allow"}


def follow(running, cluster, now):
    """Adds what ran since the last call; gives the hours of this month by namespace."""
    month = f"{now:%Y-%m}"
    amounts = {}
    for each in running:
        amount = float(each["requests"].get(RESOURCE, 0))
        amounts[each["namespace"]] = amounts.get(each["namespace"], 0) + amount
    with LOCK, LEDGER:
        seen = LEDGER.execute("select at from seen where cluster = ?", [cluster]).fetchone()
        passed = now.timestamp() - seen[0] if seen else 0
        if passed > 0:
            began = datetime.fromtimestamp(seen[0], timezone.utc)
            hours = min(passed, LONGEST_GAP) / 3600
            LEDGER.execute(
                "insert into spent select cluster, namespace, ?, amount * ? from running"
                " where cluster = ? on conflict do update set hours = hours + excluded.hours",
                [f"{began:%Y-%m}", hours, cluster],
            )
        if passed >= 0:
            LEDGER.execute("insert or replace into seen values (?, ?)", [cluster, now.timestamp()])
            LEDGER.execute("delete from running where cluster = ?", [cluster])
            LEDGER.executemany(
                "insert into running values (?, ?, ?)",
                [[cluster, namespace, amount] for namespace, amount in amounts.items()],
            )
        return dict(
            LEDGER.execute(
                "select namespace, hours from spent where cluster = ? and month = ?",
                [cluster, month],
            ).fetchall()
        )


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

    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
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
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8090"))), Policy)
    print(f"listening: http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
