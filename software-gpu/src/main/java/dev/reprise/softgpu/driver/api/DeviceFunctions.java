package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import dev.reprise.bindings.cuda.CUdevprop;
import dev.reprise.softgpu.driver.context.Device;
import dev.reprise.softgpu.driver.context.DeviceAttributes;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Device management. */
final class DeviceFunctions extends Functions {

  private static final String PCI_BUS_ID = "0000:00:00.0";

  /** Numbers of {@code CUdevice_attribute}. */
  private static final int BLOCK_X = 2;

  private static final int GRID_X = 5;
  private static final int MAX_PITCH = 11;
  private static final int CLOCK_RATE = 13;
  private static final int TEXTURE_ALIGNMENT = 14;

  /** Bits of {@code CUatomicOperationCapability}. */
  private static final int SIGNED = 1;

  private static final int UNSIGNED = 1 << 1;
  private static final int REDUCTION = 1 << 2;
  private static final int SCALAR_32 = 1 << 3;
  private static final int SCALAR_64 = 1 << 4;
  private static final int SCALAR_128 = 1 << 5;
  private static final int VECTOR_32X4 = 1 << 6;

  DeviceFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuDeviceGet(MemorySegment device, int ordinal) {
    device(ordinal);
    CallerMemory.writeInt(device, "device", ordinal);
    return SUCCESS;
  }

  int cuDeviceGetCount(MemorySegment count) {
    gpu().device();
    CallerMemory.writeInt(count, "count", 1);
    return SUCCESS;
  }

  int cuDeviceGetName(MemorySegment name, int capacity, int dev) {
    return text(name, "name", device(dev).model().name(), capacity);
  }

  int cuDeviceGetPCIBusId(MemorySegment pciBusId, int capacity, int dev) {
    device(dev);
    return text(pciBusId, "pciBusId", PCI_BUS_ID, capacity);
  }

  private static int text(MemorySegment out, String argument, String text, int capacity) {
    long address = CallerMemory.required(out, argument);
    if (capacity <= 0) {
      throw CudaFailure.invalidValue("len " + capacity);
    }
    CallerMemory.writeString(address, text, capacity);
    return SUCCESS;
  }

  int cuDeviceGetByPCIBusId(MemorySegment dev, MemorySegment pciBusId) {
    device(0);
    String wanted = CallerMemory.readString(pciBusId, "pciBusId");
    if (!wanted.equals(PCI_BUS_ID)) {
      throw new CudaFailure(Result.INVALID_DEVICE, "no device at " + wanted);
    }
    CallerMemory.writeInt(dev, "dev", 0);
    return SUCCESS;
  }

  int cuDeviceTotalMem_v2(MemorySegment bytes, int dev) {
    CallerMemory.writeLong(bytes, "bytes", device(dev).model().memoryBytes());
    return SUCCESS;
  }

  int cuDeviceGetAttribute(MemorySegment value, int attribute, int dev) {
    Device device = device(dev);
    CallerMemory.writeInt(value, "pi", DeviceAttributes.get(device.model(), attribute));
    return SUCCESS;
  }

  int cuDeviceGetProperties(MemorySegment prop, int dev) {
    DeviceModel model = device(dev).model();
    MemorySegment p = CallerMemory.struct(prop, CUdevprop.sizeof(), "prop");
    CUdevprop.maxThreadsPerBlock(p, DeviceModel.MAX_THREADS_PER_BLOCK);
    for (int axis = 0; axis < 3; axis++) {
      CUdevprop.maxThreadsDim(p, axis, DeviceAttributes.get(model, BLOCK_X + axis));
      CUdevprop.maxGridSize(p, axis, DeviceAttributes.get(model, GRID_X + axis));
    }
    CUdevprop.sharedMemPerBlock(p, DeviceModel.SHARED_PER_BLOCK);
    CUdevprop.totalConstantMemory(p, DeviceModel.CONSTANT_BYTES);
    CUdevprop.SIMDWidth(p, DeviceModel.WARP_SIZE);
    CUdevprop.memPitch(p, DeviceAttributes.get(model, MAX_PITCH));
    CUdevprop.regsPerBlock(p, DeviceModel.REGISTERS);
    CUdevprop.clockRate(p, DeviceAttributes.get(model, CLOCK_RATE));
    CUdevprop.textureAlign(p, DeviceAttributes.get(model, TEXTURE_ALIGNMENT));
    return SUCCESS;
  }

  /** The memory of the host is the device's, so atomics are what kernels can do. */
  int cuDeviceGetHostAtomicCapabilities(
      MemorySegment capabilities, MemorySegment operations, int count, int dev) {
    device(dev);
    long out = CallerMemory.required(capabilities, "capabilities");
    long in = CallerMemory.required(operations, "operations");
    if (count <= 0) {
      throw CudaFailure.invalidValue(Integer.toUnsignedString(count) + " operations");
    }
    int[] answers = new int[count];
    for (int i = 0; i < count; i++) {
      answers[i] = atomicCapabilities(CallerMemory.readInt(in + (long) i * Integer.BYTES));
    }
    MemorySegment.copy(answers, 0, HostMemory.ALL, JAVA_INT_UNALIGNED, out, count);
    return SUCCESS;
  }

  /** {@code CUatomicOperationCapability} of a {@code CUatomicOperation}. */
  private static int atomicCapabilities(int operation) {
    return switch (operation) {
      case 0, 1, 2 -> SIGNED | UNSIGNED | REDUCTION | SCALAR_32 | SCALAR_64;
      case 3, 4 -> UNSIGNED | REDUCTION | SCALAR_32;
      case 5, 6, 7 -> SIGNED | UNSIGNED | REDUCTION | SCALAR_32 | SCALAR_64;
      case 8, 9 -> SIGNED | UNSIGNED | SCALAR_32 | SCALAR_64 | SCALAR_128;
      case 10 -> REDUCTION | SCALAR_32 | SCALAR_64 | VECTOR_32X4;
      case 11, 12 -> 0;
      default -> throw CudaFailure.invalidValue("there is no atomic operation " + operation);
    };
  }

  int cuDeviceComputeCapability(MemorySegment major, MemorySegment minor, int dev) {
    device(dev);
    CallerMemory.required(minor, "minor");
    CallerMemory.writeInt(major, "major", DeviceModel.MAJOR);
    CallerMemory.writeInt(minor, "minor", DeviceModel.MINOR);
    return SUCCESS;
  }

  /** The same device in every process: its name decides. */
  int cuDeviceGetUuid_v2(MemorySegment uuid, int dev) {
    byte[] name = device(dev).model().name().getBytes(StandardCharsets.UTF_8);
    UUID id = UUID.nameUUIDFromBytes(name);
    long address = CallerMemory.required(uuid, "uuid");
    CallerMemory.writeLong(
        MemorySegment.ofAddress(address), "uuid", Long.reverseBytes(id.getMostSignificantBits()));
    CallerMemory.writeLong(
        MemorySegment.ofAddress(address + Long.BYTES),
        "uuid",
        Long.reverseBytes(id.getLeastSignificantBits()));
    return SUCCESS;
  }
}
