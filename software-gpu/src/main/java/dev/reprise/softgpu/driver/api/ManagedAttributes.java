package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import dev.reprise.softgpu.driver.memory.ManagedMemory.Advice;
import dev.reprise.softgpu.driver.memory.ManagedMemory.Location;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.memory.HostMemory;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The attributes of ranges of managed memory ({@code CUmem_range_attribute}). */
final class ManagedAttributes {

  private static final int AT_DEVICE = 1;
  private static final int CPU = -1;

  /** {@code CU_DEVICE_INVALID}. */
  private static final int INVALID = -2;

  private ManagedAttributes() {}

  /** Writes an attribute of the pages of a range. */
  static void write(long address, long size, int attribute, List<Advice> pages) {
    if (attribute < 1 || attribute > 8) {
      throw CudaFailure.invalidValue("there is no range attribute " + attribute);
    }
    boolean list = attribute == 3;
    if (list ? size <= 0 || size % Integer.BYTES != 0 : size != Integer.BYTES) {
      throw CudaFailure.invalidValue("%d bytes for range attribute %d".formatted(size, attribute));
    }
    if (list) {
      accessedBy(address, size, pages);
      return;
    }
    boolean prefetched = attribute == 4 || attribute == 7 || attribute == 8;
    Location at = common(pages, prefetched ? Advice::prefetched : Advice::preferred);
    int value =
        switch (attribute) {
          case 1 -> pages.stream().allMatch(Advice::readMostly) ? 1 : 0;
          case 2, 4 -> at == null ? INVALID : at.type() == AT_DEVICE ? at.id() : CPU;
          case 5, 7 -> at == null ? 0 : at.type();
          default -> at == null ? 0 : at.id();
        };
    put(address, value);
  }

  private static @Nullable Location common(
      List<Advice> pages, Function<Advice, @Nullable Location> place) {
    Location first = place.apply(pages.getFirst());
    return pages.stream().allMatch(page -> Objects.equals(place.apply(page), first)) ? first : null;
  }

  private static void accessedBy(long address, long size, List<Advice> pages) {
    Set<Location> all = new HashSet<>(pages.getFirst().accessedBy());
    pages.forEach(page -> all.retainAll(page.accessedBy()));
    List<Integer> devices =
        all.stream()
            .map(location -> location.type() == AT_DEVICE ? location.id() : CPU)
            .sorted()
            .toList();
    for (int i = 0; i < size / Integer.BYTES; i++) {
      put(address + (long) i * Integer.BYTES, i < devices.size() ? devices.get(i) : INVALID);
    }
  }

  private static void put(long address, int value) {
    HostMemory.ALL.set(JAVA_INT_UNALIGNED, address, value);
  }
}
