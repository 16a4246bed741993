"""Applies payments to invoices, and recovers the payments whose holder died: python3 billing.py DATABASE_URL COMMAND ARGUMENT...

Commands: apply INVOICE CENTS, show INVOICE, janitor. The lifecycle is examples/lifecycles/invoice.json, and the tables are those of
examples/sql/billing.sql, in a database of the module's own. To apply a payment twice would do harm, so the janitor of this
module is remote: it finds out whether the lost holder had written.
"""

import os
import sys

import psycopg2

import hapax
from hapax import Verdict

LIFECYCLE = "invoice"
client = hapax.connect(workspace=os.environ.get("BILLING_WORKSPACE", ""))
DATABASE_URL = sys.argv[1]


def in_transaction(work):
    connection = psycopg2.connect(DATABASE_URL)
    try:
        with connection, connection.cursor() as cursor:  # commits, or rolls back on an exception
            return work(cursor)
    finally:
        connection.close()


def raise_fence(cursor, invoice, fence):
    """The fence goes first: a holder with a lower one than the invoice writes nothing."""
    cursor.execute("UPDATE invoice SET fence = %s WHERE number = %s AND fence < %s", (fence, invoice, fence))
    return cursor.rowcount == 1


def apply(invoice, cents):
    """Applies a payment, unless another caller holds the invoice or it is paid."""

    def action(claim):
        if int(cents) <= 0:
            raise hapax.Invalid("NO_AMOUNT", "a payment has more than 0 cents")

        def write(cursor):
            if not raise_fence(cursor, invoice, claim.fence):
                raise hapax.FinalFailure("LATE", "a holder with a higher fence was here")
            cursor.execute("UPDATE invoice SET paid_cents = paid_cents + %s WHERE number = %s", (int(cents), invoice))
            cursor.execute("INSERT INTO payment (invoice, cents, fence) VALUES (%s, %s, %s)", (invoice, int(cents), claim.fence))

        pause("before")
        in_transaction(write)
        pause("after")
        return {"cents": int(cents)}

    client.entities.create(LIFECYCLE, invoice, "sent")
    try:
        return client.entities.act(LIFECYCLE, invoice, "apply_payment", "admin", action)["cents"]
    except hapax.HapaxError as refused:
        return f"{type(refused).__name__}: {refused}"


def pause(where):
    """Lets a test kill this program before or after its transaction."""
    if os.environ.get("PAUSE") == where:
        print(f"pauses {where} it writes", flush=True)
        sys.stdin.readline()


def check(recovery):
    """Finds out what became of an action whose holder is gone. That holder may only stand still.

    So the fence goes first here too: what the lost holder has not written by now, it never will.
    """

    def read(cursor):
        raise_fence(cursor, recovery.entity_id, recovery.fence)
        cursor.execute("SELECT 1 FROM payment WHERE invoice = %s AND fence = %s", (recovery.entity_id, recovery.lost_fence))
        return Verdict.COMPLETE if cursor.fetchone() else Verdict.REVERT

    verdict = in_transaction(read)
    print(recovery.entity_id, verdict.name, flush=True)
    return verdict


def janitor():
    """Polls for recoveries until SIGTERM."""
    print("recovers invoices", flush=True)
    client.janitor("payments", check).run()


def show(invoice):
    """Returns the status of an invoice, and how often it was paid."""

    def read(cursor):
        cursor.execute("SELECT count(*) FROM payment WHERE invoice = %s", (invoice,))
        return cursor.fetchone()[0]

    return f"{client.entities.get(LIFECYCLE, invoice).status}, {in_transaction(read)} payments"


if __name__ == "__main__":
    result = {"apply": apply, "janitor": janitor, "show": show}[sys.argv[2]](*sys.argv[3:])
    if result is not None:
        print(result)
