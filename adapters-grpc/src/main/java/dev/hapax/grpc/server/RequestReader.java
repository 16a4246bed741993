package dev.hapax.grpc.server;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import com.google.rpc.Code;
import dev.hapax.grpc.call.Errors;
import dev.hapax.v1.ErrorReason;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Reads requests so that an unreadable one is the caller's error. Left to itself, gRPC ends such a
 * call as an error of the server, with a stack trace in its log.
 */
final class RequestReader {
  private RequestReader() {}

  /** The same service, its requests read here. */
  static ServerServiceDefinition around(ServerServiceDefinition service) {
    var methods =
        service.getMethods().stream().<ServerMethodDefinition<?, ?>>map(m -> around(m)).toList();
    var described = service.getServiceDescriptor();
    // reflection finds the API by its schema
    var descriptor =
        ServiceDescriptor.newBuilder(described.getName())
            .setSchemaDescriptor(described.getSchemaDescriptor());
    methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    var wrapped = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(wrapped::addMethod);
    return wrapped.build();
  }

  private static <I, O> ServerMethodDefinition<I, O> around(ServerMethodDefinition<I, O> method) {
    var descriptor = method.getMethodDescriptor();
    MethodDescriptor<I, O> wrapped =
        descriptor.toBuilder(
                new Reader<>(descriptor.getRequestMarshaller()), descriptor.getResponseMarshaller())
            .setType(withAnyRequests(descriptor.getType()))
            .build();
    return ServerMethodDefinition.create(
        wrapped, refusing(method.getServerCallHandler(), descriptor));
  }

  /**
   * The type with the same answers and any number of requests. If a call has exactly one by its
   * type, gRPC resets the stream at the second and sends no status: the caller gets CANCELLED.
   */
  private static MethodType withAnyRequests(MethodType type) {
    return type.serverSendsOneMessage() ? MethodType.CLIENT_STREAMING : MethodType.BIDI_STREAMING;
  }

  /** What stands for a request that could not be read. */
  private record Unreadable(StatusRuntimeException why) {}

  private record Reader<I>(Marshaller<I> messages) implements Marshaller<I> {
    @Override
    public InputStream stream(I value) {
      return messages.stream(value);
    }

    @Override
    @SuppressWarnings("unchecked") // the listener below takes it out before anybody sees its type
    public I parse(InputStream stream) {
      try {
        var plain = inflated(stream);
        plain.mark(Integer.MAX_VALUE);
        return plain.available() > HapaxServer.MAX_REQUEST_BYTES
            ? (I) new Unreadable(tooLarge(plain.available(), again(plain)))
            : parsed(plain);
      } catch (StatusRuntimeException | IOException _) {
        return (I)
            new Unreadable(
                unreadable("cannot be inflated, or is too large then", Optional.empty()));
      }
    }

    /** What was sent compressed does not know its length. */
    private static InputStream inflated(InputStream stream) throws IOException {
      return stream instanceof KnownLength
          ? stream
          : new ByteArrayInputStream(stream.readAllBytes());
    }

    @SuppressWarnings("unchecked") // as above
    private I parsed(InputStream plain) {
      try {
        return messages.parse(plain);
      } catch (StatusRuntimeException _) {
        return (I) new Unreadable(notAMessage(again(plain)));
      }
    }

    private StatusRuntimeException tooLarge(int bytes, Optional<byte[]> message) {
      return unreadable(
          "has %d bytes; at most %d are allowed".formatted(bytes, HapaxServer.MAX_REQUEST_BYTES),
          message.flatMap(m -> MalformedFields.largest(m, type())));
    }

    private StatusRuntimeException notAMessage(Optional<byte[]> message) {
      return unreadable(
          "is not UTF-8, or the message is not a " + type().getFullName(),
          message.flatMap(m -> MalformedFields.notText(m, type())));
    }

    private Descriptor type() {
      var prototype = ((PrototypeMarshaller<I>) messages).getMessagePrototype();
      return ((Message) Objects.requireNonNull(prototype)).getDescriptorForType();
    }
  }

  private static StatusRuntimeException unreadable(String rule, Optional<String> found) {
    var field = found.orElse("request");
    return Errors.error(
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE,
        field + " " + rule,
        Map.of("field", field),
        Errors.badRequest(field, rule));
  }

  private static Optional<byte[]> again(InputStream stream) {
    try {
      stream.reset();
      return Optional.of(stream.readAllBytes());
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static <I, O> ServerCallHandler<I, O> refusing(
      ServerCallHandler<I, O> handler, MethodDescriptor<I, O> method) {
    return (call, headers) ->
        new RefusingListener<>(
            call,
            handler.startCall(new DescribedCall<>(call, method), headers),
            method.getType().clientSendsOneMessage());
  }

  /** A call with the declared method: a unary handler rejects the type that gRPC has here. */
  private static final class DescribedCall<I, O> extends SimpleForwardingServerCall<I, O> {
    private final MethodDescriptor<I, O> method;

    DescribedCall(ServerCall<I, O> call, MethodDescriptor<I, O> method) {
      super(call);
      this.method = method;
    }

    @Override
    public MethodDescriptor<I, O> getMethodDescriptor() {
      return method;
    }
  }

  private static final class RefusingListener<I> extends SimpleForwardingServerCallListener<I> {
    private final ServerCall<I, ?> call;
    private final boolean isOneMessage;
    private boolean received;
    private boolean refused;

    RefusingListener(ServerCall<I, ?> call, ServerCall.Listener<I> listener, boolean isOneMessage) {
      super(listener);
      this.call = call;
      this.isOneMessage = isOneMessage;
    }

    @Override
    public void onMessage(I message) {
      if ((Object) message instanceof Unreadable(var why)) {
        refuse(why);
      } else if (received && isOneMessage) {
        refuse(unreadable("has come twice", Optional.empty()));
      } else if (!refused) {
        received = true;
        super.onMessage(message);
      }
    }

    @Override
    public void onHalfClose() {
      if (!received && isOneMessage) {
        refuse(unreadable("is missing", Optional.empty()));
      }
      if (!refused) {
        super.onHalfClose();
      }
    }

    private void refuse(StatusRuntimeException why) {
      if (!refused) {
        refused = true;
        call.close(why.getStatus(), Errors.trailers(why));
      }
    }
  }
}
