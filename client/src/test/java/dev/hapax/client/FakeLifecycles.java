package dev.hapax.client;

import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.ApplyLifecyclesResponse;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.GetLifecycleResponse;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.LifecycleViolation;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.ListLifecyclesResponse;
import dev.hapax.v1.ValidateLifecycleRequest;
import dev.hapax.v1.ValidateLifecycleResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.TreeMap;

/** Takes any text for a lifecycle of that name, but {@code bad}. */
public final class FakeLifecycles extends LifecycleServiceGrpc.LifecycleServiceImplBase {

  private final Faults faults;
  private final Map<String, Lifecycle> applied = new TreeMap<>();

  public FakeLifecycles(Faults faults) {
    this.faults = faults;
  }

  @Override
  public void applyLifecycles(
      ApplyLifecyclesRequest request, StreamObserver<ApplyLifecyclesResponse> answer) {
    faults.serve(
        "apply",
        answer,
        reply -> {
          if (request.getLifecyclesList().contains("bad")) {
            throw FakeRuns.refusal(
                Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_LIFECYCLE_INVALID, Map.of());
          }
          ApplyLifecyclesResponse.Builder response = ApplyLifecyclesResponse.newBuilder();
          for (String json : request.getLifecyclesList()) {
            Lifecycle lifecycle = Lifecycle.newBuilder().setName(json).setVersion(1).build();
            boolean already = applied.putIfAbsent(json, lifecycle) != null;
            response.addLifecycles(
                ApplyLifecyclesResponse.Applied.newBuilder()
                    .setLifecycle(lifecycle)
                    .setAlready(already));
          }
          request
              .getJanitorsList()
              .forEach(
                  contract ->
                      response.addJanitors(
                          ApplyLifecyclesResponse.Declared.newBuilder().setContract(contract)));
          reply.accept(response.build());
        });
  }

  @Override
  public void validateLifecycle(
      ValidateLifecycleRequest request, StreamObserver<ValidateLifecycleResponse> answer) {
    ValidateLifecycleResponse.Builder response = ValidateLifecycleResponse.newBuilder();
    if (request.getJson().equals("bad")) {
      response.addViolations(LifecycleViolation.newBuilder().setRule("rule-3-no-op"));
    }
    faults.serve("validate", answer, reply -> reply.accept(response.build()));
  }

  @Override
  public void getLifecycle(
      GetLifecycleRequest request, StreamObserver<GetLifecycleResponse> answer) {
    faults.serve(
        "getLifecycle",
        answer,
        reply -> {
          Lifecycle found = applied.get(request.getName());
          if (found == null) {
            throw FakeRuns.refusal(
                Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_LIFECYCLE_NOT_FOUND, Map.of());
          }
          reply.accept(GetLifecycleResponse.newBuilder().setLifecycle(found).build());
        });
  }

  /** One to a page, whatever is asked for. */
  @Override
  public void listLifecycles(
      ListLifecyclesRequest request, StreamObserver<ListLifecyclesResponse> answer) {
    faults.serve(
        "listLifecycles",
        answer,
        reply -> {
          int at = request.getPageToken().isEmpty() ? 0 : Integer.parseInt(request.getPageToken());
          var all = applied.values().stream().toList();
          ListLifecyclesResponse.Builder page = ListLifecyclesResponse.newBuilder();
          if (at < all.size()) {
            page.addLifecycles(all.get(at));
          }
          page.setNextPageToken(at + 1 < all.size() ? Integer.toString(at + 1) : "");
          reply.accept(page.build());
        });
  }
}
