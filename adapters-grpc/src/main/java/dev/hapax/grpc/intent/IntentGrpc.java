package dev.hapax.grpc.intent;

import dev.hapax.application.intent.Intents;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.Unary;
import dev.hapax.grpc.call.WaitField;
import dev.hapax.grpc.run.RunPages;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitIntentResponse;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.ListIntentsRequest;
import dev.hapax.v1.ListIntentsResponse;
import dev.hapax.v1.NudgeIntentsRequest;
import dev.hapax.v1.NudgeIntentsResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** IntentService: decodes, calls, encodes. */
public final class IntentGrpc implements IntentServiceGrpc.AsyncService, BindableService {
  private final Intents intents;

  public IntentGrpc(Intents intents) {
    this.intents = intents;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return IntentServiceGrpc.bindService(this);
  }

  @Override
  public void nudgeIntents(
      NudgeIntentsRequest request, StreamObserver<NudgeIntentsResponse> caller) {
    Unary.respond(
        caller,
        () -> nudge(FieldReader.workspace(request.getWorkspace())),
        _ -> NudgeIntentsResponse.getDefaultInstance());
  }

  private CompletableFuture<Workspace> nudge(Workspace workspace) {
    intents.nudge();
    return CompletableFuture.completedFuture(workspace);
  }

  @Override
  public void awaitIntent(AwaitIntentRequest request, StreamObserver<AwaitIntentResponse> caller) {
    Unary.respond(
        caller, () -> intents.await(id(request), WaitField.read(request)), IntentEncoding::awaited);
  }

  private static IntentId id(AwaitIntentRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    return IntentId.parse(workspace, request.getTicket()).orElseThrow(IntentErrors::notFound);
  }

  @Override
  public void listIntents(ListIntentsRequest request, StreamObserver<ListIntentsResponse> caller) {
    Unary.respond(caller, () -> intents.list(query(request)), IntentEncoding::page);
  }

  private static IntentReads.Query query(ListIntentsRequest request) {
    return new IntentReads.Query(
        FieldReader.workspace(request.getWorkspace()),
        state(request),
        Page.size(request.getPageSize()),
        RunPages.position(request.getPageToken()));
  }

  private static IntentReads.State state(ListIntentsRequest request) {
    return switch (request.getState()) {
      case INTENT_STATE_UNSPECIFIED, INTENT_STATE_POSTED -> IntentReads.State.POSTED;
      case INTENT_STATE_FAILED -> IntentReads.State.FAILED;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }
}
