package dev.hapax.domain.entity;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.json.Written;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleReader;
import dev.hapax.domain.lifecycle.LifecycleSet;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** A lifecycle for tests: admins claim closing; the other steps need no claim. */
final class Invoices {
  static final Workspace WORKSPACE = Workspace.DEFAULT;
  static final String MODULE = "billing";
  static final JanitorId JANITOR = new JanitorId(WORKSPACE, MODULE);
  static final LifecycleId ID = new LifecycleId(WORKSPACE, "billing");
  static final Duration STALE_AFTER = Duration.ofSeconds(60);
  static final Duration EVERY = Duration.ofSeconds(20);

  static final String TEXT =
      """
      { "lifecycle": "billing", "module": "billing", "entity": "invoices",
        "status_types": ["draft", "approved", "closing", "closed", "regenerating", "void"],
        "steps": [
          { "step_id": 10, "step_key": "approve", "status": "draft",
            "successful_state": "approved", "action": "Approve",
            "success_after_effect": { "admin": "TellCustomer" } },
          { "step_id": 20, "step_key": "close", "status": "approved",
            "successful_claim_state": { "admin": ["closing", "approved"] },
            "successful_state": { "admin": "closed", "system": "closed" },
            "action": { "admin": "CloseBilling", "system": "CloseBilling" },
            "success_after_effect": { "admin": "SendBillingEmails" } },
          { "step_id": 30, "step_key": "regenerate", "status": "closed",
            "claim_state": ["regenerating", "closed"],
            "successful_state": "draft", "action": "Regenerate" },
          { "step_id": 40, "step_key": "cancel", "status": "approved",
            "successful_state": { "admin": "void" } }
        ] }
      """;

  private Invoices() {}

  static Lifecycle read(String text) {
    return LifecycleReader.read(Written.of(text)).lifecycle().orElseThrow();
  }

  static ApplyLifecycles declare(JanitorContract contract) {
    return new ApplyLifecycles(
        LifecycleSet.of(WORKSPACE, contract), Map.of(), 0, Attribution.SERVER);
  }

  static JanitorContract contract(JanitorMode mode) {
    return contract(mode, "closing", "regenerating");
  }

  static JanitorContract contract(JanitorMode mode, String... states) {
    return new JanitorContract(MODULE, Set.of(states), JanitorTiming.of(STALE_AFTER, EVERY), mode);
  }
}
