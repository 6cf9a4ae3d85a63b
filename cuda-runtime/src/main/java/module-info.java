/**
 * Devices, streams, events, memory, modules, kernels and graphs of the CUDA driver as Java objects.
 */
module dev.reprise.cuda {
  requires dev.reprise.bindings;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.reprise.cuda;
  exports dev.reprise.cuda.diagnostics;
}
