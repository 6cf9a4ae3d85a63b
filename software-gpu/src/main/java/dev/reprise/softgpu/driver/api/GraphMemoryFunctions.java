package dev.reprise.softgpu.driver.api;

import dev.reprise.bindings.cuda.CUDA_MEM_ALLOC_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUmemAccessDesc;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.softgpu.driver.context.Device;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.memory.GraphMemory;
import dev.reprise.softgpu.driver.memory.Readers;
import dev.reprise.softgpu.driver.operation.MemoryAllocation;
import dev.reprise.softgpu.driver.operation.MemoryFree;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Nodes that allocate and free memory, and the memory that graphs hold on a device. */
final class GraphMemoryFunctions extends Functions {

  private static final int ALLOCATION_PINNED = 1;
  private static final int LOCATION_DEVICE = 1;
  private static final int ACCESS_NONE = 0;
  private static final int ACCESS_READ = 1;
  private static final int ACCESS_READ_WRITE = 3;
  private static final int MOST_DESCRIPTORS = 1 << 10;

  GraphMemoryFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphAddMemAllocNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment params) {
    context();
    MemorySegment p =
        CallerMemory.struct(params, CUDA_MEM_ALLOC_NODE_PARAMS.sizeof(), "nodeParams");
    return addAllocation(this, phNode, hGraph, dependencies, count, p);
  }

  /** Adds an allocation node and writes its address into the parameters. */
  static int addAllocation(
      Functions functions,
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment p) {
    MemorySegment properties = CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(p);
    if (CUmemPoolProps.allocType(properties) != ALLOCATION_PINNED) {
      throw CudaFailure.invalidValue("allocation type " + CUmemPoolProps.allocType(properties));
    }
    if (CUmemPoolProps.handleTypes(properties) != 0) {
      throw CudaFailure.invalidValue("memory of a graph cannot be shared with other processes");
    }
    Device device = checkLocation(functions, CUmemPoolProps.location(properties));
    Readers readers = new Readers();
    MemorySegment access = access(functions, p, device, readers);
    GraphMemory memory = device.memory().graphMemory();
    MemoryAllocation allocation =
        new MemoryAllocation(
            memory,
            memory.create(CUDA_MEM_ALLOC_NODE_PARAMS.bytesize(p), readers),
            Arena.ofAuto().allocate(properties.byteSize(), Long.BYTES).copyFrom(properties),
            access);
    int result = GraphHandles.addNode(functions, phNode, hGraph, dependencies, count, allocation);
    CUDA_MEM_ALLOC_NODE_PARAMS.dptr(p, allocation.address());
    return result;
  }

  /** A copy of the access descriptors, which are entered as readers, too. */
  private static MemorySegment access(
      Functions functions, MemorySegment p, Device home, Readers readers) {
    long descriptors = CUDA_MEM_ALLOC_NODE_PARAMS.accessDescCount(p);
    if (descriptors < 0 || descriptors > MOST_DESCRIPTORS) {
      throw CudaFailure.invalidValue(Long.toUnsignedString(descriptors) + " access descriptors");
    }
    if (descriptors == 0) {
      return MemorySegment.NULL;
    }
    MemorySegment all =
        CallerMemory.struct(
            CUDA_MEM_ALLOC_NODE_PARAMS.accessDescs(p),
            CUmemAccessDesc.sizeof() * descriptors,
            "accessDescs");
    for (long i = 0; i < descriptors; i++) {
      MemorySegment one = CUmemAccessDesc.asSlice(all, i);
      Device reader = checkLocation(functions, CUmemAccessDesc.location(one));
      int flags = CUmemAccessDesc.flags(one);
      if (reader != home && flags == ACCESS_READ) {
        throw CudaFailure.notSupported("memory of a graph that another device can only read");
      }
      if (flags != ACCESS_READ_WRITE && (reader == home || flags != ACCESS_NONE)) {
        throw CudaFailure.invalidValue(
            "access flags %d of device %d; the device of an allocation can always access it"
                .formatted(flags, reader.ordinal()));
      }
      if (reader != home) {
        readers.set(reader.ordinal(), flags == ACCESS_READ_WRITE);
      }
    }
    return Arena.ofAuto().allocate(all.byteSize(), Long.BYTES).copyFrom(all);
  }

  private static Device checkLocation(Functions functions, MemorySegment location) {
    int type = CUmemLocation.type(location);
    if (type != LOCATION_DEVICE) {
      throw CudaFailure.notSupported("graph memory of location type " + type);
    }
    return functions.device(CUmemLocation.id(location));
  }

  int cuGraphMemAllocNodeGetParams(MemorySegment hNode, MemorySegment params) {
    MemoryAllocation allocation = operation(hNode, MemoryAllocation.class);
    MemorySegment p =
        CallerMemory.struct(params, CUDA_MEM_ALLOC_NODE_PARAMS.sizeof(), "params_out");
    p.fill((byte) 0);
    CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(p, allocation.properties());
    CUDA_MEM_ALLOC_NODE_PARAMS.accessDescs(p, allocation.access());
    CUDA_MEM_ALLOC_NODE_PARAMS.accessDescCount(
        p, allocation.access().byteSize() / CUmemAccessDesc.sizeof());
    CUDA_MEM_ALLOC_NODE_PARAMS.bytesize(p, allocation.allocation().size());
    CUDA_MEM_ALLOC_NODE_PARAMS.dptr(p, allocation.address());
    return SUCCESS;
  }

  int cuGraphAddMemFreeNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      long dptr) {
    context();
    return GraphHandles.addNode(this, phNode, hGraph, dependencies, count, free(this, dptr));
  }

  /** The free of what a graph allocates at an address. */
  static MemoryFree free(Functions functions, long dptr) {
    GraphMemory last = functions.device(0).memory().graphMemory();
    for (Device device : functions.gpu().devices()) {
      GraphMemory memory = device.memory().graphMemory();
      if (memory.covers(dptr, 1)) {
        return new MemoryFree(memory, memory.require(dptr));
      }
    }
    // Refuses the address, naming it.
    return new MemoryFree(last, last.require(dptr));
  }

  int cuGraphMemFreeNodeGetParams(MemorySegment hNode, MemorySegment dptr) {
    MemoryFree free = operation(hNode, MemoryFree.class);
    CallerMemory.writeLong(dptr, "dptr_out", free.allocation().base());
    return SUCCESS;
  }

  private <T extends Operation> T operation(MemorySegment hNode, Class<T> type) {
    Operation operation = GraphHandles.node(this, hNode, "hNode").operation();
    if (!type.isInstance(operation)) {
      throw CudaFailure.invalidValue("the node is another: " + operation.describe());
    }
    return type.cast(operation);
  }

  int cuDeviceGetGraphMemAttribute(int dev, int attribute, MemorySegment value) {
    GraphMemory memory = device(dev).memory().graphMemory();
    long number =
        switch (attribute) {
          case 0 -> memory.used();
          case 1 -> memory.usedHigh();
          case 2 -> memory.reserved();
          case 3 -> memory.reservedHigh();
          default ->
              throw CudaFailure.invalidValue("there is no graph memory attribute " + attribute);
        };
    CallerMemory.writeLong(value, "value", number);
    return SUCCESS;
  }

  int cuDeviceSetGraphMemAttribute(int dev, int attribute, MemorySegment value) {
    GraphMemory memory = device(dev).memory().graphMemory();
    if (CallerMemory.readLong(CallerMemory.required(value, "value")) != 0) {
      throw CudaFailure.invalidValue("a high-water mark can only be reset to 0");
    }
    switch (attribute) {
      case 1 -> memory.resetUsedHigh();
      case 3 -> memory.resetReservedHigh();
      default ->
          throw CudaFailure.invalidValue("graph memory attribute " + attribute + " cannot be set");
    }
    return SUCCESS;
  }

  int cuDeviceGraphMemTrim(int dev) {
    device(dev).memory().graphMemory().trim();
    return SUCCESS;
  }
}
