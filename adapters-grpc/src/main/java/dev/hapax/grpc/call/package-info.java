/** Common parts of all calls: fields, responses, streams and errors. */
@NullMarked
package dev.hapax.grpc.call;

import org.jspecify.annotations.NullMarked;
