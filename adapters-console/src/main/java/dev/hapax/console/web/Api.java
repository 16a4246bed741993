package dev.hapax.console.web;

import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.DefinitionServiceGrpc.DefinitionServiceBlockingStub;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.EntityServiceGrpc.EntityServiceBlockingStub;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.HookServiceGrpc.HookServiceBlockingStub;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.IdentityServiceGrpc.IdentityServiceBlockingStub;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.IntentServiceGrpc.IntentServiceBlockingStub;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc.JanitorServiceBlockingStub;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc.LifecycleServiceBlockingStub;
import dev.hapax.v1.LimitServiceGrpc;
import dev.hapax.v1.LimitServiceGrpc.LimitServiceBlockingStub;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.MonitoringServiceGrpc.MonitoringServiceBlockingStub;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc.OperationServiceBlockingStub;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunServiceGrpc.RunServiceBlockingStub;
import io.grpc.Channel;
import io.grpc.stub.AbstractBlockingStub;
import java.util.concurrent.TimeUnit;

/**
 * The services of the API, as one visitor calls them.
 *
 * @param channel carries the credentials of the visitor
 */
public record Api(Channel channel) {
  /** The actor in histories; the principal is written beside it. */
  public static final String ACTOR = "console";

  private static final int DEADLINE_SECONDS = 10;

  public RunServiceBlockingStub runs() {
    return timed(RunServiceGrpc.newBlockingStub(channel));
  }

  public HookServiceBlockingStub hooks() {
    return timed(HookServiceGrpc.newBlockingStub(channel));
  }

  public LimitServiceBlockingStub limits() {
    return timed(LimitServiceGrpc.newBlockingStub(channel));
  }

  public OperationServiceBlockingStub operations() {
    return timed(OperationServiceGrpc.newBlockingStub(channel));
  }

  public EntityServiceBlockingStub entities() {
    return timed(EntityServiceGrpc.newBlockingStub(channel));
  }

  public LifecycleServiceBlockingStub lifecycles() {
    return timed(LifecycleServiceGrpc.newBlockingStub(channel));
  }

  public JanitorServiceBlockingStub janitors() {
    return timed(JanitorServiceGrpc.newBlockingStub(channel));
  }

  public DefinitionServiceBlockingStub definitions() {
    return timed(DefinitionServiceGrpc.newBlockingStub(channel));
  }

  public IntentServiceBlockingStub intents() {
    return timed(IntentServiceGrpc.newBlockingStub(channel));
  }

  public MonitoringServiceBlockingStub monitoring() {
    return timed(MonitoringServiceGrpc.newBlockingStub(channel));
  }

  public IdentityServiceBlockingStub identity() {
    return timed(IdentityServiceGrpc.newBlockingStub(channel));
  }

  private static <S extends AbstractBlockingStub<S>> S timed(S stub) {
    return stub.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }
}
