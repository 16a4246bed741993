package dev.hapax.client.internal;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Optional;

/**
 * A {@code google.rpc.Status} by its wire format. The generated class is not used: an application
 * may have it in any version, in two jars, or not at all.
 *
 * @param code of gRPC
 * @param message for people
 * @param details messages such as {@code google.rpc.ErrorInfo}
 */
public record RpcStatus(int code, String message, List<Any> details) {

  private static final int CODE = 1;
  private static final int MESSAGE = 2;
  private static final int DETAILS = 3;

  public RpcStatus {
    details = List.copyOf(details);
  }

  /** Reads the trailer {@code grpc-status-details-bin}; empty without one, or if malformed. */
  public static Optional<RpcStatus> of(StatusRuntimeException failure) {
    Metadata trailers = failure.getTrailers();
    byte[] bytes = trailers == null ? null : trailers.get(FailureText.STATUS_DETAILS);
    if (bytes == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(parse(ByteString.copyFrom(bytes)));
    } catch (InvalidProtocolBufferException foreign) {
      return Optional.empty();
    }
  }

  /**
   * Reads an encoded status.
   *
   * @throws InvalidProtocolBufferException if the bytes are no {@code google.rpc.Status}
   */
  public static RpcStatus parse(ByteString bytes) throws InvalidProtocolBufferException {
    UnknownFieldSet fields = UnknownFieldSet.parseFrom(bytes);
    List<Any> details = RpcDetails.messages(fields, DETAILS, Any.parser());
    return new RpcStatus(code(fields), RpcDetails.text(fields, MESSAGE), details);
  }

  private static int code(UnknownFieldSet fields) {
    List<Long> values = fields.getField(CODE).getVarintList();
    return values.isEmpty() ? Status.Code.OK.value() : values.get(values.size() - 1).intValue();
  }

  /** Returns the encoded status. */
  public byte[] toByteArray() {
    UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();
    if (code != Status.Code.OK.value()) {
      fields.addField(CODE, UnknownFieldSet.Field.newBuilder().addVarint(code).build());
    }
    RpcDetails.add(fields, MESSAGE, message);
    details.forEach(detail -> RpcDetails.add(fields, DETAILS, detail.toByteString()));
    return fields.build().toByteArray();
  }

  /** Returns the exception of a call with this status; the details are added to its trailers. */
  public StatusRuntimeException asException(Metadata trailers) {
    trailers.put(FailureText.STATUS_DETAILS, toByteArray());
    return Status.fromCodeValue(code).withDescription(message).asRuntimeException(trailers);
  }
}
