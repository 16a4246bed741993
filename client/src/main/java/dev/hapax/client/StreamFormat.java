package dev.hapax.client;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import dev.hapax.client.internal.ErrorStatus;
import dev.hapax.client.internal.Methods;
import dev.hapax.v1.Error;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How the messages of a streaming rpc carry calls: the fields are the same in each. */
final class StreamFormat {

  static final StreamFormat STARTS =
      new StreamFormat(
          StartRunStreamRequest.getDefaultInstance(), StartRunStreamResponse.getDefaultInstance());
  static final StreamFormat OPERATIONS =
      new StreamFormat(
          OperationStreamRequest.getDefaultInstance(),
          OperationStreamResponse.getDefaultInstance());
  static final StreamFormat WORK =
      new StreamFormat(WorkRequest.getDefaultInstance(), WorkResponse.getDefaultInstance());

  /** Larger requests gain nothing from a stream and delay others. */
  private static final int MAX_BYTES = 64 << 10;

  private final Message request;
  private final MethodDescriptor<Message, Message> method;
  private final FieldDescriptor calls;
  private final FieldDescriptor callId;
  private final FieldDescriptor cancelled;
  private final FieldDescriptor answers;
  private final FieldDescriptor answeredId;
  private final OneofDescriptor outcome;
  private final Map<Descriptor, FieldDescriptor> requests;

  private StreamFormat(Message request, Message response) {
    this.request = request;
    this.method = Methods.of(request, response);
    this.calls = field(request.getDescriptorForType(), "calls");
    this.callId = field(calls.getMessageType(), "call_id");
    this.cancelled = field(request.getDescriptorForType(), "cancelled_call_ids");
    this.answers = field(response.getDescriptorForType(), "answers");
    this.answeredId = field(answers.getMessageType(), "call_id");
    this.outcome = answers.getMessageType().getOneofs().get(0);
    this.requests =
        calls.getMessageType().getFields().stream()
            .filter(each -> each.getJavaType() == JavaType.MESSAGE)
            .collect(Collectors.toMap(FieldDescriptor::getMessageType, each -> each));
  }

  private static FieldDescriptor field(Descriptor type, String name) {
    return Objects.requireNonNull(type.findFieldByName(name), name);
  }

  MethodDescriptor<Message, Message> method() {
    return method;
  }

  boolean carries(Message request) {
    return requests.containsKey(request.getDescriptorForType())
        && request.getSerializedSize() <= MAX_BYTES;
  }

  Message.Builder message() {
    return request.newBuilderForType();
  }

  void addCall(Message.Builder message, int id, Message request) {
    FieldDescriptor field = Objects.requireNonNull(requests.get(request.getDescriptorForType()));
    message.addRepeatedField(
        calls,
        message.newBuilderForField(calls).setField(callId, id).setField(field, request).build());
  }

  void addCancelled(Message.Builder message, int id) {
    message.addRepeatedField(cancelled, id);
  }

  /** The answers in a message; each has an id and an outcome. */
  @SuppressWarnings("unchecked") // a repeated field of messages
  List<Message> answers(Message message) {
    return (List<Message>) message.getField(answers);
  }

  int id(Message answer) {
    return (Integer) answer.getField(answeredId);
  }

  /** Ends the call of this answer. */
  void end(Sent<?, ?> call, Message answer) {
    FieldDescriptor field = answer.getOneofFieldDescriptor(outcome);
    @Nullable Object value = field == null ? answer : answer.getField(field);
    if (value instanceof Error error) {
      call.failed(ErrorStatus.of(error));
    } else {
      call.answered(value);
    }
  }
}
