/** What every call has in common: reading fields, answering, errors. */
@NullMarked
package dev.hapax.grpc.call;

import org.jspecify.annotations.NullMarked;
