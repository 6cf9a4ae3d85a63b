package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Device;
import dev.reprise.softgpu.driver.context.DeviceAttributes;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Device management. */
final class DeviceFunctions extends Functions {

  private static final String PCI_BUS_ID = "0000:00:00.0";

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
