package dev.reprise.kernels.contract;

import dev.reprise.cuda.Access;
import dev.reprise.cuda.LaunchConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Writes down a contract; parameters in the order of the kernel's signature. */
public final class ContractBuilder {

  /** Alignment that kernels need where they may read or write vectors of 16 bytes. */
  private static final int VECTOR = 16;

  private final String name;
  private final String module;
  private final List<Parameter> parameters = new ArrayList<>();
  private final List<Symbol> symbols = new ArrayList<>();
  private final List<Derived> derived = new ArrayList<>();
  private final List<Requirement> requirements = new ArrayList<>();
  private final List<StatusBit> statusBits = new ArrayList<>();
  private String summary = "";
  private String padding = "";
  private String arithmetic = "";
  private @Nullable String rngPosition;
  private @Nullable Geometry geometry;

  ContractBuilder(String name, String module) {
    this.name = name;
    this.module = module;
  }

  /** What the kernel computes. */
  public ContractBuilder summary(String text) {
    summary = text;
    return this;
  }

  /** An extent that is no parameter of the kernel (it shows in the grid). */
  public ContractBuilder extent(String symbol, long least, long most, String meaning) {
    return extent(symbol, least, most, Symbol.Form.ANY, meaning);
  }

  /** An extent of some form that is no parameter of the kernel. */
  public ContractBuilder extent(
      String symbol, long least, long most, Symbol.Form form, String meaning) {
    symbols.add(new Symbol(symbol, least, most, form, meaning));
    return this;
  }

  /** A symbol computed from others. */
  public ContractBuilder derived(String symbol, String formula, ToLongFunction<Bindings> value) {
    derived.add(new Derived(symbol, formula, value));
    return this;
  }

  /** A condition between symbols. */
  public ContractBuilder require(String text, Predicate<Bindings> holds) {
    requirements.add(new Requirement(text, holds));
    return this;
  }

  /** An array the kernel reads. */
  public ContractBuilder reads(String array, ElementType type, String meaning, String... shape) {
    return buffer(array, type, Access.READ, meaning, shape);
  }

  /** An array the kernel writes whole. */
  public ContractBuilder writes(String array, ElementType type, String meaning, String... shape) {
    return buffer(array, type, Access.WRITE, meaning, shape);
  }

  /** An array the kernel reads and changes, or writes in part. */
  public ContractBuilder updates(String array, ElementType type, String meaning, String... shape) {
    return buffer(array, type, Access.READ_WRITE, meaning, shape);
  }

  private ContractBuilder buffer(
      String array, ElementType type, Access access, String meaning, String... shape) {
    boolean vectors = type == ElementType.F32 || type == ElementType.F16;
    int alignment = vectors ? VECTOR : type.bytes();
    parameters.add(new Parameter.Buffer(array, type, List.of(shape), alignment, access, meaning));
    return this;
  }

  /** The status word, with the bits that the kernel may set in it. */
  public ContractBuilder status(StatusBit... bits) {
    statusBits.addAll(List.of(bits));
    return updates("status", ElementType.I32, "status word; bits are or-ed in");
  }

  /** An integer parameter. */
  public ContractBuilder integer(String parameter, long least, long most, String meaning) {
    return integer(parameter, least, most, Symbol.Form.ANY, meaning);
  }

  /** An integer parameter of some form. */
  public ContractBuilder integer(
      String parameter, long least, long most, Symbol.Form form, String meaning) {
    parameters.add(new Parameter.Int(parameter, meaning));
    symbols.add(new Symbol(parameter, least, most, form, meaning));
    return this;
  }

  /** A float parameter. */
  public ContractBuilder real(String parameter, float least, float most, String meaning) {
    parameters.add(new Parameter.Real(parameter, least, most, meaning));
    return this;
  }

  /** What a row of padding gives. */
  public ContractBuilder padding(String text) {
    padding = text;
    return this;
  }

  /** Accumulator, order of sums and rounding. */
  public ContractBuilder arithmetic(String text) {
    arithmetic = text;
    return this;
  }

  /** Key and counter of the random number generator. */
  public ContractBuilder rng(String text) {
    rngPosition = text;
    return this;
  }

  /** Grid and block. */
  public ContractBuilder geometry(String text, Function<Bindings, LaunchConfig> config) {
    geometry = new Geometry(text, config);
    return this;
  }

  /** The contract. */
  public KernelContract build() {
    if (geometry == null) {
      throw new IllegalStateException("The contract of " + name + " has no geometry.");
    }
    return new KernelContract(
        name,
        module,
        summary,
        parameters,
        symbols,
        derived,
        requirements,
        padding,
        arithmetic,
        Optional.ofNullable(rngPosition),
        statusBits,
        geometry,
        ResourceTable.load().of(name));
  }
}
