package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Checked calls of CUDA Driver API, "Library Management". */
final class LibraryCalls {

  private static final long MAX_NAME = 1 << 20;

  private LibraryCalls() {}

  /**
   * A library that was loaded.
   *
   * @param value the driver's handle
   * @param options what the driver may still write logs to: it is free to compile for a context
   *     only when the code is first used there
   */
  record Loaded(MemorySegment value, JitCalls.Options options) {}

  static Loaded load(Context context, String label, byte[] image, ModuleOptions options) {
    JitCalls.Options list = JitCalls.options(Arena.ofAuto(), options);
    try (Arena arena = Arena.ofConfined()) {
      // A byte of zero more, which ends PTX text.
      MemorySegment code = arena.allocate(image.length + 1L, Long.BYTES);
      MemorySegment.copy(image, 0, code, JAVA_BYTE, 0, image.length);
      Scratch scratch = Scratch.get();
      context.makeCurrent();
      int result =
          cuda_h.cuLibraryLoadData(
              scratch.first,
              code,
              list.keys(),
              list.values(),
              list.count(),
              MemorySegment.NULL,
              MemorySegment.NULL,
              0);
      if (result != Failures.SUCCESS) {
        throw list.failure(result, "cuLibraryLoadData", label, image.length, options);
      }
      return new Loaded(scratch.firstHandle(), list);
    }
  }

  static void unload(Context context, String label, MemorySegment library) {
    context.makeCurrent();
    int code = cuda_h.cuLibraryUnload(library);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuLibraryUnload", "library", label);
    }
  }

  /** The module that the library is in a context. */
  static MemorySegment module(Context context, LibraryHandle library) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuLibraryGetModule(scratch.first, library.value());
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuLibraryGetModule", "library", library.label(), "device", context.ordinal());
    }
    return scratch.firstHandle();
  }

  static MemorySegment kernel(LibraryHandle library, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(name);
      Scratch scratch = Scratch.get();
      library.context().makeCurrent();
      int code = cuda_h.cuLibraryGetKernel(scratch.first, library.value(), text);
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuLibraryGetKernel", "library", library.label(), "name", name);
      }
      return scratch.firstHandle();
    }
  }

  static List<String> kernelNames(LibraryHandle library) {
    Scratch scratch = Scratch.get();
    library.context().makeCurrent();
    int code = cuda_h.cuLibraryGetKernelCount(scratch.first, library.value());
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuLibraryGetKernelCount", "library", library.label());
    }
    int count = scratch.firstInt();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment kernels = arena.allocate(JAVA_LONG, Math.max(1, count));
      library.context().makeCurrent();
      code = cuda_h.cuLibraryEnumerateKernels(kernels, count, library.value());
      if (code != Failures.SUCCESS) {
        throw Failures.of(
            code, "cuLibraryEnumerateKernels", "library", library.label(), "count", count);
      }
      List<String> names = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        names.add(name(library, MemorySegment.ofAddress(kernels.getAtIndex(JAVA_LONG, i))));
      }
      return List.copyOf(names);
    }
  }

  private static String name(LibraryHandle library, MemorySegment kernel) {
    Scratch scratch = Scratch.get();
    library.context().makeCurrent();
    int code = cuda_h.cuKernelGetName(scratch.first, kernel);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuKernelGetName", "library", library.label());
    }
    return scratch.firstHandle().reinterpret(MAX_NAME).getString(0);
  }

  /** The function that a kernel is in a context. */
  static MemorySegment function(Context context, MemorySegment kernel, String name) {
    Scratch scratch = Scratch.get();
    context.makeCurrent();
    int code = cuda_h.cuKernelGetFunction(scratch.first, kernel);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuKernelGetFunction", "kernel", name, "device", context.ordinal());
    }
    return scratch.firstHandle();
  }

  static int attribute(
      LibraryHandle library,
      MemorySegment kernel,
      String name,
      KernelAttribute attribute,
      int device) {
    Scratch scratch = Scratch.get();
    library.context().makeCurrent();
    int code = cuda_h.cuKernelGetAttribute(scratch.first, attribute.code(), kernel, device);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code, "cuKernelGetAttribute", "attribute", attribute, "kernel", name, "device", device);
    }
    return scratch.firstInt();
  }

  static void setAttribute(
      LibraryHandle library,
      MemorySegment kernel,
      String name,
      KernelAttribute attribute,
      int value,
      int device) {
    int id = attribute.code();
    library.context().makeCurrent();
    int code = cuda_h.cuKernelSetAttribute(id, value, kernel, device);
    if (code != Failures.SUCCESS) {
      throw Failures.of(
          code,
          "cuKernelSetAttribute",
          "attribute",
          attribute,
          "value",
          value,
          "kernel",
          name,
          "device",
          device);
    }
  }

  /** The bytes of each parameter. */
  static List<Integer> parameterBytes(LibraryHandle library, MemorySegment kernel, String name) {
    List<Integer> bytes = new ArrayList<>();
    Scratch scratch = Scratch.get();
    while (true) {
      library.context().makeCurrent();
      int code = cuda_h.cuKernelGetParamInfo(kernel, bytes.size(), scratch.first, scratch.second);
      if (code == Failures.INVALID_VALUE) {
        return List.copyOf(bytes);
      }
      if (code != Failures.SUCCESS) {
        throw Failures.of(code, "cuKernelGetParamInfo", "kernel", name, "index", bytes.size());
      }
      bytes.add((int) scratch.secondLong());
    }
  }
}
