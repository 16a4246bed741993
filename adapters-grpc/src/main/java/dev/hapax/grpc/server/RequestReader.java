package dev.hapax.grpc.server;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import com.google.rpc.Code;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.RequestRules;
import dev.hapax.grpc.definition.WrittenDefinition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.RegisterDefinitionRequest;
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
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Parses requests so that a malformed one is reported as the caller's error. gRPC alone would end
 * such a call as an error of the server, with a stack trace in its log.
 */
public final class RequestReader {
  private RequestReader() {}

  /** Wraps a service so that its requests are parsed here. */
  public static ServerServiceDefinition around(ServerServiceDefinition service) {
    var methods =
        service.getMethods().stream().<ServerMethodDefinition<?, ?>>map(m -> around(m)).toList();
    var described = service.getServiceDescriptor();
    // reflection needs the schema descriptor
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
        wrapped, rejecting(method.getServerCallHandler(), descriptor));
  }

  /**
   * The type with the same responses and any number of requests. For a type with one request, gRPC
   * resets the stream at a second one without a status, and the caller gets CANCELLED.
   */
  private static MethodType withAnyRequests(MethodType type) {
    return type.serverSendsOneMessage() ? MethodType.CLIENT_STREAMING : MethodType.BIDI_STREAMING;
  }

  /** Replaces a request that could not be parsed. */
  private record Malformed(StatusRuntimeException why) {}

  private record Reader<I>(Marshaller<I> messages) implements Marshaller<I> {
    @Override
    public InputStream stream(I value) {
      return messages.stream(value);
    }

    @Override
    @SuppressWarnings("unchecked") // the listener below removes it before a handler gets it
    public I parse(InputStream stream) {
      try {
        var plain = decompressed(stream);
        plain.mark(Integer.MAX_VALUE);
        return plain.available() > HapaxServer.MAX_REQUEST_BYTES
            ? (I) new Malformed(tooLarge(plain.available(), again(plain)))
            : parsed(plain);
      } catch (StatusRuntimeException | IOException _) {
        return (I)
            new Malformed(
                malformed(
                    "cannot be decompressed, or is too large when decompressed", Optional.empty()));
      }
    }

    /** A compressed request does not know its length. */
    private static InputStream decompressed(InputStream stream) throws IOException {
      return stream instanceof KnownLength
          ? stream
          : new ByteArrayInputStream(stream.readAllBytes());
    }

    @SuppressWarnings("unchecked") // as above
    private I parsed(InputStream plain) {
      try {
        var message = messages.parse(plain);
        // before the interceptors, which check the rights to what the text names
        return message instanceof RegisterDefinitionRequest definition
            ? (I) WrittenDefinition.expanded(definition)
            : message;
      } catch (InvalidFieldException e) {
        return (I) new Malformed(GrpcErrors.of(e));
      } catch (StatusRuntimeException _) {
        return (I) new Malformed(notAMessage(again(plain)));
      }
    }

    private StatusRuntimeException tooLarge(int bytes, Optional<byte[]> message) {
      return malformed(
          String.format(
              Locale.ROOT,
              "has %d bytes; at most %d are allowed",
              bytes,
              HapaxServer.MAX_REQUEST_BYTES),
          message.flatMap(m -> MalformedFields.largest(m, type())));
    }

    private StatusRuntimeException notAMessage(Optional<byte[]> message) {
      return malformed(
          "is not UTF-8, or the message is not a " + type().getFullName(),
          message.flatMap(m -> MalformedFields.notText(m, type())));
    }

    private Descriptor type() {
      var prototype = ((PrototypeMarshaller<I>) messages).getMessagePrototype();
      return ((Message) Objects.requireNonNull(prototype)).getDescriptorForType();
    }
  }

  private static StatusRuntimeException malformed(String rule, Optional<String> found) {
    var field = found.orElse("request");
    return GrpcErrors.error(
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE,
        field + " " + rule,
        Map.of("field", field),
        GrpcErrors.badRequest(field, rule));
  }

  private static StatusRuntimeException wrongCount() {
    return GrpcErrors.error(
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE,
        "a unary call must carry exactly one request message",
        Map.of("field", "request"),
        GrpcErrors.badRequest("request", "must be exactly one message"));
  }

  private static Optional<byte[]> again(InputStream stream) {
    try {
      stream.reset();
      return Optional.of(stream.readAllBytes());
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static <I, O> ServerCallHandler<I, O> rejecting(
      ServerCallHandler<I, O> handler, MethodDescriptor<I, O> method) {
    return (call, headers) ->
        new RejectingListener<>(
            call,
            handler.startCall(new DescribedCall<>(call, method), headers),
            method.getType().clientSendsOneMessage());
  }

  /** A call with the declared method, since a unary handler rejects the wrapped type. */
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

  private static final class RejectingListener<I> extends SimpleForwardingServerCallListener<I> {
    private final ServerCall<I, ?> call;
    private final boolean isOneMessage;
    private boolean received;
    private boolean rejected;

    RejectingListener(
        ServerCall<I, ?> call, ServerCall.Listener<I> listener, boolean isOneMessage) {
      super(listener);
      this.call = call;
      this.isOneMessage = isOneMessage;
    }

    @Override
    public void onMessage(I message) {
      if ((Object) message instanceof Malformed(var why)) {
        reject(why);
      } else if (received && isOneMessage) {
        reject(wrongCount());
      } else if (!rejected) {
        received = true;
        pass(message);
      }
    }

    @Override
    public void onHalfClose() {
      if (!received && isOneMessage) {
        reject(wrongCount());
      }
      if (!rejected) {
        super.onHalfClose();
      }
    }

    private void pass(I message) {
      try {
        if (message instanceof Message request) {
          RequestRules.check(request);
        }
      } catch (InvalidFieldException e) {
        reject(GrpcErrors.of(e));
        return;
      }
      super.onMessage(message);
    }

    private void reject(StatusRuntimeException why) {
      if (!rejected) {
        rejected = true;
        call.close(why.getStatus(), GrpcErrors.trailers(why));
      }
    }
  }
}
