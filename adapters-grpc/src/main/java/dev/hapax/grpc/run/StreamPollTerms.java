package dev.hapax.grpc.run;

import dev.hapax.application.run.PollRequest;
import dev.hapax.domain.Digest;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Makes the polls of one stream. The attempt id of a poll consists of the stream's, its lane and
 * its turn. A stream that resumes another one repeats the polls whose tasks were not received, and
 * is granted the same tasks.
 *
 * @param attempt the hash of the stream's attempt id
 * @param turns the turns up to which the tasks of each lane were received
 * @param isResumable whether there may be an earlier stream
 */
record StreamPollTerms(
    PollRequest request, UUID attempt, List<Integer> turns, boolean isResumable) {
  /** As many lanes as batches that are committed at the same time. */
  private static final int LANES = 2;

  private static final int MAX_LANES = 16;
  private static final String TOKEN = "(\\d{1,9}\\.){0,15}\\d{1,9}";

  static StreamPollTerms read(WorkRequest.Open open, RandomValues random) {
    var request =
        TaskPolls.request(
            PollTasksRequest.newBuilder()
                .setWorkspace(open.getWorkspace())
                .addAllQueues(open.getQueuesList())
                .setWorkerId(open.getWorkerId())
                .setAttemptId(open.getAttemptId())
                .build());
    return new StreamPollTerms(
        request,
        request.attempt().orElseGet(random::uuid),
        turns(open.getResumeToken()),
        request.attempt().isPresent());
  }

  private static List<Integer> turns(String token) {
    if (token.isEmpty()) {
      return List.of();
    }
    if (!token.matches(TOKEN)) {
      throw new InvalidFieldException(
          "open.resume_token", "must be the resume_token of a WorkResponse");
    }
    return List.of(token.split("\\.")).stream().map(Integer::valueOf).toList();
  }

  List<PollLane> lanes() {
    var lanes = new ArrayList<PollLane>();
    for (var i = 0; i < Math.clamp(turns.size(), LANES, MAX_LANES); i++) {
      lanes.add(new PollLane(i, i < turns.size() ? turns.get(i) : 0, isResumable));
    }
    return lanes;
  }

  /** The token that resumes the stream. */
  String token(List<PollLane> lanes) {
    return lanes.stream()
        .map(lane -> String.valueOf(lane.written))
        .collect(Collectors.joining("."));
  }

  PollRequest of(PollLane lane, int places) {
    return new PollRequest(
        request.workspace(),
        request.queues(),
        request.worker(),
        Optional.of(
            Digest.sha256(String.format(Locale.ROOT, "%s/%d.%d", attempt, lane.number, lane.turn))),
        places,
        request.principal());
  }
}
