package dev.hapax.bootstrap.cli.lifecycle;

import com.google.protobuf.util.Durations;
import dev.hapax.application.lifecycle.ApplyAnswer;
import dev.hapax.application.lifecycle.LifecycleDeclaration;
import dev.hapax.application.lifecycle.LifecycleTarget;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.startup.lifecycle.ApplyErrors;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.janitor.ClaimStateCoverage;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.grpc.janitor.JanitorEncoding;
import dev.hapax.v1.ApplyLifecycleRequest;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * A remote server.
 *
 * @param reason reason of the change; may be empty
 */
record RemoteLifecycleTarget(String workspace, HapaxClient hapax, String reason)
    implements LifecycleTarget {

  /** Returns the janitors of the server by module. */
  Map<String, Janitor> janitors() {
    return hapax
        .janitors()
        .list()
        .collect(Collectors.toMap(dev.hapax.v1.Janitor::getModule, RemoteLifecycleTarget::janitor));
  }

  private static Janitor janitor(dev.hapax.v1.Janitor sent) {
    var demands = new HashMap<String, RequiredClaimStates>();
    for (var each : sent.getCoverageList()) {
      var states = new TreeSet<>(Set.of(each.getClaimState()));
      Optional.ofNullable(demands.get(each.getLifecycle()))
          .ifPresent(before -> states.addAll(before.claimStates()));
      demands.put(
          each.getLifecycle(),
          new RequiredClaimStates(each.getLifecycle(), sent.getModule(), states));
    }
    var contract =
        sent.hasContract()
            ? Optional.of(contract(sent.getContract()))
            : Optional.<JanitorContract>empty();
    return new Janitor(contract, Instant.EPOCH, demands, Attribution.NONE);
  }

  private static JanitorContract contract(dev.hapax.v1.JanitorContract sent) {
    return new JanitorContract(
        sent.getModule(),
        sent.getAllClaimStates()
            ? new ClaimStateCoverage.All()
            : new ClaimStateCoverage.Named(Set.copyOf(sent.getClaimStatesList())),
        JanitorTiming.of(
            Duration.ofNanos(Durations.toNanos(sent.getStaleAfter())),
            Duration.ofNanos(Durations.toNanos(sent.getEvery()))),
        sent.getMode() == dev.hapax.v1.JanitorMode.JANITOR_MODE_REMOTE
            ? JanitorMode.REMOTE
            : JanitorMode.HOSTED);
  }

  @Override
  public ApplyAnswer declare(JanitorContract contract) {
    var request =
        DeclareJanitorRequest.newBuilder()
            .setWorkspace(workspace)
            .setContract(JanitorEncoding.contract(contract))
            .setActor(ConnectionOptions.actor())
            .setReason(reason)
            .build();
    return answer(
        () -> hapax.call(JanitorServiceGrpc.getDeclareJanitorMethod(), request).getAlready());
  }

  @Override
  public ApplyAnswer apply(LifecycleDeclaration.OfLifecycle declared) {
    var request =
        ApplyLifecycleRequest.newBuilder()
            .setWorkspace(workspace)
            .setJson(declared.text())
            .setActor(ConnectionOptions.actor())
            .setReason(reason)
            .build();
    return answer(
        () -> hapax.call(LifecycleServiceGrpc.getApplyLifecycleMethod(), request).getAlready());
  }

  private static ApplyAnswer answer(BooleanSupplier already) {
    try {
      return new ApplyAnswer.Done(already.getAsBoolean());
    } catch (HapaxException e) {
      return ApplyErrors.answer(e.error()).orElseThrow(() -> e);
    }
  }
}
