package dev.hapax.bootstrap.cli.entity;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.cli.call.Operator.Said;
import dev.hapax.bootstrap.cli.call.WorkspaceOperator;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse.Granted;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse.OutcomeCase;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.EntityServiceGrpc.EntityServiceBlockingStub;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.Payload;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EntityCommandsIT {
  private static final String BILLING =
      """
      {"lifecycle": "billing", "module": "billing", "status_types": ["approved", "closing", "closed"],
       "steps": [{"step_key": "close", "status": "approved", "claim_state": ["closing", "approved"],
         "successful_state": "closed", "action": "Close"}]}
      """;

  @RegisterExtension private final WorkspaceOperator operator = new WorkspaceOperator();
  private @Nullable ManagedChannel opened;

  @AfterEach
  void disconnect() {
    channel().shutdownNow();
  }

  @BeforeEach
  void billing() {
    var channel = ManagedChannelBuilder.forTarget(operator.address()).usePlaintext().build();
    opened = channel;
    var _ =
        LifecycleServiceGrpc.newBlockingStub(channel)
            .applyLifecycles(
                ApplyLifecyclesRequest.newBuilder()
                    .setWorkspace(operator.workspace())
                    .addLifecycles(BILLING)
                    .addJanitors(
                        JanitorContract.newBuilder().setModule("billing").addClaimStates("closing"))
                    .build());
  }

  private ManagedChannel channel() {
    return Objects.requireNonNull(opened, "only in a test");
  }

  private EntityServiceBlockingStub entities() {
    return EntityServiceGrpc.newBlockingStub(channel());
  }

  private Said hapax(String command, String... arguments) {
    return operator.hapax(command, arguments);
  }

  private Granted begin(String id) {
    return entities()
        .beginAction(
            BeginActionRequest.newBuilder()
                .setWorkspace(operator.workspace())
                .setLifecycle("billing")
                .setEntityId(id)
                .setStepKey("close")
                .setRequester("admin")
                .setActor("worker-1")
                .setLease(Durations.fromHours(1))
                .build())
        .getGranted();
  }

  private OutcomeCase complete(Granted granted) {
    return entities()
        .completeAction(
            CompleteActionRequest.newBuilder()
                .setWorkspace(operator.workspace())
                .setClaim(granted.getClaim())
                .setOutput(Payload.newBuilder().setJson("{\"mails\": 3}"))
                .build())
        .getOutcomeCase();
  }

  @Test
  @DisplayName("an entity is created once, shown and listed")
  void creates() throws Exception {
    var created = hapax("entity", "create", "billing", "i-1", "--status=approved");
    assertThat(created.code()).isZero();
    assertThat(created.out()).containsPattern("(?m)^status +approved$").doesNotContain("already");
    assertThat(hapax("entity", "create", "billing", "i-1", "--status=approved").out())
        .startsWith("already exists; current state:\n");
    var _ = hapax("entity", "create", "billing", "i-2", "--status=closed");

    assertThat(hapax("entity", "list").lines()).hasSize(3);
    assertThat(hapax("entity", "list", "--status=closed").out())
        .containsPattern("(?m)^billing +i-2 +closed +1 +- +-$")
        .doesNotContain("i-1");
    assertThat(hapax("entity", "list", "--status=closed", "--status=approved").lines()).hasSize(3);
    assertThat(hapax("entity", "list", "--lifecycle=other").err())
        .isEqualTo("hapax: no entities\n");
    assertThat(hapax("entity", "list", "--limit=1").err()).contains("there are more");
    var entity = Entity.newBuilder();
    JsonFormat.parser().merge(hapax("entity", "get", "billing", "i-2", "--json").out(), entity);
    assertThat(entity.getStatus()).isEqualTo("closed");
  }

  @Test
  @DisplayName("given an error, then the command has an exit code and prints one line")
  void refuses() {
    assertThat(hapax("entity", "get", "billing", "none").code()).isEqualTo(3);
    assertThat(hapax("entity", "events", "billing", "none").code()).isEqualTo(3);
    assertThat(hapax("entity", "create", "none", "i", "--status=approved").code()).isEqualTo(3);
    var claimState = hapax("entity", "create", "billing", "i", "--status=closing");
    assertThat(claimState.code()).isEqualTo(2);
    assertThat(claimState.err()).startsWith("hapax: status ").hasLineCount(1);
    assertThat(hapax("entity", "create", "billing", "i").err()).contains("--status");
    assertThat(hapax("claim", "release", "billing", "i", "--reason=x").code()).isEqualTo(3);
    assertThat(hapax("claim", "release", "billing", "i").err()).contains("--reason");
  }

  @Test
  @DisplayName(
      "given a claimed entity, then its holder is in get, in the claims and in the history")
  void claimed() {
    var _ = hapax("entity", "create", "billing", "i-1", "--status=approved");
    var granted = begin("i-1");

    assertThat(hapax("entity", "get", "billing", "i-1").out())
        .containsPattern("(?m)^status +closing$")
        .containsPattern("(?m)^held by +worker-1$")
        .containsPattern("(?m)^lease left +(59|60)m$")
        .containsPattern("(?m)^step +close \\(admin\\)$")
        .containsPattern("(?m)^on failure +approved$");
    assertThat(hapax("claim", "list").out())
        .containsPattern(
            "(?m)^ENTITY_CLAIMED +billing i-1, closing +worker-1 +\\d+s +(59|60)m +the janitor");
    assertThat(hapax("claim", "list", "--kind=entity_recovering").err())
        .isEqualTo("hapax: no claims\n");
    assertThat(hapax("claim", "list", "--older-than=1h").err()).isEqualTo("hapax: no claims\n");
    assertThat(hapax("claim", "list", "--json").out()).contains("CLAIM_KIND_ENTITY_CLAIMED");
    assertThat(complete(granted)).isEqualTo(OutcomeCase.COMPLETED);
    assertThat(hapax("claim", "list").err()).isEqualTo("hapax: no claims\n");
    assertThat(hapax("entity", "events", "billing", "i-1").lines())
        .satisfiesExactly(
            one -> assertThat(one).contains("  1  approved: created"),
            two ->
                assertThat(two).contains("  2  closing: close (admin) began: Close, by worker-1"),
            three ->
                assertThat(three).contains("  3  closed: close (admin) completed: {\"mails\": 3}"));
    assertThat(hapax("entity", "events", "billing", "i-1", "--after=2").lines()).hasSize(1);
  }

  @Test
  @DisplayName("why an entity was created is in its history")
  void createsWithAReason() {
    var _ = hapax("entity", "create", "billing", "i-1", "--status=approved", "--reason=imported");
    assertThat(hapax("entity", "events", "billing", "i-1").out())
        .contains("  1  approved: created: imported, by ");
  }

  @Test
  @DisplayName(
      "given a release, then the entity reverts, once for a request id, and the holder is fenced")
  void releases() {
    var _ = hapax("entity", "create", "billing", "i-1", "--status=approved");
    var granted = begin("i-1");

    var released =
        hapax("claim", "release", "billing", "i-1", "--reason=it hung", "--request-id=r");

    assertThat(released.code()).isZero();
    assertThat(released.out()).containsPattern("(?m)^status +approved$").doesNotContain("held by");
    assertThat(complete(granted)).isEqualTo(OutcomeCase.CLAIM_LOST);
    assertThat(hapax("entity", "events", "billing", "i-1").out()).contains("released: it hung");
    assertThat(begin("i-1").hasClaim()).isTrue();
    assertThat(
            hapax("claim", "release", "billing", "i-1", "--reason=it hung", "--request-id=r").out())
        .startsWith("already released with this request id; current state:\n")
        .containsPattern("(?m)^status +closing$");
    assertThat(
            hapax("claim", "release", "billing", "i-1", "--reason=x", "--expected-version=1")
                .code())
        .isEqualTo(1);
    assertThat(hapax("claim", "release", "billing", "i-1", "--reason=x").code()).isZero();
    var unclaimed = hapax("claim", "release", "billing", "i-1", "--reason=x");
    assertThat(unclaimed.code()).isEqualTo(1);
    assertThat(unclaimed.err()).hasLineCount(1);
  }

  @Test
  @DisplayName("a release with the outcome COMPLETE moves the entity on, as the history tells")
  void releasesAsDone() {
    var _ = hapax("entity", "create", "billing", "i-1", "--status=approved");
    var granted = begin("i-1");

    var released =
        hapax("claim", "release", "billing", "i-1", "--reason=it was done", "--outcome=complete");

    assertThat(released.code()).isZero();
    assertThat(released.out()).containsPattern("(?m)^status +closed$").doesNotContain("held by");
    assertThat(complete(granted)).isEqualTo(OutcomeCase.CLAIM_LOST);
    assertThat(hapax("entity", "events", "billing", "i-1").lines().getLast())
        .contains("closed: released as done: it was done");
    assertThat(hapax("claim", "release", "billing", "i-1", "--reason=x", "--outcome=maybe").err())
        .contains("--outcome");
  }

  @Test
  @DisplayName("a deletion removes an entity that is not claimed, once for its request id")
  void deletes() {
    var _ = hapax("entity", "create", "billing", "i-1", "--status=approved");
    var granted = begin("i-1");
    var claimed = hapax("entity", "delete", "billing", "i-1", "--reason=x");
    assertThat(claimed.code()).isEqualTo(1);
    assertThat(claimed.err()).hasLineCount(1).contains("claimed");
    assertThat(complete(granted)).isEqualTo(OutcomeCase.COMPLETED);

    var deleted =
        hapax("entity", "delete", "billing", "i-1", "--reason=a duplicate", "--request-id=r");

    assertThat(deleted.code()).isZero();
    assertThat(deleted.lines()).containsExactly("deleted");
    assertThat(hapax("entity", "get", "billing", "i-1").code()).isEqualTo(3);
    assertThat(hapax("entity", "events", "billing", "i-1").lines())
        .singleElement()
        .satisfies(line -> assertThat(line).contains("closed: deleted: a duplicate, by "));
    assertThat(hapax("entity", "delete", "billing", "i-1", "--reason=x", "--request-id=r").lines())
        .containsExactly("already deleted with this request id");
    var absent = hapax("entity", "delete", "billing", "i-1", "--reason=x");
    assertThat(absent.code()).isEqualTo(3);
    assertThat(absent.lines()).containsExactly("no entity \"i-1\" of lifecycle \"billing\"");
    assertThat(hapax("entity", "delete", "billing", "i-1").err()).contains("--reason");
  }
}
