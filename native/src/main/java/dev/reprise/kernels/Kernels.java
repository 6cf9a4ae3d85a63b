package dev.reprise.kernels;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.Kernel;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import dev.reprise.kernels.variant.VariantTable;
import dev.reprise.kernels.variant.VariantUse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All kernels, loaded on one device.
 *
 * <p>Each helper checks its arguments against the contract of the kernel and returns a launch that
 * may be issued eagerly any number of times or captured; a violation is an {@link
 * IllegalArgumentException} that names kernel, parameter, what is required and what was given.
 * Argument indexes of a prepared launch are those of the contract ({@link KernelContract#indexOf}).
 * The helpers are thread-safe. Close this after the last launch was issued; graphs that captured a
 * launch keep its module.
 */
public final class Kernels implements AutoCloseable {

  private static final List<KernelContract> CONTRACTS =
      Stream.of(
              Activation.CONTRACTS,
              Adapters.CONTRACTS,
              Attention.CONTRACTS,
              Embedding.CONTRACTS,
              MatMul.CONTRACTS,
              Norms.CONTRACTS,
              Penalties.CONTRACTS,
              RotaryEmbedding.CONTRACTS,
              Sampling.CONTRACTS,
              StepAdvance.CONTRACTS)
          .flatMap(List::stream)
          .toList();

  private final Device device;
  private final PtxVariant variant;
  private final String digest;
  private final List<CudaModule> modules;
  private final Map<String, Kernel> kernels;

  private final AtomicReference<VariantTable> variants =
      new AtomicReference<>(VariantTable.DEFAULTS);
  private final AtomicBoolean variantsInUse = new AtomicBoolean();
  private final AtomicLong chosen = new AtomicLong();
  private final AtomicLong standard = new AtomicLong();

  private final Embedding embedding = new Embedding(this);
  private final Norms norms = new Norms(this);
  private final MatMul matMul;
  private final RotaryEmbedding rotaryEmbedding = new RotaryEmbedding(this);
  private final Attention attention;
  private final Activation activation = new Activation(this);
  private final Adapters adapters = new Adapters(this);
  private final Penalties penalties = new Penalties(this);
  private final Sampling sampling = new Sampling(this);
  private final StepAdvance stepAdvance = new StepAdvance(this);

  private Kernels(
      Device device, PtxVariant variant, List<CudaModule> modules, Map<String, Kernel> kernels) {
    this.device = device;
    this.variant = variant;
    this.digest = variant.digest();
    this.modules = List.copyOf(modules);
    this.kernels = Map.copyOf(kernels);
    this.matMul = new MatMul(this, device.multiprocessorCount());
    this.attention = new Attention(this, device.multiprocessorCount());
  }

  /**
   * Loads the newest variant of the kernels that the device runs. All modules are loaded at once,
   * because a module must not be loaded while a stream captures.
   *
   * @throws IllegalArgumentException when the device is older than compute capability 7.5
   * @throws dev.reprise.cuda.CudaException when the driver refuses the PTX
   */
  public static Kernels load(Device device) {
    PtxVariant variant = PtxVariant.select(device.computeCapability());
    List<CudaModule> modules = new ArrayList<>();
    try {
      Map<String, CudaModule> byName = new HashMap<>();
      variant
          .modules()
          .forEach((name, ptx) -> {
            CudaModule module = device.loadModule("kernels/" + name, ptx);
            modules.add(module);
            byName.put(name, module);
          });
      Map<String, Kernel> kernels = new HashMap<>();
      for (KernelContract contract : CONTRACTS) {
        CudaModule module = byName.get(contract.module());
        if (module == null) {
          throw new IllegalStateException("No module '%s'.".formatted(contract.module()));
        }
        kernels.put(contract.name(), module.kernel(contract.name()));
      }
      return new Kernels(device, variant, modules, kernels);
    } catch (RuntimeException e) {
      closeAll(modules, e);
      throw e;
    }
  }

  /** The contracts of all kernels. */
  public static List<KernelContract> contracts() {
    return CONTRACTS;
  }

  /**
   * The contract of one kernel.
   *
   * @throws IllegalArgumentException when there is no such kernel
   */
  public static KernelContract contract(String kernel) {
    return CONTRACTS.stream()
        .filter(contract -> contract.name().equals(kernel))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "No kernel '%s'; there are %s."
                    .formatted(kernel, CONTRACTS.stream().map(KernelContract::name).toList())));
  }

  /** The device they are loaded on. */
  public Device device() {
    return device;
  }

  /** The virtual architecture of the PTX in use, such as {@code compute_75}. */
  public String target() {
    return variant.target();
  }

  /** SHA-256 of the PTX in use, in hexadecimal. */
  public String digest() {
    return digest;
  }

  /** Token embedding. */
  public Embedding embedding() {
    return embedding;
  }

  /** RMSNorm, plain and fused with the residual sum. */
  public Norms norms() {
    return norms;
  }

  /** Products with weight matrices. */
  public MatMul matMul() {
    return matMul;
  }

  /** Rotary position embedding and the write to the KV pool. */
  public RotaryEmbedding rotaryEmbedding() {
    return rotaryEmbedding;
  }

  /** Attention over the paged KV pool. */
  public Attention attention() {
    return attention;
  }

  /** SwiGLU. */
  public Activation activation() {
    return activation;
  }

  /** Low-rank adapters. */
  public Adapters adapters() {
    return adapters;
  }

  /** Penalties on tokens already seen, and the record of them. */
  public Penalties penalties() {
    return penalties;
  }

  /** Choice of the next token. */
  public Sampling sampling() {
    return sampling;
  }

  /** Feedback of tokens and positions on the device. */
  public StepAdvance stepAdvance() {
    return stepAdvance;
  }

  /**
   * Has launches use these variants. They are fixed once a launch was prepared by them or {@link
   * #signature} was asked for, so that no step mixes two tables.
   *
   * @throws IllegalStateException when they are fixed
   */
  public void use(VariantTable table) {
    synchronized (variants) {
      if (variantsInUse.get()) {
        throw new IllegalStateException(
            "The kernels' variants are in use and cannot change; choose them before the first step"
                + " is prepared.");
      }
      variants.set(table);
    }
  }

  /** The variants that launches use. */
  public VariantTable variants() {
    return variants.get();
  }

  /** Digest and variants: equal only if every launch runs the same code in the same way. */
  public String signature() {
    return digest + "/" + fixed().signature();
  }

  /** How many launches took a chosen variant, and how many the standard one, when prepared. */
  public VariantUse variantUse() {
    return new VariantUse(chosen.get(), standard.get());
  }

  private VariantTable fixed() {
    if (!variantsInUse.get()) {
      synchronized (variants) {
        variantsInUse.set(true);
      }
    }
    return variants.get();
  }

  /** The variant that the table has for a shape. */
  Optional<KernelVariant> find(TunableShape shape) {
    return fixed().find(shape);
  }

  /** The variant of a shape: the one in the table, else the standard one, at once. */
  <V extends KernelVariant> V choose(TunableShape shape, Class<V> type, Supplier<V> otherwise) {
    Optional<KernelVariant> found = find(shape);
    if (found.isEmpty()) {
      standard.incrementAndGet();
      return otherwise.get();
    }
    chosen.incrementAndGet();
    return type.cast(found.get());
  }

  /** Begins a launch of a kernel. */
  Invocation invoke(String kernel) {
    Kernel code = kernels.get(kernel);
    if (code == null) {
      throw new IllegalArgumentException("No kernel '" + kernel + "'.");
    }
    return new Invocation(contract(kernel), code);
  }

  @Override
  public void close() {
    RuntimeException first = closeAll(modules, null);
    if (first != null) {
      throw first;
    }
  }

  private static @Nullable RuntimeException closeAll(
      List<CudaModule> modules, @Nullable RuntimeException cause) {
    RuntimeException first = cause;
    for (CudaModule module : modules) {
      try {
        module.close();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    return first;
  }
}
