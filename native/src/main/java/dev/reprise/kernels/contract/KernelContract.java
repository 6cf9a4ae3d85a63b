package dev.reprise.kernels.contract;

import java.util.List;
import java.util.Optional;

/**
 * What one kernel requires and guarantees. The launch helpers check every launch against it when it
 * is prepared; tests read it.
 *
 * <p>Rules that hold for all kernels: arrays are dense and row-major; nothing that is written may
 * overlap anything else the launch is given; a launch allocates nothing, synchronises nothing and
 * reads no host memory, so it may be captured; the result of a live row does not depend, to the
 * bit, on the number of rows, on what other rows hold, or on the length of the block tables.
 *
 * @param name the entry point in the PTX
 * @param module the module (source file) it is in
 * @param summary what it computes
 * @param parameters in the order of the kernel's signature
 * @param symbols the numbers that shapes and integer parameters refer to
 * @param derived symbols computed from others
 * @param requirements conditions between symbols
 * @param padding what a row of padding gives
 * @param arithmetic type of the accumulator, order of sums, rounding
 * @param rngPosition where the random number generator stands, empty for a kernel that draws
 *     nothing
 * @param statusBits what is reported in the status word
 * @param geometry grid and block
 * @param resources what ptxas reports, one entry a device architecture
 */
public record KernelContract(
    String name,
    String module,
    String summary,
    List<Parameter> parameters,
    List<Symbol> symbols,
    List<Derived> derived,
    List<Requirement> requirements,
    String padding,
    String arithmetic,
    Optional<String> rngPosition,
    List<StatusBit> statusBits,
    Geometry geometry,
    List<ResourceUse> resources) {

  /** Takes copies of the lists. */
  public KernelContract {
    parameters = List.copyOf(parameters);
    symbols = List.copyOf(symbols);
    derived = List.copyOf(derived);
    requirements = List.copyOf(requirements);
    statusBits = List.copyOf(statusBits);
    resources = List.copyOf(resources);
  }

  /** Begins the contract of a kernel. */
  public static ContractBuilder of(String name, String module) {
    return new ContractBuilder(name, module);
  }

  /** Parameters that are arrays. */
  public List<Parameter.Buffer> buffers() {
    return parameters.stream()
        .filter(Parameter.Buffer.class::isInstance)
        .map(Parameter.Buffer.class::cast)
        .toList();
  }

  /** Names of the arrays that the kernel changes. */
  public List<String> mutatedBuffers() {
    return buffers().stream().filter(Parameter.Buffer::mutated).map(Parameter::name).toList();
  }

  /**
   * Index of a parameter in the kernel's signature, as the setters of a prepared launch take it.
   *
   * @throws IllegalArgumentException when the kernel has no such parameter
   */
  public int indexOf(String parameter) {
    for (int i = 0; i < parameters.size(); i++) {
      if (parameters.get(i).name().equals(parameter)) {
        return i;
      }
    }
    throw new IllegalArgumentException(
        "Kernel %s has no parameter '%s'; it has %s."
            .formatted(name, parameter, parameters.stream().map(Parameter::name).toList()));
  }

  /** Whether a launch may be captured into a graph; true of every kernel here. */
  public boolean captureSafe() {
    return true;
  }

  /** Whether equal inputs give equal bits; true of every kernel here. */
  public boolean deterministic() {
    return true;
  }
}
