package dev.reprise.softgpu.driver.context;

import static java.util.Map.entry;

import dev.reprise.softgpu.driver.support.CudaFailure;
import java.util.Map;

/**
 * {@code CUdevice_attribute}, by the numbers in {@code cuda.h}. What the device lacks is 0. Clocks
 * and bus widths are 0 as well: a number here would be an invention.
 */
public final class DeviceAttributes {

  private static final int LAST = 147;
  private static final int TEXTURE_ALIGNMENT = 512;

  private static final Map<Integer, Integer> FIXED =
      Map.ofEntries(
          entry(1, DeviceModel.MAX_THREADS_PER_BLOCK),
          entry(2, DeviceModel.MAX_BLOCK_X),
          entry(3, DeviceModel.MAX_BLOCK_Y),
          entry(4, DeviceModel.MAX_BLOCK_Z),
          entry(5, DeviceModel.MAX_GRID_X),
          entry(6, DeviceModel.MAX_GRID_Y),
          entry(7, DeviceModel.MAX_GRID_Z),
          entry(8, DeviceModel.SHARED_PER_BLOCK),
          entry(9, DeviceModel.CONSTANT_BYTES),
          entry(10, DeviceModel.WARP_SIZE),
          entry(11, Integer.MAX_VALUE), // largest pitch of a copy
          entry(12, DeviceModel.REGISTERS), // of a block
          entry(14, TEXTURE_ALIGNMENT),
          entry(15, 1), // copies overlap kernels
          entry(18, 1), // integrated: the memory is the host's
          entry(19, 1), // maps host memory
          entry(30, TEXTURE_ALIGNMENT), // surfaces
          entry(31, 1), // concurrent kernels
          entry(39, DeviceModel.MAX_THREADS_PER_MULTIPROCESSOR),
          entry(40, 1), // copy engines
          entry(41, 1), // unified addressing
          entry(51, 32), // pitch alignment
          entry(75, DeviceModel.MAJOR),
          entry(76, DeviceModel.MINOR),
          entry(78, 1), // stream priorities are accepted
          entry(79, 1), // global loads may be cached
          entry(80, 1), // local loads may be cached
          entry(81, DeviceModel.SHARED_PER_MULTIPROCESSOR),
          entry(82, DeviceModel.REGISTERS), // of a multiprocessor
          entry(83, 1), // managed memory
          entry(86, 1), // atomics on host memory
          entry(87, 2), // single to double precision
          entry(89, 1), // managed memory is accessed by host and device at once
          entry(91, 1), // registered memory keeps its address
          entry(95, 1), // cooperative launch
          entry(97, DeviceModel.SHARED_PER_BLOCK_OPTIN),
          entry(99, 1), // host memory can be registered
          entry(102, 1), // virtual memory management
          entry(106, DeviceModel.MAX_BLOCKS_PER_MULTIPROCESSOR),
          entry(111, DeviceModel.SHARED_RESERVED_PER_BLOCK),
          entry(115, 1), // stream-ordered allocation
          entry(120, 1), // launches in clusters
          entry(122, 1), // 64-bit stream memory operations
          entry(123, 1), // waiting by NOR
          entry(126, 1), // memory synchronisation domains
          entry(127, 1), // tensor maps
          entry(131, -1), // no NUMA node of its own
          entry(134, -1)); // nor a closest one

  private DeviceAttributes() {}

  /** The value of an attribute; {@code CUDA_ERROR_INVALID_VALUE} for a number that is none. */
  public static int get(DeviceModel model, int attribute) {
    if (attribute < 1 || attribute > LAST) {
      throw CudaFailure.invalidValue("there is no device attribute " + attribute);
    }
    return attribute == 16 ? model.multiprocessors() : FIXED.getOrDefault(attribute, 0);
  }
}
