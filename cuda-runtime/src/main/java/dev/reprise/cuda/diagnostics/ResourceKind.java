package dev.reprise.cuda.diagnostics;

/** The kinds of driver objects that the runtime owns. */
public enum ResourceKind {
  /** A retained primary context. */
  DEVICE("Device"),
  /** A stream. */
  STREAM("Stream"),
  /** An event. */
  EVENT("Event"),
  /** Device memory. */
  DEVICE_BUFFER("DeviceBuffer"),
  /** Reserved addresses with device memory mapped into them. */
  VIRTUAL_RANGE("VirtualRange"),
  /** Page-locked host memory. */
  PINNED_BUFFER("PinnedBuffer"),
  /** A share in registered host memory. */
  REGISTERED_MEMORY("RegisteredMemory"),
  /** Host memory that the driver has page-locked in place. */
  HOST_REGISTRATION("HostRegistration"),
  /** Loaded code. */
  MODULE("CudaModule"),
  /** Loaded code of every device. */
  LIBRARY("CudaLibrary"),
  /** A variable of loaded code. */
  MODULE_VARIABLE("ModuleVariable"),
  /** Access of kernels to the memory of another device. */
  PEER_ACCESS("PeerAccess"),
  /** A use of memory by another device. */
  PEER_LEASE("PeerLease"),
  /** A semaphore of another driver. */
  EXTERNAL_SEMAPHORE("ExternalSemaphore"),
  /** Memory of another driver. */
  EXTERNAL_MEMORY("ExternalMemory"),
  /** A memory pool of the program. */
  MEMORY_POOL("MemoryPool"),
  /** A graph. */
  GRAPH("Graph"),
  /** An executable graph. */
  GRAPH_EXEC("GraphExec"),
  /** A resource of the program that graphs keep alive. */
  USER_OBJECT("UserObject"),
  /** A Java function that the driver calls. */
  HOST_FUNCTION("HostFunction");

  private final String typeName;

  ResourceKind(String typeName) {
    this.typeName = typeName;
  }

  /** The simple name of the class that stands for it. */
  public String typeName() {
    return typeName;
  }
}
