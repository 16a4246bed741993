package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.Claim;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Several act on each entity by way of two servers, and the one server is killed meanwhile. */
class ClaimKillIT {
  private static final int ENTITIES = 60;
  private static final int ACTORS = 4;
  private static final String EFFECT = "SendBillingEmails";

  private final Deployment deployment = Deployment.start();
  private final ClaimCaller killed = ClaimCaller.to(deployment.target());
  private final ClaimCaller left = killed.via(deployment.add().awaitReady());
  private final Persistent<ClaimCaller> servers = new Persistent<>(List.of(killed, left));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger answers = new AtomicInteger();
  private final Set<String> held = ConcurrentHashMap.newKeySet();

  /** What an actor was told about its claims. */
  private record Told(List<Claim> failed, List<Claim> completed) {}

  @AfterEach
  void close() {
    threads.shutdownNow();
    left.close();
    killed.close();
    deployment.close();
  }

  /** Acts in vain the first time, with success the second; waits for whoever else acts. */
  private Told act(String id, int first) {
    var told = new Told(new ArrayList<>(), new ArrayList<>());
    while (true) {
      var begin = killed.begin(id).setWait(Caller.seconds(5));
      var answer = servers.ask(first, server -> server.send(begin));
      if (answer.hasWrongStatus()) {
        assertThat(answer.getWrongStatus().getStatus()).isEqualTo("closed");
        return told;
      }
      if (answer.hasGranted()) {
        assertThat(held.add(id)).as("nobody else acts on " + id).isTrue();
        answers.incrementAndGet();
        assertThat(held.remove(id)).isTrue();
        end(first, answer.getGranted().getClaim(), told);
      } else {
        assertThat(answer.hasClaimFailed()).isTrue();
      }
    }
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

  @Test
  @DisplayName(
      "X2, C1, C9: a server is killed amid 240 who act on 60 entities; what was acknowledged is"
          + " there, once")
  void killed() throws ExecutionException, InterruptedException {
    var ids = IntStream.range(0, ENTITIES).mapToObj(i -> "" + i).toList();
    ids.forEach(left::approved);
    var actors =
        ids.stream()
            .map(
                id ->
                    IntStream.range(0, ACTORS)
                        .mapToObj(i -> threads.submit(() -> act(id, i)))
                        .toList())
            .toList();
    Condition.await("some have acted", () -> answers.get() > ENTITIES);
    deployment.server().kill9();
    for (var i = 0; i < ENTITIES; i++) {
      requireTold(ids.get(i), actors.get(i));
    }
    assertThat(left.runs().list())
        .extracting(run -> run.getLabelsMap().get("hapax.entity"))
        .containsExactlyInAnyOrderElementsOf(ids);
    assertThat(left.runs().list()).extracting(Run::getDefinitionVersion).containsOnly(EFFECT);
  }

  /** The history has what the actors were told, each once, and never two at the same time. */
  private void requireTold(String id, List<Future<Told>> actors)
      throws ExecutionException, InterruptedException {
    var failed = new ArrayList<Claim>();
    var completed = new ArrayList<Claim>();
    for (var actor : actors) {
      failed.addAll(actor.get().failed());
      completed.addAll(actor.get().completed());
    }
    assertThat(completed).as(id).hasSize(1);
    var events = left.events(id);
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
            .map(event -> event.getDetails().getFence())
            .toList();
    assertThat(fences).isSorted().doesNotHaveDuplicates().hasSize(failed.size() + 1);
    assertThat(fences.getLast()).isEqualTo(completed.getFirst().getFence());
  }
}
