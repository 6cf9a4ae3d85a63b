package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.driver.context.CodeLibrary;
import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.LibraryKernel;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.operation.LoadedImage;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;

/** Library management: code that belongs to no context. */
final class LibraryFunctions extends Functions {

  private static final int BINARY_IS_PRESERVED = 1;

  LibraryFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuLibraryLoadData(
      MemorySegment library,
      MemorySegment code,
      MemorySegment jitOptions,
      MemorySegment jitValues,
      int jitCount,
      MemorySegment libraryOptions,
      MemorySegment libraryValues,
      int libraryCount) {
    JitOptions options = JitOptions.read(jitCount, jitOptions, jitValues);
    checkOptions(libraryOptions, libraryCount);
    return load(library, Images.read(code, options), options);
  }

  int cuLibraryLoadFromFile(
      MemorySegment library,
      MemorySegment fileName,
      MemorySegment jitOptions,
      MemorySegment jitValues,
      int jitCount,
      MemorySegment libraryOptions,
      MemorySegment libraryValues,
      int libraryCount) {
    JitOptions options = JitOptions.read(jitCount, jitOptions, jitValues);
    checkOptions(libraryOptions, libraryCount);
    String name = CallerMemory.readString(fileName, "fileName");
    return load(library, Images.readFile(name), options);
  }

  private static void checkOptions(MemorySegment options, int count) {
    for (int i = 0; i < count; i++) {
      long list = CallerMemory.required(options, "libraryOptions");
      int option = CallerMemory.readInt(list + (long) i * Integer.BYTES);
      // The text is copied, so whether the caller keeps it makes no difference.
      if (option != BINARY_IS_PRESERVED) {
        throw CudaFailure.notSupported("library option " + option);
      }
    }
  }

  private int load(MemorySegment library, String ptx, JitOptions options) {
    Context context = context();
    CallerMemory.required(library, "library");
    checkCodeMayChange("loading a library");
    // Loaded where it is first used, but what is wrong with it is told now.
    LoadedImage first = Images.load(handles(), context, ptx, options);
    List<String> names =
        first.functions().stream().map(function -> function.code().name()).toList();
    CodeLibrary loaded =
        new CodeLibrary(
            handles(),
            names,
            into -> Images.load(handles(), into, ptx, JitOptions.none()),
            context,
            first);
    CallerMemory.writeLong(library, "library", handles().publish(loaded).handle());
    return SUCCESS;
  }

  int cuLibraryUnload(MemorySegment library) {
    Context current = contextEvenIfPoisoned();
    CodeLibrary known = library(library);
    checkCodeMayChange("unloading a library");
    handles().remove(known);
    known.close(handles()).forEach(Context::unload);
    return current.result().code();
  }

  int cuLibraryGetKernel(MemorySegment kernel, MemorySegment library, MemorySegment name) {
    CodeLibrary known = library(library);
    CallerMemory.required(kernel, "pKernel");
    LibraryKernel found = known.kernel(CallerMemory.readString(name, "name"));
    CallerMemory.writeLong(kernel, "pKernel", found.handle());
    return SUCCESS;
  }

  int cuLibraryGetKernelCount(MemorySegment count, MemorySegment library) {
    CallerMemory.writeInt(count, "count", library(library).kernels().size());
    return SUCCESS;
  }

  int cuLibraryEnumerateKernels(MemorySegment kernels, int count, MemorySegment library) {
    Iterator<LibraryKernel> all = library(library).kernels().iterator();
    long address = CallerMemory.required(kernels, "kernels");
    for (int i = 0; i < count && all.hasNext(); i++) {
      HostMemory.ALL.set(JAVA_LONG_UNALIGNED, address + (long) i * Long.BYTES, all.next().handle());
    }
    return SUCCESS;
  }

  int cuLibraryGetModule(MemorySegment module, MemorySegment library) {
    Context context = context();
    CallerMemory.writeLong(module, "pMod", library(library).image(context).handle());
    return SUCCESS;
  }

  int cuLibraryGetGlobal(
      MemorySegment dptr, MemorySegment bytes, MemorySegment library, MemorySegment name) {
    LoadedImage image = library(library).image(context());
    String wanted = CallerMemory.readString(name, "name");
    Allocation allocation = image.module().global(wanted);
    if (allocation == null) {
      throw new CudaFailure(Result.NOT_FOUND, "no variable '" + wanted + "' in " + image);
    }
    CallerMemory.writeLongIfWanted(dptr, allocation.base());
    CallerMemory.writeLongIfWanted(bytes, allocation.size());
    return SUCCESS;
  }

  int cuLibraryGetManaged(
      MemorySegment dptr, MemorySegment bytes, MemorySegment library, MemorySegment name) {
    CodeLibrary known = library(library);
    // PTX with managed variables does not load, so no library has one.
    throw new CudaFailure(
        Result.NOT_FOUND,
        "no managed variable '%s' in %s".formatted(CallerMemory.readString(name, "name"), known));
  }

  int cuLibraryGetUnifiedFunction(MemorySegment fptr, MemorySegment library, MemorySegment symbol) {
    CodeLibrary known = library(library);
    // PTX with unified functions does not load, so no library has one.
    throw new CudaFailure(
        Result.NOT_FOUND,
        "no unified function '%s' in %s"
            .formatted(CallerMemory.readString(symbol, "symbol"), known));
  }

  int cuKernelSetCacheConfig(MemorySegment kernel, int config, int dev) {
    kernel(kernel);
    device(dev);
    // A preference between cache and shared memory, which are not one memory here.
    if (config < 0 || config > 3) {
      throw CudaFailure.invalidValue("cache configuration " + config);
    }
    return SUCCESS;
  }

  int cuKernelGetFunction(MemorySegment function, MemorySegment kernel) {
    context();
    KernelFunction found = function(kernel);
    CallerMemory.writeLong(function, "pFunc", found.handle());
    return SUCCESS;
  }

  int cuKernelGetLibrary(MemorySegment library, MemorySegment kernel) {
    CallerMemory.writeLong(library, "pLib", kernel(kernel).library().handle());
    return SUCCESS;
  }

  int cuKernelGetName(MemorySegment name, MemorySegment kernel) {
    CallerMemory.writeLong(name, "name", kernel(kernel).nativeName().address());
    return SUCCESS;
  }

  private CodeLibrary library(MemorySegment handle) {
    gpu().device();
    return handles().require(handle.address(), CodeLibrary.class, "library");
  }

  private LibraryKernel kernel(MemorySegment handle) {
    gpu().device();
    return handles().require(handle.address(), LibraryKernel.class, "kernel");
  }
}
