package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
import dev.hapax.v1.Error;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes the messages of one streamed rpc.
 *
 * @param begin makes the builder of an empty message
 * @param add adds an answer to a message
 * @param error makes the answer of a failed call from its id
 * @param build finishes a message
 * @param <R> the messages to the client
 * @param <A> the answers in them
 * @param <B> the builder of a message
 */
public record StreamMessages<R, A extends MessageLite, B>(
    Supplier<B> begin,
    BiConsumer<B, A> add,
    BiFunction<Integer, Error, A> error,
    Function<B, R> build) {}
