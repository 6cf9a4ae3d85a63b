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
import java.util.List;
import java.util.UUID;

/** Device management. */
final class DeviceFunctions extends Functions {

  DeviceFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuDeviceGet(MemorySegment device, int ordinal) {
    device(ordinal);
    CallerMemory.writeInt(device, "device", ordinal);
    return SUCCESS;
  }

  int cuDeviceGetCount(MemorySegment count) {
    CallerMemory.writeInt(count, "count", gpu().devices().size());
    return SUCCESS;
  }

  int cuDeviceGetName(MemorySegment name, int capacity, int dev) {
    return text(name, "name", device(dev).model().name(), capacity);
  }

  int cuDeviceGetPCIBusId(MemorySegment pciBusId, int capacity, int dev) {
    return text(pciBusId, "pciBusId", pciBusId(device(dev)), capacity);
  }

  private static String pciBusId(Device device) {
    return "0000:%02x:00.0".formatted(device.ordinal());
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
    List<Device> devices = gpu().devices();
    String wanted = CallerMemory.readString(pciBusId, "pciBusId");
    for (Device device : devices) {
      if (pciBusId(device).equals(wanted)) {
        CallerMemory.writeInt(dev, "dev", device.ordinal());
        return SUCCESS;
      }
    }
    throw new CudaFailure(Result.INVALID_DEVICE, "no device at " + wanted);
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

  /** The same device in every process: its name and number decide. */
  int cuDeviceGetUuid_v2(MemorySegment uuid, int dev) {
    String name = device(dev).model().name() + (dev == 0 ? "" : " " + dev);
    UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
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
