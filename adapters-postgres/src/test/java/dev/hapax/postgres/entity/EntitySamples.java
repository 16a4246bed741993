package dev.hapax.postgres.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.ActionGrant;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.RecoveryGrant;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.lifecycle.ClaimStates;
import dev.hapax.domain.lifecycle.Effect;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.run.Actor;
import dev.hapax.postgres.run.RunSamples;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/** Entities and events with everything they can have. */
public final class EntitySamples {
  public static final List<String> NAMES =
      List.of(
          "plain", "NULL", "{\"a\\b\", }", "ünï\uD83D\uDE00".repeat(25), "'; --\u00a0", "\uFFFD");

  /** The order of names is the database's: as their bytes in UTF-8. */
  public static final Comparator<String> BYTES =
      Comparator.comparing(text -> text.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

  public static final Workspace WORKSPACE = RunSamples.WORKSPACE;
  private static final Instant NOW = RunSamples.NOW;

  private final Random random;

  public EntitySamples(long seed) {
    this.random = new Random(seed);
  }

  /** Any entity with this key. */
  public Entity entity(EntityId id, long version) {
    var fence = fence();
    var hold = hold(fence);
    return new Entity(
        id,
        hold instanceof ClaimState.Held taken ? taken.action().claim().into() : name(),
        version,
        fence,
        hold,
        sometimes(
            new EndedGrant(random.nextLong(), random.nextLong(), any(EndedGrant.How.values()))),
        sometimes(name()),
        NOW,
        List.of());
  }

  private ClaimState hold(Fence fence) {
    return switch (random.nextInt(3)) {
      case 0 -> new ClaimState.Free();
      case 1 -> new ClaimState.Claimed(grant(nonce(), fence, name(), time(), principal()), time());
      default ->
          new ClaimState.Recovering(
              grant(nonce(), fence(), name(), time(), principal()), recovery(fence), time());
    };
  }

  private ActionGrant grant(
      long nonce, Fence fence, String holder, Instant since, PrincipalName principal) {
    var move =
        new Transition(
            name(),
            name(),
            name(),
            Optional.of(new ClaimStates(name(), name())),
            name(),
            sometimes(name()),
            sometimes(any(Effect.plain(name()), new Effect(name(), name(), name()))));
    var attempt = new AttemptId(new UUID(random.nextLong(), random.nextLong()));
    return new ActionGrant(nonce, fence, attempt, holder, since, move, name(), principal);
  }

  private RecoveryGrant recovery(Fence fence) {
    return new RecoveryGrant(nonce(), fence, name(), poll(), principal());
  }

  private Optional<Payload> output() {
    return any(
        Optional.empty(),
        Optional.of(new Payload.Json("{\"a\": [1, \"\u00fc\"]}")),
        Optional.of(new Payload.Binary(new byte[] {0, 1, -1})));
  }

  private Optional<UUID> poll() {
    return sometimes(new UUID(random.nextLong(), random.nextLong()));
  }

  /** Every kind of change as an event, with and without each part, from version 1. */
  public List<EntityEvent> events() {
    var events = new ArrayList<EntityEvent>();
    for (var i = 0; i < 400; i++) {
      events.add(event(events.size() + 1L, i % 9));
    }
    return events;
  }

  private EntityEvent event(long version, int type) {
    var by =
        any(
            Actor.SERVER,
            Actor.caller(""),
            Actor.caller(name()),
            new Actor(name(), nonce(), principal()));
    return switch (type) {
      case 0 ->
          told(version, by, name(), status -> new EntityChange.Created(status, any("", name())));
      case 1 -> {
        var grant = grant(by.nonce(), fence(), by.name(), NOW, by.principal());
        yield new EntityEvent(
            version, NOW, by, grant.claim().into(), new EntityChange.ActionBegan(grant));
      }
      case 2 ->
          told(
              version,
              by,
              name(),
              status ->
                  new EntityChange.ActionCompleted(name(), name(), status, fence(), output()));
      case 3 -> {
        var kind = any(ActionFailureKind.values());
        var message = any("", "so it is\n", "x".repeat(4_096));
        yield told(version, by, name(), _ -> new EntityChange.ActionFailed(kind, message));
      }
      case 4 ->
          told(version, by, name(), _ -> new EntityChange.ClaimReverted(fence(), any("", name())));
      case 5 ->
          told(
              version,
              by,
              name(),
              _ ->
                  new EntityChange.RecoveryBegan(
                      new RecoveryGrant(by.nonce(), fence(), by.name(), poll(), by.principal())));
      case 6 ->
          told(
              version,
              by,
              name(),
              _ ->
                  new EntityChange.Recovered(
                      any(RecoveryVerdict.values()), random.nextBoolean() ? "" : name()));
      case 7 ->
          told(
              version,
              by,
              name(),
              _ ->
                  new EntityChange.ClaimReleased(
                      name(), any("", name()), fence(), any(RecoveryVerdict.values())));
      default ->
          told(
              version, by, name(), _ -> new EntityChange.Deleted(name(), any("", name()), fence()));
    };
  }

  /** What follows from the status it leaves the entity in. */
  private interface Change {
    EntityChange to(String status);
  }

  private static EntityEvent told(long version, Actor by, String status, Change change) {
    return new EntityEvent(version, NOW, by, status, change.to(status));
  }

  private PrincipalName principal() {
    return any(PrincipalName.NONE, new PrincipalName("api-key:" + name()));
  }

  private String name() {
    return any(NAMES.toArray(String[]::new));
  }

  private long nonce() {
    return random.nextBoolean() ? random.nextLong() : Long.MIN_VALUE;
  }

  private Fence fence() {
    return new Fence(random.nextLong());
  }

  private Instant time() {
    return NOW.plusMillis(random.nextInt());
  }

  private <T> Optional<T> sometimes(T value) {
    return random.nextBoolean() ? Optional.of(value) : Optional.empty();
  }

  @SafeVarargs
  private <T> T any(T... all) {
    return all[random.nextInt(all.length)];
  }
}
