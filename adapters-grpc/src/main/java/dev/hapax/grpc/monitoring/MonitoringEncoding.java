package dev.hapax.grpc.monitoring;

import dev.hapax.application.monitoring.QueueState;
import dev.hapax.application.monitoring.WorkerState;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.DatabaseReads.DatabaseInfo;
import dev.hapax.domain.monitoring.NodeFacts;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.run.RunEncoding;
import dev.hapax.v1.CertificateState;
import dev.hapax.v1.ListServersResponse;
import dev.hapax.v1.RunCount;
import dev.hapax.v1.ServerInfo;
import dev.hapax.v1.ServerState;
import java.time.Instant;

/** Encodes server, queues, workers and run counts. */
final class MonitoringEncoding {
  private static final int MAX_QUEUES = 10;

  private MonitoringEncoding() {}

  static ServerInfo server(ServerFacts facts, DatabaseInfo database) {
    return ServerInfo.newBuilder()
        .setVersion(facts.version())
        .setSchemaVersion(database.schemaVersion())
        .setDatabaseTime(Durations.encode(database.now()))
        .addAllFeatures(facts.features(database.features()))
        .setLimits(LimitsEncoding.LIMITS)
        .build();
  }

  static ListServersResponse servers(BacklogReads.Servers servers, Instant now) {
    var response =
        ListServersResponse.newBuilder()
            .setIntents(servers.intents())
            .addAllServers(servers.servers().stream().map(MonitoringEncoding::server).toList());
    if (servers.intents() > 0) {
      response.setOldestIntentAt(Durations.encode(now.minus(servers.intentAge())));
    }
    return response.build();
  }

  private static ServerState server(BacklogReads.Server server) {
    var message = ServerState.newBuilder();
    server.facts().ifPresent(facts -> report(message, facts));
    return message
        .setId(server.id().toString())
        .setVersion(server.version())
        .setStartedAt(Durations.encode(server.startedAt()))
        .setSeenAt(Durations.encode(server.seenAt()))
        .setRunning(server.isRunning())
        .addAllCells(server.cells())
        .build();
  }

  private static void report(ServerState.Builder message, NodeFacts facts) {
    message.setCommitters(facts.committers()).setClockOffset(Durations.encode(facts.clockOffset()));
    facts
        .keys()
        .ifPresent(
            keys ->
                message
                    .setApiKeys(keys.number())
                    .setApiKeysReadAt(Durations.encode(keys.readAt())));
    facts
        .certificates()
        .forEach(
            each ->
                message.addCertificates(
                    CertificateState.newBuilder()
                        .setUse(each.use())
                        .setExpiresAt(Durations.encode(each.at()))));
  }

  static dev.hapax.v1.QueueState queue(QueueState queue, Instant now) {
    var message =
        dev.hapax.v1.QueueState.newBuilder()
            .setQueue(queue.queue())
            .setReady(queue.ready())
            .setPollsWaiting(queue.pollsWaiting())
            .setHeld(queue.held());
    queue.oldest().ifPresent(age -> message.setOldestReadyAt(Durations.encode(now.minus(age))));
    return message.build();
  }

  static dev.hapax.v1.WorkerState worker(WorkerState worker) {
    var message =
        dev.hapax.v1.WorkerState.newBuilder()
            .setWorkerId(worker.worker())
            .setPollsWaiting(worker.pollsWaiting())
            .setHeld(worker.held());
    worker
        .lastPoll()
        .ifPresent(
            poll ->
                message
                    .addAllQueues(poll.queues().stream().limit(MAX_QUEUES).toList())
                    .setLastPolledAt(Durations.encode(poll.at())));
    worker.leaseUntil().ifPresent(until -> message.setLeaseUntil(Durations.encode(until)));
    return message.build();
  }

  static RunCount count(BacklogReads.RunCount count) {
    return RunCount.newBuilder()
        .setStatus(RunEncoding.status(count.status()))
        .setDefinition(count.definition())
        .setRuns(count.number())
        .setTruncated(count.truncated())
        .build();
  }
}
