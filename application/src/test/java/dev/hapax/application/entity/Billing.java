package dev.hapax.application.entity;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.lifecycle.ClaimStates;
import dev.hapax.domain.lifecycle.Effect;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleStep;
import dev.hapax.domain.lifecycle.PerRequester;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A lifecycle to test with: closing is claimed, with an after-effect; approving is not. */
public final class Billing {
  public static final Workspace WORKSPACE = new Workspace("office");
  public static final String NAME = "invoices";
  public static final LifecycleId ID = new LifecycleId(WORKSPACE, NAME);
  public static final String MODULE = "billing";
  public static final JanitorId JANITOR = new JanitorId(WORKSPACE, MODULE);
  public static final String EFFECT = "SendBillingEmails";
  public static final Duration STALE_AFTER = Duration.ofMinutes(1);
  public static final Duration EVERY = Duration.ofSeconds(20);
  public static final Lifecycle LIFECYCLE = lifecycle(NAME, MODULE);

  private Billing() {}

  /** The same under another name, of another module. */
  public static Lifecycle lifecycle(String name, String module) {
    return new Lifecycle(
        name,
        module,
        "invoices",
        List.of("draft", "approved", "closing", "closed", "void"),
        List.of(
            step("approve", "draft", Optional.empty(), "approved", Optional.empty()),
            step(
                "close",
                "approved",
                Optional.of(new ClaimStates("closing", "approved")),
                "closed",
                Optional.of(EFFECT)),
            step("reopen", "closed", Optional.empty(), "approved", Optional.empty()),
            step("cancel", "approved", Optional.empty(), "void", Optional.empty())));
  }

  /** Without the status in which nothing is claimed and nothing leads out. */
  public static Lifecycle withoutVoid() {
    return new Lifecycle(
        NAME,
        MODULE,
        "invoices",
        LIFECYCLE.statuses().stream().filter(status -> !status.equals("void")).toList(),
        LIFECYCLE.steps().stream().filter(step -> !step.key().equals("cancel")).toList());
  }

  private static LifecycleStep step(
      String key, String status, Optional<ClaimStates> claim, String to, Optional<String> effect) {
    return new LifecycleStep(
        Optional.empty(),
        key,
        status,
        new PerRequester<>(claim, Map.of()),
        new PerRequester<>(Optional.of(to), Map.of()),
        PerRequester.none(),
        new PerRequester<>(effect.map(Effect::plain), Map.of()));
  }

  /** The janitor contract of this module. */
  public static JanitorContract contract(JanitorMode mode) {
    return contract(MODULE, mode);
  }

  /** The same contract of another module. */
  public static JanitorContract contract(String module, JanitorMode mode) {
    return new JanitorContract(
        module, Set.of("closing"), JanitorTiming.of(STALE_AFTER, EVERY), mode);
  }
}
