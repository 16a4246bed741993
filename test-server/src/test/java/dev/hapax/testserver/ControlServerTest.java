package dev.hapax.testserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import dev.hapax.test.v1.AdvanceRequest;
import dev.hapax.test.v1.CreateInstanceRequest;
import dev.hapax.test.v1.CreateInstanceResponse;
import dev.hapax.test.v1.DeleteInstanceRequest;
import dev.hapax.test.v1.SettleRequest;
import dev.hapax.test.v1.TestServerServiceGrpc;
import dev.hapax.test.v1.TestServerServiceGrpc.TestServerServiceBlockingStub;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunServiceGrpc.RunServiceBlockingStub;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ControlServerTest {
  private static final long FOURTEEN_DAYS = 14 * 86_400L;
  private static final String COOLING_OFF =
      """
      {"name": "order", "version": "1", "steps": [{"name": "cooling-off", "timer": "14d"}]}
      """;

  private final List<ManagedChannel> channels = new ArrayList<>();
  private ControlServer server;
  private TestServerServiceBlockingStub control;

  @BeforeEach
  void start() throws IOException {
    server = ControlServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    control = TestServerServiceGrpc.newBlockingStub(channel(server.address()));
  }

  @AfterEach
  void stop() {
    channels.forEach(ManagedChannel::shutdownNow);
    server.close();
  }

  private ManagedChannel channel(String address) {
    var channel = ManagedChannelBuilder.forTarget(address).usePlaintext().build();
    channels.add(channel);
    return channel;
  }

  private CreateInstanceResponse instance(String... definitions) {
    return control.createInstance(
        CreateInstanceRequest.newBuilder().addAllDefinitions(List.of(definitions)).build());
  }

  private Timestamp advance(CreateInstanceResponse instance, long seconds) {
    return control
        .advance(
            AdvanceRequest.newBuilder()
                .setInstance(instance.getInstance())
                .setBy(Duration.newBuilder().setSeconds(seconds))
                .build())
        .getNow();
  }

  private RunServiceBlockingStub runs(CreateInstanceResponse instance) {
    return RunServiceGrpc.newBlockingStub(channel(instance.getAddress()));
  }

  private static String start(RunServiceBlockingStub runs) {
    return runs.startRun(
            StartRunRequest.newBuilder().setDefinition("order").setIdempotencyKey("1").build())
        .getRun()
        .getId();
  }

  private static RunStatus status(RunServiceBlockingStub runs, String run) {
    return runs.getRun(GetRunRequest.newBuilder().setRunId(run).build()).getRun().getStatus();
  }

  private static StatusRuntimeException refused(Runnable call) {
    return (StatusRuntimeException) catchThrowable(call::run);
  }

  @Test
  @DisplayName(
      "given two instances, when the clock of one advances by 14 days, then only its timer ends")
  void clocks() {
    var one = instance(COOLING_OFF);
    var other = instance(COOLING_OFF);
    var run = start(runs(one));
    var beside = start(runs(other));

    advance(one, FOURTEEN_DAYS - 1);
    assertThat(status(runs(one), run)).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    var now = advance(one, 1);

    assertThat(now).isEqualTo(Timestamp.newBuilder().setSeconds(1_768_435_200).build());
    assertThat(status(runs(one), run)).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(status(runs(other), beside)).isEqualTo(RunStatus.RUN_STATUS_WAITING);
  }

  @Test
  @DisplayName(
      "given a definition that breaks rules, when an instance is created, then all of them are named")
  void definitions() {
    assertThat(refused(() -> instance("{\"name\": \"order\", \"steps\": [{\"timer\": \"soon\"}]}")))
        .hasMessageContaining("INVALID_ARGUMENT")
        .hasMessageContaining("version is required")
        .hasMessageContaining("steps[0].name is required")
        .hasMessageContaining("steps[0].timer must be a duration");
  }

  @Test
  @DisplayName(
      "given a registered version, when other steps are registered, then the error says where they"
          + " differ [workflows-U8]")
  void differences() {
    var definitions =
        DefinitionServiceGrpc.newBlockingStub(channel(instance(COOLING_OFF).getAddress()));
    var other =
        COOLING_OFF
            .replace("14d", "7d")
            .replace("}]}", "}, {\"name\": \"b\", \"signal\": \"s\"}]}");

    assertThat(
            refused(
                () ->
                    definitions.registerDefinition(
                        RegisterDefinitionRequest.newBuilder().setJson(other).build())))
        .hasMessage(
            "ALREADY_EXISTS: version \"1\" of \"order\" is registered with other steps:"
                + " steps[0].timer.duration is 14d (this: 7d); steps has 1 (this: 2); register another"
                + " version");
  }

  @Test
  @DisplayName("given no instance with the id, then the error says so")
  void unknown() {
    var deleted = instance();
    var _ =
        control.deleteInstance(
            DeleteInstanceRequest.newBuilder().setInstance(deleted.getInstance()).build());

    var refused =
        refused(
            () ->
                control.settle(
                    SettleRequest.newBuilder().setInstance(deleted.getInstance()).build()));

    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(refused).hasMessageContaining("there is no instance " + deleted.getInstance());
  }

  @Test
  @DisplayName("given a time that is none, then the error names the field")
  void times() {
    assertThat(refused(() -> advance(instance(), -1)))
        .hasMessageContaining("INVALID_ARGUMENT: by must");
    assertThat(
            refused(
                () ->
                    control.createInstance(
                        CreateInstanceRequest.newBuilder()
                            .setStart(Timestamp.newBuilder().setSeconds(1))
                            .build())))
        .hasMessageContaining(
            "INVALID_ARGUMENT: start must be between 2000-01-01T00:00:00Z and 2100-01-01T00:00:00Z");
  }
}
