package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The unit tests of the Go kit, and the race detector of its scenarios. */
class GoTestsIT {
  @BeforeEach
  void install() throws IOException {
    Kit.GO.prepare();
  }

  @Test
  @DisplayName("given the unit tests of the Go kit, then they pass")
  void unitTests() {
    GoKit.test();
  }

  @Test
  @DisplayName("given a program with a data race, then it ends with the code of the race detector")
  void race() throws IOException {
    Kit.require(GoKit.hasRaceDetector(), "the race detector of Go needs gcc");
    GoKit.compile(
        "race",
        """
        package main

        import "hapax.dev/kits/go/hapax"

        func main() {
        	var options hapax.Options
        	written := make(chan bool)
        	go func() { options.Server = "a"; written <- true }()
        	options.Server = "b"
        	<-written
        }
        """);
    try (var program = GoKit.start("race", Map.of())) {
      assertThat(program.awaitExit()).as("%s", program.errors()).isEqualTo(GoKit.RACE);
    }
  }
}
