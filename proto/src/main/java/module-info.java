/** The messages of the API, hapax.v1, and stubs for them. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.hapax.proto {
  requires transitive com.google.protobuf;
  requires transitive io.grpc;
  // of the stubs alone
  requires static com.google.common;
  requires static io.grpc.protobuf;
  requires static io.grpc.stub;

  exports dev.hapax.test.v1;
  exports dev.hapax.v1;
}
