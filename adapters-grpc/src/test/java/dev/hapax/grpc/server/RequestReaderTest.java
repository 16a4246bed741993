package dev.hapax.grpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.OperationServiceGrpc;
import io.grpc.protobuf.ProtoServiceDescriptorSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RequestReaderTest {
  @Test
  @DisplayName("given a wrapped service, then it keeps its schema descriptor for reflection")
  void keepsTheSchema() {
    var service = OperationServiceGrpc.bindService(new OperationServiceGrpc.AsyncService() {});

    var read = RequestReader.around(service);

    assertThat(read.getServiceDescriptor().getSchemaDescriptor())
        .isInstanceOf(ProtoServiceDescriptorSupplier.class);
    assertThat(read.getMethods()).hasSameSizeAs(service.getMethods());
  }
}
