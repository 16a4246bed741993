package dev.hapax.bootstrap.server.metrics;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;

/** The metrics of the process and its JVM. */
final class JvmMetrics {
  private final PrometheusRegistry registry;

  JvmMetrics(PrometheusRegistry registry) {
    this.registry = registry;
  }

  void register() {
    memory("jvm_memory_used_bytes", "Memory of the JVM in use.", MemoryUsage::getUsed);
    memory(
        "jvm_memory_committed_bytes",
        "Memory that the system has granted to the JVM.",
        MemoryUsage::getCommitted);
    memory(
        "jvm_memory_max_bytes", "Maximum memory of the JVM; -1 = no limit.", MemoryUsage::getMax);
    collectors(
        "jvm_gc_collections_total",
        "Garbage collections.",
        GarbageCollectorMXBean::getCollectionCount);
    collectors(
        "jvm_gc_seconds_total",
        "Time spent in garbage collections.",
        gc -> gc.getCollectionTime() / (double) TimeUnit.SECONDS.toMillis(1));
    gauge(
        "jvm_threads_current",
        "Threads of the process.",
        ManagementFactory.getThreadMXBean()::getThreadCount);
    gauge(
        "process_start_time_seconds",
        "Start time of the process, in seconds since 1970.",
        () ->
            ManagementFactory.getRuntimeMXBean().getStartTime()
                / (double) TimeUnit.SECONDS.toMillis(1));
    var system = ManagementFactory.getOperatingSystemMXBean();
    if (system instanceof OperatingSystemMXBean process) {
      CounterWithCallback.builder()
          .name("process_cpu_seconds_total")
          .help("Processor time that the process has used.")
          .callback(
              callback ->
                  callback.call(process.getProcessCpuTime() / (double) TimeUnit.SECONDS.toNanos(1)))
          .register(registry);
    }
    if (system instanceof UnixOperatingSystemMXBean process) {
      gauge(
          "process_open_fds",
          "Open files and connections of the process.",
          process::getOpenFileDescriptorCount);
      gauge(
          "process_max_fds",
          "Maximum number of open files and connections.",
          process::getMaxFileDescriptorCount);
    }
  }

  private void memory(String name, String help, ToDoubleFunction<MemoryUsage> value) {
    var memory = ManagementFactory.getMemoryMXBean();
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("area")
        .callback(
            callback -> {
              callback.call(value.applyAsDouble(memory.getHeapMemoryUsage()), "heap");
              callback.call(value.applyAsDouble(memory.getNonHeapMemoryUsage()), "nonheap");
            })
        .register(registry);
  }

  private void collectors(
      String name, String help, ToDoubleFunction<GarbageCollectorMXBean> value) {
    CounterWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("gc")
        .callback(
            callback ->
                ManagementFactory.getGarbageCollectorMXBeans()
                    .forEach(gc -> callback.call(value.applyAsDouble(gc), gc.getName())))
        .register(registry);
  }

  private void gauge(String name, String help, DoubleSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call(value.getAsDouble()))
        .register(registry);
  }
}
