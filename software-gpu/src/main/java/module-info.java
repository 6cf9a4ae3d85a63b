/** The CUDA driver API in pure Java: a PTX engine behind the symbols that libcuda exports. */
module dev.reprise.softgpu {
  requires dev.reprise.bindings;
  requires org.slf4j;
  requires static org.jspecify;
  requires static jdk.incubator.vector;

  exports dev.reprise.softgpu;
  exports dev.reprise.softgpu.faults;
  exports dev.reprise.softgpu.sanitizer;
  exports dev.reprise.softgpu.simulation;
  exports dev.reprise.softgpu.inspect;
  exports dev.reprise.softgpu.profile;
  exports dev.reprise.softgpu.rules;

  provides dev.reprise.bindings.spi.DriverProvider with
      dev.reprise.softgpu.SoftwareDriver;
}
