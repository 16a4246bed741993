package dev.hapax.client;

import dev.hapax.client.Calls.Answer;
import dev.hapax.client.Observer.HolderKind;
import dev.hapax.client.WorkCalls.Ending;
import dev.hapax.client.internal.CompletionFunction;
import dev.hapax.client.internal.FailureText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailActionResponse;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewActionResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One action of this process.
 *
 * @param <T> the result of its work
 */
final class Act<T extends @Nullable Object> implements WorkCalls<Entity> {

  private static final Logger log = LoggerFactory.getLogger(Act.class);

  private final Connection connection;
  private final Action action;
  private final Codec<T> codec;

  Act(Connection connection, Action action, Codec<T> codec) {
    this.connection = connection;
    this.action = action;
    this.codec = codec;
  }

  <X extends Exception> ActOutcome<T> run(Work<? extends T, X> work) throws X {
    BeginActionRequest request =
        action.message().toBuilder()
            .setWorkspace(connection.workspace())
            .setActor(connection.actor())
            .setAttemptId(UUID.randomUUID().toString())
            .build();
    Answer<BeginActionResponse> begun =
        connection.begin(request, BeginActionResponse.getDefaultInstance(), action.waiting());
    BeginActionResponse response = begun.message();
    return switch (response.getOutcomeCase()) {
      case GRANTED -> hold(begun, response.getGranted(), work);
      case CLAIM_FAILED -> {
        var other = response.getClaimFailed();
        yield new ActOutcome.ClaimFailed<>(
            other.getHolder(),
            ProtoTimes.toJava(other.getSince()),
            ProtoTimes.toJava(other.getLeaseRemaining()),
            other.getMessage());
      }
      case WRONG_STATUS -> new ActOutcome.WrongStatus<>(response.getWrongStatus().getStatus());
      case NOT_ALLOWED -> new ActOutcome.NotAllowed<>();
      case NEEDS_RECOVERY -> new ActOutcome.NeedsRecovery<>();
      case OUTCOME_NOT_SET ->
          throw new IllegalStateException("a call fails if its outcome is unknown");
    };
  }

  private <X extends Exception> ActOutcome<T> hold(
      Answer<?> begun, BeginActionResponse.Granted grant, Work<? extends T, X> work) throws X {
    Claim claim =
        Claim.of(
            new Claim.Grant(
                grant.getClaim(),
                1,
                false,
                false,
                SqlCompletion.by(
                    CompletionFunction.ACTION, connection, codec, any -> new String[0])),
            connection.calls().timing(),
            begun,
            ProtoTimes.toJava(grant.getLeaseRemaining()),
            action.holdAtMost(),
            () -> connection.observer().lost(HolderKind.ACTION));
    Held<T, Entity> held = new Holder<>(connection, claim, codec, this).run(this::renew, work);
    if (held instanceof Held.Done<T, Entity> done) {
      Entity entity = done.answer();
      return new ActOutcome.Done<>(done.value(), entity == null ? current(grant) : entity);
    }
    if (held instanceof Held.Unrecorded<T, Entity> unrecorded) {
      return new OnceOutcome.Unrecorded<>(unrecorded.value(), unrecorded.cause());
    }
    if (held instanceof Held.Lost<T, Entity> over) {
      return new OnceOutcome.ClaimLost<>(Claim.name(over.lost().getReason()), over.failure());
    }
    throw new HapaxException.NotCommitted();
  }

  /** The entity after a transaction; as it was granted if Hapax does not answer. */
  private Entity current(BeginActionResponse.Granted grant) {
    try {
      return Entities.get(connection, action.message().getLifecycle(), grant.getEntity().getId());
    } catch (HapaxException unanswered) {
      log.debug("the entity of claim {} cannot be read", grant.getClaim().getId(), unanswered);
      return new Entity(grant.getEntity());
    }
  }

  private CompletableFuture<?> renew(List<Claim> due) {
    Claim claim = due.get(0);
    RenewActionRequest.Builder request =
        RenewActionRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message());
    if (action.message().hasLease()) {
      request.setLease(action.message().getLease());
    }
    return connection
        .calls()
        .start(
            request.build(),
            RenewActionResponse.getDefaultInstance(),
            Claim.Lease.renewalTimeout(due))
        .handle(
            (answer, error) -> {
              renewed(claim.lease(), answer);
              return null;
            });
  }

  private static void renewed(Claim.Lease lease, @Nullable Answer<RenewActionResponse> answer) {
    if (answer == null) {
      lease.notRenewed();
      return;
    }
    RenewActionResponse response = answer.message();
    switch (response.getOutcomeCase()) {
      case RENEWED ->
          lease.renewed(answer, ProtoTimes.toJava(response.getRenewed().getLeaseRemaining()));
      case CLAIM_LOST -> lease.revoke(response.getClaimLost().getReason());
      case OUTCOME_NOT_SET -> lease.notRenewed();
    }
  }

  @Override
  public Ending<Entity> complete(Claim claim, @Nullable Payload result) {
    if (claim.lease().isRevoked()) {
      return lost(claim);
    }
    CompleteActionRequest.Builder request =
        CompleteActionRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message())
            .setActor(connection.actor());
    if (result != null) {
      request.setOutput(result);
    }
    CompleteActionResponse response =
        connection
            .record(request.build(), CompleteActionResponse.getDefaultInstance(), claim)
            .message();
    return response.hasClaimLost()
        ? new Ending.Lost<>(response.getClaimLost())
        : new Ending.Recorded<>(new Entity(response.getCompleted().getEntity()));
  }

  @Override
  public Ending<Entity> fail(Claim claim, Throwable thrown) {
    // after a completion in a transaction, only Hapax knows whether that was committed
    if (claim.lease().isRevoked() && claim.completed() == null) {
      return lost(claim);
    }
    WorkFailure declared = WorkFailure.in(thrown);
    ActionFailureKind kind =
        declared == null
            ? ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION
            : declared instanceof InvalidAction
                ? ActionFailureKind.ACTION_FAILURE_KIND_INVALID
                : ActionFailureKind.ACTION_FAILURE_KIND_FAILURE;
    String message = declared == null ? thrown.toString() : declared.getMessage();
    try {
      return fail(claim, kind, message);
    } catch (HapaxException.Refused refused) {
      log.error("Hapax refused the text of the failure of claim {}", claim.id(), refused);
      return fail(claim, kind, "FAILED");
    }
  }

  @Override
  public Ending<Entity> probe(Claim claim) {
    return fail(
        claim,
        ActionFailureKind.ACTION_FAILURE_KIND_FAILURE,
        "the transaction that completed the action was not committed");
  }

  private Ending<Entity> fail(Claim claim, ActionFailureKind kind, @Nullable String message) {
    FailActionRequest request =
        FailActionRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message())
            .setKind(kind)
            .setMessage(FailureText.message(message))
            .setActor(connection.actor())
            .build();
    FailActionResponse response =
        connection.record(request, FailActionResponse.getDefaultInstance(), claim).message();
    return response.hasClaimLost()
        ? new Ending.Lost<>(response.getClaimLost())
        : new Ending.Recorded<>(new Entity(response.getFailed().getEntity()));
  }

  /** Hapax has reported the loss before: what this holder sends would not be recorded. */
  private static Ending<Entity> lost(Claim claim) {
    ClaimLostReason reason = claim.lease().lostReason();
    // a builder refuses a reason that this client does not know
    return new Ending.Lost<>(
        reason == null || reason == ClaimLostReason.UNRECOGNIZED
            ? ClaimLost.getDefaultInstance()
            : ClaimLost.newBuilder().setReason(reason).build());
  }

  @Override
  public @Nullable Payload unkept() {
    return null;
  }
}
