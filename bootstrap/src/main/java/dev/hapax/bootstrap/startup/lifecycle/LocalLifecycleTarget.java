package dev.hapax.bootstrap.startup.lifecycle;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.ApplyAnswer;
import dev.hapax.application.lifecycle.ApplyOutcome;
import dev.hapax.application.lifecycle.LifecycleDeclaration;
import dev.hapax.application.lifecycle.LifecycleTarget;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.TooManyException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.DeclareJanitor;
import dev.hapax.domain.janitor.DeclareJanitorOutcome;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.grpc.call.ItemErrorEncoding;
import dev.hapax.grpc.lifecycle.LifecycleErrors;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** The starting server itself, with the same answers as over gRPC. */
record LocalLifecycleTarget(Workspace workspace, Lifecycles lifecycles, Janitors janitors)
    implements LifecycleTarget {

  @Override
  public ApplyAnswer declare(JanitorContract contract) {
    return answer(
        janitors.declare(new DeclareJanitor(workspace, contract, Attribution.SERVER)),
        outcome ->
            switch (outcome) {
              case DeclareJanitorOutcome.Declared(_, var already) -> new ApplyAnswer.Done(already);
              case DeclareJanitorOutcome.Uncovers(var uncovered) ->
                  ApplyErrors.refused(
                      ItemErrorEncoding.error(LifecycleErrors.uncovered(uncovered)));
            });
  }

  @Override
  public ApplyAnswer apply(LifecycleDeclaration.OfLifecycle declared) {
    return answer(
        lifecycles.apply(workspace, declared.lifecycle(), Attribution.SERVER),
        outcome ->
            switch (outcome) {
              case ApplyOutcome.Applied(_, var already) -> new ApplyAnswer.Done(already);
              case ApplyOutcome.Uncovered(var missing) ->
                  ApplyErrors.refused(ItemErrorEncoding.error(LifecycleErrors.uncovered(missing)));
              case ApplyOutcome.Undefined(var definition) ->
                  ApplyErrors.refused(
                      ItemErrorEncoding.error(LifecycleErrors.undefined(definition)));
              case ApplyOutcome.InUse inUse ->
                  ApplyErrors.refused(
                      ItemErrorEncoding.error(
                          LifecycleErrors.inUse(declared.lifecycle().name(), inUse)));
              case ApplyOutcome.Changing _ -> new ApplyAnswer.Changing();
            });
  }

  private static <T> ApplyAnswer answer(
      CompletableFuture<T> asked, Function<T, ApplyAnswer> answer) {
    try {
      return answer.apply(asked.join());
    } catch (CompletionException e) {
      if (e.getCause() instanceof TooManyException tooMany) {
        return new ApplyAnswer.Refused(String.valueOf(tooMany.getMessage()), List.of());
      }
      throw e;
    }
  }
}
