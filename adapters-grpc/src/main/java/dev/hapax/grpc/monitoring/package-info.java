/** MonitoringService. */
@NullMarked
package dev.hapax.grpc.monitoring;

import org.jspecify.annotations.NullMarked;
