"""Guarded tools of agents, in runs without a server."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any, List, Tuple

import hapax
import hapax.aio
import hapax.agents
import hapax.testing
from hapax.agents import ApprovalDenied, guard

ADA = hapax.fingerprint({"to": "ada", "cents": 30}).hex()[:16]


class Bank:
    def __init__(self) -> None:
        self.payments: List[Tuple[str, int]] = []

    def pay(self, to: str, cents: int) -> int:
        self.payments.append((to, cents))
        return len(self.payments)


def digits(arguments: Any) -> str:
    return hapax.fingerprint(arguments).hex()[:16]


def approve(arguments: Any, is_approved: Any = True, **more: Any) -> hapax.Signal:
    return hapax.Signal(f"approval/{digits(arguments)}", {"approved": is_approved, **more})


class GuardTest(unittest.TestCase):
    def test_once(self) -> None:
        """given the same arguments again, in another execution too, then one effect and its result; `repeat` numbers them (O3)"""
        bank = Bank()
        seen: List[Any] = []

        def handler(task: hapax.Task) -> Any:
            pay = guard(task, "pay", bank.pay)
            seen.append([pay(to="ada", cents=30), pay(cents=30, to="ada"), pay("ada", 30), pay("bob", 30)])
            task.suspend("wait", 60)
            again = guard(task, "again", bank.pay, repeat=True)
            return [pay(to="ada", cents=30), again("eve", 1), again("eve", 1), again("eve", cents=1)]

        ran = hapax.testing.run_workflow(handler)
        self.assertEqual(seen, [[1, 1, 2, 3]] * 2)
        self.assertEqual(ran.result, [1, 4, 5, 6])
        eve = digits(["eve", 1])
        names = [f"pay/{ADA}", f"pay/{digits(['ada', 30])}", f"pay/{digits(['bob', 30])}", f"again/{eve}", f"again/{eve}#2"]
        names.append(f"again/{digits(['eve', {'cents': 1}])}")
        self.assertEqual([each for each in ran.parts if each != "wait"], [f"tool/{each}" for each in names])

    def test_fingerprint(self) -> None:
        """given one object as the argument, then it counts as keyword arguments, as in other languages"""

        def handler(task: hapax.Task) -> Any:
            return guard(task, "pay", lambda call: call["cents"])({"cents": 30, "to": "ada"})

        self.assertEqual(list(hapax.testing.run_workflow(handler).parts), [f"tool/pay/{ADA}"])

    def test_together(self) -> None:
        """given calls of parallel tools in another order each time, then each happens once, and the code fits"""
        bank = Bank()
        orders = iter([["ada", "bob", "ada"], ["bob", "ada", "ada"], ["ada", "eve", "bob"]])

        async def handler(task: hapax.aio.Task) -> Any:
            async def transfer(to: str, cents: int) -> int:
                await asyncio.sleep(0.01)
                return bank.pay(to, cents)

            pay = guard(task, "pay", transfer)
            results = await asyncio.gather(*(pay(to=to, cents=30) for to in next(orders)))
            await task.suspend("first", 60)
            await task.suspend("second", 60)
            return sorted(results)

        self.assertEqual(hapax.testing.run_workflow(handler).result, [1, 2, 3])
        self.assertEqual(sorted(to for to, _ in bank.payments), ["ada", "bob", "eve"])

    def test_name(self) -> None:
        """given a name with /, then the run fails for good; given arguments without a JSON, then the call raises TypeError"""
        with self.assertRaisesRegex(hapax.FinalFailure, "STEP_NAME|must not be empty, contain /"):
            hapax.testing.run_workflow(lambda task: guard(task, "a/b", len)("x"))
        with self.assertRaises(TypeError):
            hapax.testing.run_workflow(lambda task: guard(task, "pay", id)(object()))

    def test_failures(self) -> None:
        """given a tool that fails, then it is retried; one that fails for good raises PartFailed, also for the same arguments"""

        def handler(task: hapax.Task) -> Any:
            pay = guard(task, "pay", Bank().pay)
            codes: List[str] = []
            for _ in range(2):
                try:
                    pay(to="ada", cents=30)
                except hapax.PartFailed as error:
                    codes.append(error.code)
            return codes

        name = f"tool/pay/{ADA}"
        ran = hapax.testing.run_workflow(handler, failures={name: [ValueError("503")] * 2})
        self.assertEqual((ran.result, ran.parts), ([], {name: 1}))
        ran = hapax.testing.run_workflow(handler, failures={name: [hapax.FinalFailure("DECLINED")]})
        self.assertEqual(ran.result, ["DECLINED"] * 2)


class ApprovalTest(unittest.TestCase):
    def run_(self, *signals: hapax.Signal) -> "hapax.testing.Ran[Any]":
        self.bank = Bank()

        def handler(task: hapax.Task) -> Any:
            try:
                return guard(task, "pay", self.bank.pay, approval=True)(to="ada", cents=30)
            except ApprovalDenied as denied:
                return [denied.failure_code, denied.note]

        return hapax.testing.run_workflow(handler, signals=signals)

    def test_approved(self) -> None:
        """given an approval of these arguments, then the tool is called once, and its decision is recorded before"""
        ran = self.run_(approve({"to": "ada", "cents": 30}, note="fine"))
        self.assertEqual(ran.parts, {f"approval/{ADA}": {"approved": True, "note": "fine"}, f"tool/pay/{ADA}": 1})
        self.assertEqual((self.bank.payments, ran.state), ([("ada", 30)], {}))

    def test_state(self) -> None:
        """given an open approval and another one, then the patch of the state adds the one and removes the other"""

        class Open:
            state = {"approvals": {"a": {"tool": "pay"}}}
            patches: List[Any] = []
            patch_state = patches.append

        task: Any = Open()
        tools = hapax.agents._Tools(task)
        tools._show(task, "b", {"tool": "mail"})
        tools._show(task, "a", None)
        tools._show(task, "b", None)
        self.assertEqual(task.patches[1], {"approvals": {"a": None, "b": {"tool": "mail"}}})
        self.assertEqual(task.patches[2], {"approvals": None})

    def test_other_arguments(self) -> None:
        """given an approval of other arguments, then the call waits for its own (O2)"""
        with self.assertRaisesRegex(hapax.RunFailed, f"a signal of type approval/{ADA}, which is not there"):
            self.run_(approve({"to": "ada", "cents": 9000}), hapax.Signal("approval", {"approved": True}))
        self.assertEqual(self.bank.payments, [])

    def test_denied(self) -> None:
        """given another decision than true, then it raises ApprovalDenied with the note, and the tool is not called"""
        for decision in (False, "true", 1, None):
            ran = self.run_(approve({"to": "ada", "cents": 30}, decision, note="too much"))
            self.assertEqual((ran.result, self.bank.payments), (["APPROVAL_DENIED", "too much"], []))
        self.assertEqual(self.run_(hapax.Signal(f"approval/{ADA}", True)).result, ["APPROVAL_DENIED", ""])

    def test_another_tool(self) -> None:
        """given an approval of a tool, then another tool with the same arguments is not approved by it"""
        deleted: List[int] = []

        def handler(task: hapax.Task) -> None:
            guard(task, "read", lambda id: id, approval=True)(id=7)
            task.suspend("night", 1)
            guard(task, "delete", deleted.append, approval=True)(7)
            guard(task, "delete", lambda id: deleted.append(id), approval=True)(id=7)

        approvals = [approve({"id": 7}), approve([7])]
        with self.assertRaises(hapax.FinalFailure) as raised:
            hapax.testing.run_workflow(handler, signals=approvals)
        self.assertEqual(raised.exception.failure_code, "APPROVAL_AMBIGUOUS")
        self.assertEqual(deleted, [7])

    def test_repeated(self) -> None:
        """given a tool that may repeat, then each call needs an approval of its own"""

        def handler(task: hapax.Task) -> Any:
            pay = guard(task, "pay", Bank().pay, approval=True, repeat=True)
            return [pay(to="ada", cents=30), pay(to="ada", cents=30)]

        approvals = [approve({"to": "ada", "cents": 30}) for _ in range(2)]
        ran = hapax.testing.run_workflow(handler, signals=approvals)
        names = [f"approval/{ADA}", f"tool/pay/{ADA}", f"approval/{ADA}#2", f"tool/pay/{ADA}#2"]
        self.assertEqual(list(ran.parts), names)
        with self.assertRaisesRegex(hapax.RunFailed, f"a signal of type approval/{ADA}, which is not there"):
            hapax.testing.run_workflow(handler, signals=approvals[:1])

    def test_branch(self) -> None:
        """given an approval in a branch of a map, then the run fails for good"""

        def branch(task: hapax.Task, item: str) -> Any:
            return guard(task, "pay", len, approval=True)(item)

        with self.assertRaises(hapax.FinalFailure) as raised:
            hapax.testing.run_workflow(lambda task: task.map("item", ["a"], branch, key=str))
        self.assertEqual(raised.exception.failure_code, "WAIT_IN_BRANCH")


if __name__ == "__main__":
    unittest.main()
