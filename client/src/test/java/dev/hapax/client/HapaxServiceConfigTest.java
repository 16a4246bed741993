package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.internal.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class HapaxServiceConfigTest {

  @Test
  void theResourceAndTheConstantAreTheSame() throws IOException {
    try (InputStream json =
        getClass().getClassLoader().getResourceAsStream(HapaxServiceConfig.RESOURCE)) {
      String text = new String(Objects.requireNonNull(json).readAllBytes(), StandardCharsets.UTF_8);

      assertThat(JsonParser.parse(text)).isEqualTo(HapaxServiceConfig.MAP);
    }
  }

  @Test
  void aChannelTakesIt() {
    ManagedChannel channel =
        ManagedChannelBuilder.forTarget("localhost:1")
            .usePlaintext()
            .defaultServiceConfig(HapaxServiceConfig.MAP)
            .build();

    assertThat(channel.shutdownNow().isShutdown()).isTrue();
  }
}
