package dev.hapax.console.hook;

import com.google.protobuf.util.Durations;
import dev.hapax.console.run.RunEventRange;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.console.view.StatusTag;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.Hook;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunStatus;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A hook as its page shows it.
 *
 * @param owned whether {@code hook} is that of an owner, and not of the first run that waits
 * @param rivals the runs that lost the token or took it
 * @param signals the signals that arrived through the token, newest first
 * @param once makes the signal of the form idempotent
 */
public record HookPart(
    Hook hook,
    String token,
    boolean owned,
    StatusTag status,
    String runHref,
    DisplayTime created,
    Optional<DisplayTime> ended,
    boolean receives,
    List<Fact> rivals,
    List<Arrival> signals,
    HookLine line,
    List<Fact> facts,
    String once) {
  private static final Set<String> SHOWN_BESIDE = Set.of("run id", "status");

  /** A signal that arrived through the token. */
  public record Arrival(DisplayTime at, String id, String type, List<Fact> facts) {}

  static HookPart read(Visit visit, String token, boolean maySignal) {
    var found =
        visit
            .api()
            .hooks()
            .getHook(
                GetHookRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setToken(token)
                    .build());
    var hook = hook(found);
    var events = events(visit, hook);
    var facts = new Facts(visit.workspace(), visit.now());
    return new HookPart(
        hook,
        token,
        found.hasHook(),
        StatusTag.of(hook.getStatus()),
        Address.ofRun(visit.workspace(), hook.getRunId()).href(),
        DisplayTime.of(hook.getCreatedAt(), visit.now()),
        DisplayTime.optional(hook.hasEndedAt(), hook.getEndedAt(), visit.now()),
        maySignal && !hook.hasEndedAt(),
        events.stream()
            .filter(event -> tookToken(event) || isOf(hook, event))
            .flatMap(event -> rivals(event, facts).stream())
            .toList(),
        events.stream()
            .filter(
                event ->
                    event.getSignalReceived().getSignal().getHook().equals(hook.getFingerprint()))
            .map(event -> arrival(event, facts))
            .toList(),
        HookLine.of(found, visit),
        facts.of(hook).stream().filter(fact -> !SHOWN_BESIDE.contains(fact.name())).toList(),
        UUID.randomUUID().toString());
  }

  /** The first run that waits answers for a token without an owner. */
  private static Hook hook(GetHookResponse token) {
    return token.hasHook()
        ? token.getHook()
        : Hook.newBuilder()
            .setRunId(token.getWaiting(0).getRunId())
            .setStatus(RunStatus.RUN_STATUS_PENDING)
            .setCreatedAt(token.getWaiting(0).getSince())
            .build();
  }

  /** How long the token answers after the end of its run. */
  public String retention() {
    return Durations.toString(hook.getRetention());
  }

  /** The last events of the owner, newest first. */
  private static List<RunEvent> events(Visit visit, Hook hook) {
    var run =
        visit
            .api()
            .runs()
            .getRun(
                GetRunRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setRunId(hook.getRunId())
                    .build())
            .getRun();
    return new RunEventRange(hook.getRunId(), run.getVersion() + 1).read(visit);
  }

  /** The owner of a token that lost its key still owns the token. */
  private static boolean tookToken(RunEvent event) {
    return event.hasSuperseded() && !event.getSuperseded().getByKey();
  }

  private static boolean isOf(Hook hook, RunEvent event) {
    return event.getHookCreated().getFingerprint().equals(hook.getFingerprint());
  }

  private static List<Fact> rivals(RunEvent event, Facts facts) {
    return facts.of(event.hasSuperseded() ? event.getSuperseded() : event.getHookCreated()).stream()
        .filter(fact -> fact.name().startsWith("supersede"))
        .toList();
  }

  private static Arrival arrival(RunEvent event, Facts facts) {
    var signal = event.getSignalReceived().getSignal();
    return new Arrival(
        DisplayTime.of(event.getAt(), facts.now()),
        signal.getSignalId(),
        signal.getType(),
        signal.hasPayload()
            ? List.of(new Fact("payload", new Fact.Code(Facts.text(signal.getPayload()))))
            : List.of());
  }
}
