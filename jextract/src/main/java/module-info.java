/** The CUDA driver API as generated bindings, and the choice of the library that answers them. */
module dev.reprise.bindings {
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.reprise.bindings;
  exports dev.reprise.bindings.cuda;
  exports dev.reprise.bindings.spi;

  uses dev.reprise.bindings.spi.DriverProvider;
}
