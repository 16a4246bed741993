package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Duration;
import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.RenewOperationRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A holder in a process of its own, to be stopped: begins, renews its lease for as long as its work
 * is under way, and completes. The work is done when a file appears.
 */
final class Holder {
  static final String HOLDS = "holds ";
  static final String TOLD = "told ";
  private static final Duration LEASE = Caller.seconds(5);
  private static final long THIRD_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  private Holder() {}

  /** Arguments: HOST:PORT, workspace, request id, the file that says the work is done. */
  public static void main(String[] arguments) {
    var channel = TestAccess.channel(arguments[0]).build();
    var calls = OperationServiceGrpc.newBlockingStub(channel);
    var workspace = arguments[1];
    var claim =
        calls
            .beginOperation(
                BeginOperationRequest.newBuilder()
                    .setWorkspace(workspace)
                    .setAccount(Caller.ACCOUNT)
                    .setOperation(Caller.OPERATION)
                    .setRequestId(arguments[2])
                    .setAttemptId("holder")
                    .setFingerprint(Caller.FINGERPRINT)
                    .setLease(LEASE)
                    .build())
            .getAcquired()
            .getClaim();
    say(HOLDS + claim.getFence());
    while (!Files.exists(Path.of(arguments[3]))) {
      calls.renewOperation(renewal(workspace, claim));
      LockSupport.parkNanos(THIRD_NANOS);
    }
    var told =
        calls.completeOperation(
            CompleteOperationRequest.newBuilder()
                .setWorkspace(workspace)
                .setClaim(claim)
                .setResult(Caller.json("\"holder's\""))
                .build());
    say(TOLD + told.getOutcomeCase() + " " + told.getClaimLost().getReplay().getResult().getJson());
    channel.shutdownNow();
  }

  private static RenewOperationRequest renewal(String workspace, Claim claim) {
    return RenewOperationRequest.newBuilder()
        .setWorkspace(workspace)
        .setClaim(claim)
        .setLease(LEASE)
        .build();
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
