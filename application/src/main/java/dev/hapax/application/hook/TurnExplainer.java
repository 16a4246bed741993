package dev.hapax.application.hook;

import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.run.AwaitedToken;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Explains what a run waits for in the lines of its tokens, or which runs wait for its tokens. */
record TurnExplainer(HookReads reads, Run run) {
  CompletableFuture<List<String>> sentences() {
    return run.blocked()
        .filter(_ -> run.tokens().isAwaiting())
        .map(
            blocked ->
                all(
                    run.tokens().awaited().stream()
                        .map(token -> waits(token, blocked.turn()))
                        .toList()))
        .orElseGet(
            () ->
                run.hasEnded()
                    ? CompletableFuture.completedFuture(List.of())
                    : all(run.tokens().marks().stream().map(this::id).map(this::owns).toList()));
  }

  private static CompletableFuture<List<String>> all(
      List<CompletableFuture<Optional<String>>> found) {
    return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
        .thenApply(_ -> found.stream().flatMap(each -> each.join().stream()).toList());
  }

  private HookId id(UUID hash) {
    return new HookId(run.id().workspace(), hash);
  }

  private CompletableFuture<Optional<String>> waits(AwaitedToken token, long turn) {
    var id = id(token.hash());
    return reads
        .find(id)
        .thenCombine(
            reads.ahead(id, turn),
            (found, ahead) ->
                Optional.of(waits(token, found.flatMap(HookReads.Found::owner), ahead)));
  }

  private static String waits(AwaitedToken token, Optional<Run> owner, int ahead) {
    return String.format(
        Locale.ROOT,
        "Token %s%s: %s; %s.",
        HookFingerprint.of(token.hash()).text(),
        token.name().isEmpty() ? "" : " (\"%s\")".formatted(token.name()),
        ahead == 0 ? "it is first in line" : runs(ahead) + " before it in line",
        owner
            .map(run -> "%s owns it and is %s".formatted(run.id().text(), run.status()))
            .orElse("no run owns it"));
  }

  private CompletableFuture<Optional<String>> owns(HookId id) {
    return reads
        .find(id)
        .thenApply(
            found ->
                found
                    .filter(token -> token.owner().map(Run::id).filter(this::isRun).isPresent())
                    .filter(token -> token.waiting() > 0)
                    .map(
                        token ->
                            "%s for its token %s."
                                .formatted(
                                    token.waiting() == 1
                                        ? "1 run waits"
                                        : runs(token.waiting()) + " wait",
                                    id.fingerprint().text())));
  }

  private boolean isRun(RunId id) {
    return id.equals(run.id());
  }

  private static String runs(int number) {
    return number == 1 ? "1 run" : String.format(Locale.ROOT, "%d runs", number);
  }
}
