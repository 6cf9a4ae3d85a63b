/** CUDA C kernels of a Llama decode step as PTX, their contracts, and how they are launched. */
module dev.reprise.kernels {
  requires transitive dev.reprise.cuda;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.reprise.kernels;
  exports dev.reprise.kernels.check;
  exports dev.reprise.kernels.contract;
  exports dev.reprise.kernels.reference;
  exports dev.reprise.kernels.variant;
}
