package dev.hapax.application.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.janitor.PollOutcome;
import dev.hapax.application.janitor.PollRecoveries;
import dev.hapax.application.lifecycle.ApplyOutcome;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.BeginRecoveryOutcome.Claimed;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.CreateEntityOutcome;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.entity.InMemoryEntityReads;
import dev.hapax.testkit.janitor.InMemoryJanitorReads;
import dev.hapax.testkit.ledger.InMemoryCluster;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.ledger.SteeredLedger;
import dev.hapax.testkit.lifecycle.InMemoryLifecycleReads;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Invoices and the nodes that serve them, with a clock that the test advances. */
public final class Office {
  public final SettableClock clock = new SettableClock();
  public final ManualScheduler scheduler = new ManualScheduler(clock);
  public final InMemoryLedger records = new InMemoryLedger(clock);
  private final InMemoryCluster cluster = new InMemoryCluster(records);
  private final Random random = new Random(1);

  public void pass(Duration time) {
    scheduler.advance(time);
  }

  public Entity look(EntityId id) {
    return new InMemoryEntityReads(records, clock).find(id).join().orElseThrow();
  }

  /** All runs of after-effects that there are. */
  public List<Run> effects() {
    return records.records().values().stream()
        .filter(Run.class::isInstance)
        .map(Run.class::cast)
        .toList();
  }

  /** One node, with nothing declared. */
  public Node node() {
    return new Node();
  }

  /** One node, with the lifecycle and its janitor. */
  public Node node(JanitorMode mode) {
    var node = new Node();
    node.declare(Billing.contract(mode));
    node.apply(Billing.LIFECYCLE);
    return node;
  }

  public static EntityId invoice(String id) {
    return new EntityId(Billing.WORKSPACE, Billing.NAME, id);
  }

  /** A server of several. */
  public final class Node {
    public final SteeredLedger ledger = new SteeredLedger(cluster.node());
    public final WaiterQuota places = new WaiterQuota();
    public final RunServices runs;
    public final Entities entities;
    public final Janitors janitors;
    public final Lifecycles lifecycles;

    /** How often each kind of read was made. */
    public final Map<String, Integer> reads = new HashMap<>();

    /** The leases of the queries for stale entities. */
    public final List<EntityReads.Leases> leases = new ArrayList<>();

    /** Lists that are empty from now on, whatever there is. */
    public final Set<String> blind = new HashSet<>();

    /** Reads that fail from now on. */
    public final Set<String> failing = new HashSet<>();

    private Node() {
      runs =
          new RunServices(
              ledger,
              new InMemoryRunReads(records, clock),
              places,
              clock,
              random::nextLong,
              scheduler);
      var entityReads = counted(EntityReads.class, new InMemoryEntityReads(records, clock));
      var janitorReads = counted(JanitorReads.class, new InMemoryJanitorReads(records, clock));
      entities = new Entities(ledger, entityReads, runs.runs(), places, scheduler);
      janitors =
          new Janitors(
              ledger,
              entityReads,
              janitorReads,
              runs.runs(),
              places,
              clock,
              random::nextLong,
              scheduler);
      lifecycles =
          new Lifecycles(
              ledger,
              new InMemoryLifecycleReads(records),
              janitorReads,
              entityReads,
              janitors,
              random::nextLong);
      janitors.start();
      pass(Duration.ZERO);
    }

    private <T> T counted(Class<T> type, T counted) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (_, method, arguments) -> {
                reads.merge(method.getName(), 1, Integer::sum);
                if (arguments != null && arguments[0] instanceof EntityReads.Leases asked) {
                  leases.add(asked);
                }
                if (blind.contains(method.getName())) {
                  return CompletableFuture.completedFuture(List.of());
                }
                return failing.contains(method.getName())
                    ? CompletableFuture.failedFuture(new LedgerException.Unavailable("away"))
                    : method.invoke(counted, arguments);
              }));
    }

    public int reads() {
      return reads.values().stream().mapToInt(Integer::intValue).sum();
    }

    public void declare(JanitorContract contract) {
      assertThat(apply(LifecycleSet.of(Billing.WORKSPACE, contract)).join())
          .isInstanceOf(ApplyOutcome.Applied.class);
    }

    public void apply(Lifecycle lifecycle) {
      assertThat(apply(LifecycleSet.of(Billing.WORKSPACE, lifecycle)).join())
          .isInstanceOf(ApplyOutcome.Applied.class);
    }

    public CompletableFuture<ApplyOutcome> apply(LifecycleSet set) {
      return lifecycles.apply(set, Attribution.SERVER);
    }

    public EntityId create(String id, String status) {
      return create(invoice(id), status);
    }

    public EntityId create(EntityId id, String status) {
      assertThat(
              entities
                  .create(new CreateEntity(id, status, "", Actor.caller("test")), Retirement.TIME)
                  .join())
          .isInstanceOf(CreateEntityOutcome.There.class);
      return id;
    }

    public CompletableFuture<BeginActionOutcome> begin(
        EntityId id, String step, String attempt, Duration wait) {
      return entities.begin(beginning(id, step, attempt), wait, Retirement.TIME);
    }

    public BeginAction beginning(EntityId id, String step, String attempt) {
      return new BeginAction(
          id,
          step,
          "admin",
          AttemptId.of(attempt),
          Optional.empty(),
          OptionalLong.empty(),
          random.nextLong(),
          "anybody",
          Actor.caller(attempt));
    }

    /** Claims it for closing. */
    public ActionClaim claim(EntityId id, String attempt) {
      var outcome = begin(id, "close", attempt, Duration.ZERO).join();
      assertThat(outcome).isInstanceOf(BeginActionOutcome.Granted.class);
      return ((BeginActionOutcome.Granted) outcome).claim();
    }

    public CompleteActionOutcome complete(ActionClaim claim) {
      return entities
          .complete(
              new CompleteAction(
                  claim, Optional.empty(), entities.draw(Billing.WORKSPACE), Actor.caller("test")),
              Retirement.TIME)
          .join();
    }

    public CompletableFuture<PollOutcome> poll(JanitorId janitor, String attempt, Duration wait) {
      return janitors.poll(
          new PollRecoveries(
              janitor,
              "worker",
              Optional.of(UUID.nameUUIDFromBytes(attempt.getBytes(StandardCharsets.UTF_8))),
              Duration.ofMinutes(1),
              10,
              PrincipalName.NONE),
          wait);
    }

    /** What a poll of the module gets at once. */
    public List<Claimed> recoveries(String attempt) {
      return claimed(poll(Billing.JANITOR, attempt, Duration.ZERO));
    }

    public static List<Claimed> claimed(CompletableFuture<PollOutcome> poll) {
      assertThat(poll).isCompletedWithValueMatching(PollOutcome.Recoveries.class::isInstance);
      return ((PollOutcome.Recoveries) poll.join()).claimed();
    }
  }
}
