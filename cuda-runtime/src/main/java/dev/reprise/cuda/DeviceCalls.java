package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.ownership.CallbackThread;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Checked calls of CUDA Driver API, "Initialization", "Device" and "Primary Context Management".
 */
final class DeviceCalls {

  private static final int NAME_BYTES = 256;
  private static final int PCI_BUS_ID_BYTES = 32;

  private DeviceCalls() {}

  static void initialise() {
    CallbackThread.refuse("A call of the driver");
    int code = cuda_h.cuInit(0);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuInit", "flags", 0);
    }
  }

  static int count() {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuDeviceGetCount(scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDeviceGetCount");
    }
    return scratch.firstInt();
  }

  static int driverVersion() {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuDriverGetVersion(scratch.first);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDriverGetVersion");
    }
    return scratch.firstInt();
  }

  static int get(int ordinal) {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuDeviceGet(scratch.first, ordinal);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDeviceGet", "ordinal", ordinal);
    }
    return scratch.firstInt();
  }

  static String name(int device) {
    CallbackThread.refuse("A call of the driver");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(NAME_BYTES);
      int code = cuda_h.cuDeviceGetName(name, NAME_BYTES, device);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuDeviceGetName", "device", device);
      }
      return name.getString(0);
    }
  }

  static String pciBusId(int device) {
    CallbackThread.refuse("A call of the driver");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment id = arena.allocate(PCI_BUS_ID_BYTES);
      int code = cuda_h.cuDeviceGetPCIBusId(id, PCI_BUS_ID_BYTES, device);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuDeviceGetPCIBusId", "device", device);
      }
      return id.getString(0);
    }
  }

  static boolean canAccessPeer(int device, int peer) {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuDeviceCanAccessPeer(scratch.first, device, peer);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDeviceCanAccessPeer", "device", device, "peer", peer);
    }
    return scratch.firstInt() != 0;
  }

  static long totalMemory(int device) {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuDeviceTotalMem_v2(scratch.first, device);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDeviceTotalMem_v2", "device", device);
    }
    return scratch.firstLong();
  }

  static int attribute(int device, DeviceAttribute attribute) {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuDeviceGetAttribute(scratch.first, attribute.code(), device);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDeviceGetAttribute", "attribute", attribute, "device", device);
    }
    return scratch.firstInt();
  }

  static String uuid(int device) {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuDeviceGetUuid_v2(scratch.first, device);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDeviceGetUuid_v2", "device", device);
    }
    ByteBuffer bytes = ByteBuffer.wrap(scratch.first.asSlice(0, 16).toArray(JAVA_BYTE));
    return "GPU-" + new UUID(bytes.getLong(), bytes.getLong());
  }

  static MemorySegment retainPrimaryContext(int device) {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuDevicePrimaryCtxRetain(scratch.first, device);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDevicePrimaryCtxRetain", "device", device);
    }
    return scratch.firstHandle();
  }

  static void releasePrimaryContext(int device) {
    CallbackThread.refuse("A call of the driver");
    int code = cuda_h.cuDevicePrimaryCtxRelease_v2(device);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDevicePrimaryCtxRelease_v2", "device", device);
    }
  }

  static HostWait hostWait(int device) {
    int schedule = primaryFlags(device) & cuda_h.CU_CTX_SCHED_MASK();
    for (HostWait wait : HostWait.values()) {
      if (flag(wait) == schedule) {
        return wait;
      }
    }
    throw new IllegalStateException(
        "Device %d has scheduling flags 0x%x, which this runtime does not know."
            .formatted(device, schedule));
  }

  /** Leaves the other flags as they are. */
  static void setHostWait(int device, HostWait wait) {
    int flags = (primaryFlags(device) & ~cuda_h.CU_CTX_SCHED_MASK()) | flag(wait);
    int code = cuda_h.cuDevicePrimaryCtxSetFlags_v2(device, flags);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDevicePrimaryCtxSetFlags_v2", "device", device, "hostWait", wait);
    }
  }

  private static int primaryFlags(int device) {
    CallbackThread.refuse("A call of the driver");
    Scratch scratch = Scratch.get();
    int code = cuda_h.cuDevicePrimaryCtxGetState(device, scratch.first, scratch.second);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuDevicePrimaryCtxGetState", "device", device);
    }
    return scratch.firstInt();
  }

  private static int flag(HostWait wait) {
    return switch (wait) {
      case AUTO -> cuda_h.CU_CTX_SCHED_AUTO();
      case SPIN -> cuda_h.CU_CTX_SCHED_SPIN();
      case YIELD -> cuda_h.CU_CTX_SCHED_YIELD();
      case BLOCK -> cuda_h.CU_CTX_SCHED_BLOCKING_SYNC();
    };
  }

  static void synchronize(Context context) {
    context.makeCurrent();
    int code = cuda_h.cuCtxSynchronize();
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuCtxSynchronize", "device", context.ordinal());
    }
  }
}
