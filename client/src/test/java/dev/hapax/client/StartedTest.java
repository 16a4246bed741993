package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.Disposition;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunResponse;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartedTest {

  private static StartRunResponse.Builder response() {
    return StartRunResponse.newBuilder().setRun(dev.hapax.v1.Run.newBuilder().setId("run_1"));
  }

  private static StartRunResponse.Owner.Builder owner(RunStatus status) {
    return StartRunResponse.Owner.newBuilder().setRunId("run_2").setStatus(status);
  }

  @ParameterizedTest
  @CsvSource({
    "CREATED, Created",
    "SUPERSEDED, Created",
    "QUEUED, Queued",
    "EXISTING, Existing",
    "USED_EXISTING, Adopted",
    "SIGNALED, Signalled",
  })
  @DisplayName("given a disposition with a run, then the record names it, and has the run")
  void records(String disposition, String type) {
    Started started =
        Started.of(
            response().setDisposition(Disposition.valueOf("DISPOSITION_" + disposition)).build());

    assertThat(started.getClass().getSimpleName()).isEqualTo(type);
    assertThat(started.disposition()).isEqualTo(disposition);
    assertThat(started.run().id()).isEqualTo("run_1");
    assertThat(started.owner()).isEmpty();
  }

  @Test
  @DisplayName("given a rejected start, then it has the owner, and asking for the run throws it")
  void rejected() {
    Started started =
        Started.of(
            StartRunResponse.newBuilder()
                .setDisposition(Disposition.DISPOSITION_REJECTED)
                .setOwner(owner(RunStatus.RUN_STATUS_COMPLETED))
                .build());

    Owner owner = new Owner("run_2", RunStatus.RUN_STATUS_COMPLETED, true);
    assertThat(started).isInstanceOf(Started.Rejected.class);
    assertThat(started.owner()).contains(owner);
    assertThatThrownBy(started::run)
        .isInstanceOfSatisfying(
            HapaxException.HookConflict.class,
            conflict -> assertThat(conflict.owner()).isEqualTo(owner));
  }

  @Test
  @DisplayName("given an owner that runs, or has an unknown status, then it has not ended")
  void owners() {
    StartRunResponse.Builder adopted =
        response().setDisposition(Disposition.DISPOSITION_USED_EXISTING);

    assertThat(Started.of(adopted.setOwner(owner(RunStatus.RUN_STATUS_WAITING)).build()).owner())
        .contains(new Owner("run_2", RunStatus.RUN_STATUS_WAITING, false));
    assertThat(
            Started.of(
                    adopted
                        .setOwner(StartRunResponse.Owner.newBuilder().setStatusValue(99))
                        .build())
                .owner())
        .contains(new Owner("", RunStatus.RUN_STATUS_UNSPECIFIED, false));
  }

  @Test
  @DisplayName("given a disposition of a newer server, then its run stands for the request")
  void newer() {
    StartRunResponse.Builder newer = response().setDispositionValue(42);

    assertThat(Started.of(newer.build())).isInstanceOf(Started.Existing.class);
    assertThat(Started.of(newer.setCreated(true).build())).isInstanceOf(Started.Created.class);
    assertThat(Started.of(newer.build()).disposition()).isEqualTo("42");
  }

  @Test
  @DisplayName("given a disposition of a newer server and no run, then the answer is unknown")
  void newerWithoutRun() {
    assertThatThrownBy(
            () -> Started.of(StartRunResponse.newBuilder().setDispositionValue(42).build()))
        .isInstanceOf(HapaxException.UnknownAnswer.class)
        .hasMessage(
            "Hapax answered StartRun with 42 and no run, which this client does not know;"
                + " upgrade it");
  }
}
