package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.Claim;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Several act on each entity, first in vain and then with success, and remember what they were
 * told. An observer checks that every transition has its after-effect.
 */
final class ClaimLoad implements AutoCloseable {
  private static final int ACTORS = 4;
  private static final String EFFECT = "SendBillingEmails";

  private final ClaimCaller tenant;
  private final Persistent<ClaimCaller> servers;
  private final TestDatabase database;
  private final List<String> ids;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger granted = new AtomicInteger();
  private final AtomicInteger looks = new AtomicInteger();
  private final Set<String> held = ConcurrentHashMap.newKeySet();
  private final List<List<Future<Told>>> actors = new ArrayList<>();
  private final Future<?> watcher;
  private volatile boolean over;

  /** The answers to an actor about its claims. */
  private record Told(List<Claim> failed, List<Claim> completed) {}

  private ClaimLoad(TestDatabase database, int entities, List<ClaimCaller> servers) {
    this.database = database;
    this.tenant = servers.getFirst();
    this.servers = new Persistent<>(servers);
    this.ids = IntStream.range(0, entities).mapToObj(i -> "" + i).toList();
    this.watcher = threads.submit(this::watch);
  }

  /** Four actors on each of so many new entities. */
  static ClaimLoad start(TestDatabase database, int entities, ClaimCaller... servers) {
    var load = new ClaimLoad(database, entities, List.of(servers));
    load.ids.forEach(load.tenant::approved);
    for (var id : load.ids) {
      load.actors.add(
          IntStream.range(0, ACTORS)
              .mapToObj(i -> load.threads.submit(() -> load.act(id, i)))
              .toList());
    }
    return load;
  }

  /** How many grants were acknowledged. */
  int granted() {
    return granted.get();
  }

  int timesUnanswered() {
    return servers.unanswered().get();
  }

  /** Fails the first time, completes the second; waits for other holders. */
  private Told act(String id, int first) {
    var told = new Told(new ArrayList<>(), new ArrayList<>());
    while (true) {
      var begin = tenant.begin(id).setWait(Caller.seconds(5));
      var answer = servers.ask(first, server -> server.send(begin));
      if (answer.hasWrongStatus()) {
        assertThat(answer.getWrongStatus().getStatus()).isEqualTo("closed");
        return told;
      }
      if (answer.hasGranted()) {
        work(id, first, answer.getGranted().getClaim());
        end(first, answer.getGranted().getClaim(), told);
      } else {
        assertThat(answer.hasClaimFailed()).isTrue();
      }
    }
  }

  private void work(String id, int first, Claim claim) {
    assertThat(held.add(id)).as("no other holder acts on " + id).isTrue();
    granted.incrementAndGet();
    assertThat(servers.ask(first, server -> server.renew(claim, Caller.seconds(60))).hasRenewed())
        .isTrue();
    assertThat(held.remove(id)).isTrue();
  }

  private void end(int first, Claim claim, Told told) {
    if (told.failed().isEmpty()) {
      var kind = ActionFailureKind.ACTION_FAILURE_KIND_FAILURE;
      assertThat(servers.ask(first, server -> server.fail(claim, kind)).hasFailed()).isTrue();
      told.failed().add(claim);
    } else {
      assertThat(servers.ask(first, server -> server.complete(claim)).hasCompleted()).isTrue();
      told.completed().add(claim);
    }
  }

  /** Looks, over and over, whether a transition and its effect are seen together. */
  private void watch() {
    while (!over) {
      torn()
          .ifPresent(
              torn -> {
                assertThat(torn).isEqualTo("0");
                looks.incrementAndGet();
              });
    }
  }

  /**
   * How many are closed without a run that follows, or have a run that follows from nothing, all
   * seen in one moment. Empty = the connection was terminated too.
   */
  private Optional<String> torn() {
    try {
      return Optional.of(
          database.query(
              """
              SELECT count(*) FROM hapax.entity e
              WHERE e.workspace = '%s' AND (e.status = 'closed') <> EXISTS (
                SELECT FROM hapax.run_label l
                WHERE l.workspace = e.workspace AND l.name = 'hapax.entity' AND l.value = e.id)
              """
                  .formatted(tenant.workspace())));
    } catch (IllegalStateException _) {
      return Optional.empty();
    }
  }

  /** Waits until all have ended, and looks whether each thing happened once. */
  void finish(ClaimCaller server) throws ExecutionException, InterruptedException {
    for (var i = 0; i < ids.size(); i++) {
      requireTold(server, ids.get(i), actors.get(i));
    }
    over = true;
    watcher.get();
    assertThat(looks).hasPositiveValue();
    assertThat(server.runs().list())
        .extracting(run -> run.getLabelsMap().get("hapax.entity"))
        .containsExactlyInAnyOrderElementsOf(ids);
    assertThat(server.runs().list()).extracting(Run::getDefinitionVersion).containsOnly(EFFECT);
  }

  /** The history has each answer of the actors once, and no two claims at the same time. */
  private static void requireTold(ClaimCaller server, String id, List<Future<Told>> actors)
      throws ExecutionException, InterruptedException {
    var failed = new ArrayList<Claim>();
    var completed = new ArrayList<Claim>();
    for (var actor : actors) {
      failed.addAll(actor.get().failed());
      completed.addAll(actor.get().completed());
    }
    assertThat(completed).as(id).hasSize(1);
    var events = server.events(id);
    var expected = new ArrayList<EntityEventType>();
    expected.add(EntityEventType.ENTITY_EVENT_TYPE_CREATED);
    failed.forEach(
        _ -> {
          expected.add(EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN);
          expected.add(EntityEventType.ENTITY_EVENT_TYPE_ACTION_FAILED);
        });
    expected.add(EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN);
    expected.add(EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED);
    assertThat(events).extracting(EntityEvent::getType).containsExactlyElementsOf(expected);
    assertThat(events)
        .extracting(EntityEvent::getVersion)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, events.size()).boxed().toList());
    var fences =
        events.stream()
            .filter(event -> event.getType() == EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN)
            .map(event -> event.getActionBegan().getFence())
            .toList();
    assertThat(fences).isSorted().doesNotHaveDuplicates().hasSize(failed.size() + 1);
    assertThat(fences.getLast()).isEqualTo(completed.getFirst().getFence());
  }

  @Override
  public void close() {
    over = true;
    threads.shutdownNow();
  }
}
