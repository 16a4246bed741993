/** The Java client of Hapax. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.hapax.client {
  requires transitive com.google.protobuf;
  requires transitive dev.hapax.proto;
  requires transitive io.grpc;
  requires transitive java.sql;
  // of gRPC: an automatic module requires nothing
  requires com.google.common;
  requires io.grpc.stub;
  // Netty and protobuf are slower without it
  requires jdk.unsupported;
  requires org.slf4j;
  requires static transitive org.jspecify;
  // where an application has it
  requires static com.fasterxml.jackson.databind;
  requires static io.opentelemetry.api;
  requires static io.opentelemetry.context;
  requires static tools.jackson.databind;

  exports dev.hapax.client;
  exports dev.hapax.client.grpc;
}
