package dev.reprise.kernels.check;

import dev.reprise.cuda.Device;
import java.util.List;
import java.util.stream.Stream;

/** The cases of all kernels: each kernel of every contract has at least one. */
public final class KernelCases {

  private KernelCases() {}

  /**
   * The cases for a device, kernel by kernel.
   *
   * @param quick only the shapes that take little time on a slow device
   */
  public static List<KernelCase> of(Device device, boolean quick) {
    return Stream.of(
            RowCases.all(quick),
            ProductCases.all(quick, device.multiprocessorCount()),
            PagedCases.all(quick),
            PenaltyCases.all(quick),
            AdapterCases.all(quick),
            TokenCases.all(quick))
        .flatMap(List::stream)
        .toList();
  }
}
