package dev.hapax.grpc.intent;

import dev.hapax.domain.Page;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentReads.Found;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.ItemErrorEncoding;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.run.RunPages;
import dev.hapax.grpc.run.RunSignals;
import dev.hapax.v1.AwaitIntentResponse;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.Intent.Cancelled;
import dev.hapax.v1.Intent.Completed;
import dev.hapax.v1.Intent.Signaled;
import dev.hapax.v1.Intent.Started;
import dev.hapax.v1.ListIntentsResponse;
import java.util.Optional;
import java.util.UUID;

/** Encodes intents. */
final class IntentEncoding {
  private IntentEncoding() {}

  static AwaitIntentResponse awaited(Optional<Found> found) {
    return AwaitIntentResponse.newBuilder()
        .setIntent(intent(found.orElseThrow(IntentErrors::notFound)))
        .build();
  }

  static ListIntentsResponse page(Page<Found, UUID> page) {
    var response = ListIntentsResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            page.items(),
            IntentEncoding::intent,
            (found, message) ->
                response.addIntents(message).setNextPageToken(RunPages.token(found.id().uuid())));
    return isAll
        ? response.setNextPageToken(page.next().map(RunPages::token).orElse("")).build()
        : response.build();
  }

  private static dev.hapax.v1.Intent intent(Found found) {
    var origin = found.intent().origin();
    var message =
        dev.hapax.v1.Intent.newBuilder()
            .setTicket(found.id().ticket(origin.verb()))
            .setVerb(verb(origin.verb()))
            .setPostedAt(Durations.encode(origin.postedAt()))
            .setRole(origin.role())
            .setTries(found.intent().tries());
    switch (found.intent()) {
      case Intent.Posted posted ->
          posted.notBefore().map(Durations::encode).ifPresent(message::setNotBefore);
      case Intent.Taken taken -> {
        message.setTakenAt(Durations.encode(taken.at()));
        add(message, taken.outcome());
      }
    }
    return message.build();
  }

  private static dev.hapax.v1.IntentVerb verb(IntentVerb verb) {
    return switch (verb) {
      case START_RUN -> dev.hapax.v1.IntentVerb.INTENT_VERB_START_RUN;
      case SIGNAL_RUN -> dev.hapax.v1.IntentVerb.INTENT_VERB_SIGNAL_RUN;
      case SIGNAL_HOOK -> dev.hapax.v1.IntentVerb.INTENT_VERB_SIGNAL_HOOK;
      case CANCEL_RUN -> dev.hapax.v1.IntentVerb.INTENT_VERB_CANCEL_RUN;
      case COMPLETE_ACTION -> dev.hapax.v1.IntentVerb.INTENT_VERB_COMPLETE_ACTION;
      case COMPLETE_TASK -> dev.hapax.v1.IntentVerb.INTENT_VERB_COMPLETE_TASK;
      case COMPLETE_OPERATION -> dev.hapax.v1.IntentVerb.INTENT_VERB_COMPLETE_OPERATION;
    };
  }

  private static void add(dev.hapax.v1.Intent.Builder message, IntentOutcome outcome) {
    switch (outcome) {
      case IntentOutcome.Started started -> message.setStarted(started(started));
      case IntentOutcome.Signaled(var run, var disposition) ->
          message.setSignaled(
              Signaled.newBuilder()
                  .setDisposition(RunSignals.disposition(disposition))
                  .setRunId(run.text()));
      case IntentOutcome.Cancelled(var run) ->
          message.setCancelled(Cancelled.newBuilder().setRunId(run.text()));
      case IntentOutcome.Completed(var run) ->
          message.setCompleted(Completed.newBuilder().setRunId(run.map(RunId::text).orElse("")));
      case IntentOutcome.Failed failed ->
          message.setError(ItemErrorEncoding.error(IntentErrors.of(failed)));
    }
  }

  private static Started started(IntentOutcome.Started outcome) {
    var started =
        Started.newBuilder()
            .setDisposition(disposition(outcome.disposition()))
            .setRunId(outcome.run().map(RunId::text).orElse(""))
            .setOwnerRunId(outcome.owner().map(RunId::text).orElse(""));
    outcome.signal().map(RunSignals::disposition).ifPresent(started::setSignalDisposition);
    return started.build();
  }

  private static Disposition disposition(IntentOutcome.StartDisposition disposition) {
    return switch (disposition) {
      case CREATED -> Disposition.DISPOSITION_CREATED;
      case EXISTING -> Disposition.DISPOSITION_EXISTING;
      case REJECTED -> Disposition.DISPOSITION_REJECTED;
      case USED_EXISTING -> Disposition.DISPOSITION_USED_EXISTING;
      case SIGNALED -> Disposition.DISPOSITION_SIGNALED;
      case SUPERSEDED -> Disposition.DISPOSITION_SUPERSEDED;
      case QUEUED -> Disposition.DISPOSITION_QUEUED;
    };
  }
}
