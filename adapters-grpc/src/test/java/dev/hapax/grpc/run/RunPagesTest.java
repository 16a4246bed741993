package dev.hapax.grpc.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Page;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunPagesTest {
  @Test
  @DisplayName("given a page without matching runs, then it has a next page")
  void emptyPage() {
    var next = new UUID(7, 8);

    var response = RunPages.page(new Page<>(List.of(), Optional.of(next)), RunEncoding::summary);

    assertThat(RunPages.position(response.getNextPageToken())).contains(next);
    var last = RunPages.page(new Page<>(List.of(), Optional.empty()), RunEncoding::summary);
    assertThat(last.getNextPageToken()).isEmpty();
  }
}
