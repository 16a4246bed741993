package dev.hapax.application.intent;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.definition.InMemoryDefinitionReads;
import dev.hapax.testkit.hook.InMemoryHookReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.util.Random;

/** What intents act on, in memory. */
record IntentTargets(Definitions definitions, Runs runs, Hooks hooks) {
  static IntentTargets of(InMemoryLedger ledger, SettableClock clock, ManualScheduler timer) {
    var runs =
        new RunServices(
                ledger,
                new InMemoryRunReads(ledger, clock),
                new WaiterQuota(),
                clock,
                new Random(1)::nextLong,
                timer)
            .runs();
    return new IntentTargets(
        new Definitions(ledger, new InMemoryDefinitionReads(ledger)),
        runs,
        new Hooks(ledger, new InMemoryHookReads(ledger, clock), runs));
  }
}
